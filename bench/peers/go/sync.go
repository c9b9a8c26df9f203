// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same loops as bench/workloads/sync.hpp and full_empty.hpp.
package main

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// together runs body(0), ..., body(tasks-1) as goroutines that begin together; the time until all have ended.
func together(tasks int, body func(int)) time.Duration {
	var ready, done sync.WaitGroup
	gate := make(chan struct{})
	ready.Add(tasks)
	done.Add(tasks)
	for i := 0; i < tasks; i++ {
		go func(task int) {
			ready.Done()
			<-gate
			body(task)
			done.Done()
		}(i)
	}
	ready.Wait()
	start := time.Now()
	close(gate)
	done.Wait()
	return time.Since(start)
}

// shares tells how many operations each task does, so that all tasks do the same and about `ops` in all.
func shares(rq *request) (tasks, each int) {
	tasks = rq.number("tasks", 2)
	each = rq.number("ops", 100000) / tasks
	if each == 0 {
		each = 1
	}
	return tasks, each
}

// feb: a word is a channel without a place (`default`) or with one (`tuned`). Two threads: each goroutine keeps
// a thread of its own, bound to a core, since nothing else makes every value cross.
func feb(rq *request) {
	places := 0
	if rq.choice("tuning", "default", "tuned") == "tuned" {
		places = 1
	}
	rounds := rq.number("rounds", 100000)
	rq.checkAllRead()
	rq.sample("ns_per_handoff", 2*rounds, func() time.Duration {
		x, y := make(chan int, places), make(chan int, places)
		wrong := 0
		seconds := together(2, func(task int) {
			if rq.threads > 1 {
				runtime.LockOSThread()
				bindThread(task)
				defer runtime.UnlockOSThread()
			}
			for i := 0; i < rounds; i++ {
				if task == 0 {
					x <- i
					if <-y != i {
						wrong++
					}
				} else {
					y <- <-x
				}
			}
		})
		checkEqual("the number of values that came back changed", wrong, 0)
		return seconds
	})
}

// guardedWord is a mutex over a flag and a value, without the conditions that waiting would need.
type guardedWord struct {
	mutex sync.Mutex
	full  bool
	value int
}

func (w *guardedWord) put(value int) {
	w.mutex.Lock()
	if w.full {
		exit(1, "a word is full that should be empty")
	}
	w.full, w.value = true, value
	w.mutex.Unlock()
}

func (w *guardedWord) take() int {
	w.mutex.Lock()
	if !w.full {
		exit(1, "a word is empty that should be full")
	}
	w.full = false
	value := w.value
	w.mutex.Unlock()
	return value
}

// syncPair samples pairs of put and take by one goroutine; nobody waits.
func syncPair(rq *request) {
	rq.choice("tuning", "default")
	pairs := rq.number("pairs", 1000000)
	rq.checkAllRead()
	for round := 0; round <= rq.samples; round++ {
		word := new(guardedWord)
		sum := 0
		start := time.Now()
		for i := 0; i < pairs; i++ {
			word.put(i)
			sum += word.take()
		}
		ns := float64(time.Since(start).Nanoseconds()) / float64(pairs)
		checkEqual("the sum of the values taken", sum, pairs*(pairs-1)/2)
		if round > 0 {
			rq.row("ns_per_op", ns/2)
			rq.row("ns_per_pair", ns)
		}
	}
}

func mutex(rq *request) {
	rq.choice("tuning", "default")
	tasks, each := shares(rq)
	contended := rq.choice("form", "plain", "contended") == "contended"
	rq.checkAllRead()
	rq.sample("ns_per_op", tasks*each, func() time.Duration {
		var lock sync.Mutex
		value := 0
		seconds := together(tasks, func(int) {
			for i := 0; i < each; i++ {
				lock.Lock()
				before := value
				if contended {
					runtime.Gosched()
				}
				value = before + 1
				lock.Unlock()
			}
		})
		checkEqual("the number counted under the mutex", value, tasks*each)
		return seconds
	})
}

func channel(rq *request) {
	rq.choice("tuning", "default")
	tasks := rq.number("tasks", 2) &^ 1
	ops := rq.number("ops", 100000)
	capacity := rq.number("capacity", 64)
	rq.checkAllRead()
	senders := tasks / 2
	each := ops / senders
	if each == 0 {
		each = 1
	}
	rq.sample("ns_per_op", senders*each, func() time.Duration {
		elements := make(chan int, capacity)
		var sum int64
		seconds := together(tasks, func(task int) {
			if task%2 == 0 {
				for i := 0; i < each; i++ {
					elements <- i
				}
				return
			}
			own := 0
			for i := 0; i < each; i++ {
				own += <-elements
			}
			atomic.AddInt64(&sum, int64(own))
		})
		checkEqual("the sum of the elements received", int(sum), senders*(each*(each-1)/2))
		return seconds
	})
}

// cyclicBarrier is what Go programs build of a mutex and a condition: the standard library has none.
type cyclicBarrier struct {
	mutex   sync.Mutex
	opened  *sync.Cond
	tasks   int
	missing int
	round   int
}

func newBarrier(tasks int) *cyclicBarrier {
	b := &cyclicBarrier{tasks: tasks, missing: tasks}
	b.opened = sync.NewCond(&b.mutex)
	return b
}

func (b *cyclicBarrier) arriveAndWait() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.missing--
	if b.missing == 0 {
		b.missing = b.tasks
		b.round++
		b.opened.Broadcast()
		return
	}
	for round := b.round; round == b.round; {
		b.opened.Wait()
	}
}

func barrier(rq *request) {
	rq.choice("tuning", "default")
	tasks, each := shares(rq)
	rq.checkAllRead()
	type progress struct {
		rounds int64
		_      [120]byte
	}
	rq.sample("ns_per_op", tasks*each, func() time.Duration {
		gate := newBarrier(tasks)
		done := make([]progress, tasks)
		var late int64
		seconds := together(tasks, func(task int) {
			for round := 1; round <= each; round++ {
				atomic.StoreInt64(&done[task].rounds, int64(round))
				gate.arriveAndWait()
				looks := round%16 == 0 || round == each
				if looks && atomic.LoadInt64(&done[(task+1)%tasks].rounds) < int64(round) {
					atomic.AddInt64(&late, 1)
				}
			}
		})
		checkEqual("the number of tasks that the barrier did not wait for", int(late), 0)
		return seconds
	})
}

func condition(rq *request) {
	rq.choice("tuning", "default")
	tasks, each := shares(rq)
	rq.checkAllRead()
	rq.sample("ns_per_op", tasks*each, func() time.Duration {
		var lock sync.Mutex
		turns := make([]*sync.Cond, tasks)
		for i := range turns {
			turns[i] = sync.NewCond(&lock)
		}
		holder, passed := 0, 0
		seconds := together(tasks, func(task int) {
			lock.Lock()
			defer lock.Unlock()
			for i := 0; i < each; i++ {
				for holder != task {
					turns[task].Wait()
				}
				passed++
				holder = (task + 1) % tasks
				turns[holder].Signal()
			}
		})
		checkEqual("the number of times that the token was passed", passed, tasks*each)
		return seconds
	})
}

func counter(rq *request) {
	rq.choice("tuning", "default")
	tasks := rq.number("tasks", 1000)
	rounds := rq.number("rounds", 100)
	rq.checkAllRead()
	rq.sample("ns_per_op", tasks*rounds, func() time.Duration {
		ran := make([]int, tasks)
		missing := 0
		start := time.Now()
		for round := 1; round <= rounds; round++ {
			var done sync.WaitGroup
			done.Add(tasks)
			for i := 0; i < tasks; i++ {
				go func(task int) {
					ran[task]++
					done.Done()
				}(i)
			}
			done.Wait()
			if ran[tasks-1] != round {
				missing++
			}
		}
		seconds := time.Since(start)
		checkEqual("the number of waits that ended early", missing, 0)
		for _, times := range ran {
			checkEqual("the number of times that a task ran", times, rounds)
		}
		return seconds
	})
}
