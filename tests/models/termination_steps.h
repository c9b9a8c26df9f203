// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model of the end of a run: steps of the workers and of threads that are none.
#pragma once
#include "termination.h"

namespace models::ending {

template <class E>
void termination::worker_steps(const state& s, int w, E emit) const {
  const auto step = [&](const char* what, auto change) {
    state n = s;
    change(n, n.thread[w]);
    emit(n, w, what);
  };
  const auto me = s.thread[w];
  const bool full = s.shared.full(w, capacity);
  switch (me.pc) {
    case at::run:
      if (s.born < how_.tasks) {
        step("spawn", [&](state& n, auto& m) {
          m.other = n.born++;
          n.tasks[m.other] = made;
          if (n.is_closed != 0) n.broken_promise = born_after_close;
          go(m, how_.push_before_count ? at::spawn_push : at::spawn_count);
        });
        if (how_.end_before_spawns)
          step("finished.publish(), too early", [&](state& n, auto& m) {
            if (full) return;
            n.shared.store(w, finished0 + w, load(n, w, finished0 + w) + 1, true);
            m.other = n.born++;
            n.tasks[m.other] = made;
            m.seen = 1;
            go(m, at::spawn_count);
          });
      }
      step("the task ends", [&](state&, auto& m) { go(m, m.task == 0 ? at::end_main : at::end_finish); });
      break;
    case at::spawn_count:
      if (!full)
        step("spawned.publish()", [&](state& n, auto& m) {
          n.shared.store(w, made0 + w, load(n, w, made0 + w) + 1, true);
          go(m, how_.push_before_count ? at::wake : at::spawn_push);
          if (how_.push_before_count) m.next = at::run, m.other = 0;
        });
      break;
    case at::spawn_push:
      if (!full)
        step("push_virtual", [&](state& n, auto& m) {
          n.shared.store(w, queued0 + m.other, 1, true);
          go(m, how_.push_before_count ? at::spawn_count : at::wake);
          if (!how_.push_before_count) m.next = at::run, m.other = 0;
        });
      break;
    case at::wake:
      step("wake_one", [&](state& n, auto& m) {
        if (wake_next(n, w, false)) go(m, m.next);
      });
      break;
    case at::end_main:
      if (!full)
        step("main_done.store(true, release)", [&](state& n, auto& m) {
          n.shared.store(w, main_done, 1, true);
          go(m, at::end_finish);
        });
      break;
    case at::end_finish:
      step("finish: the descriptor is done", [&](state& n, auto& m) {
        n.shared.drain(w);
        n.tasks[m.task] = ended;
        m.task = 0;
        go(m, m.seen != 0 ? at::idle : at::end_count);
        m.seen = 0;
      });
      break;
    case at::end_count:
      if (!full)
        step("finished.publish()", [&](state& n, auto& m) {
          n.shared.store(w, finished0 + w, load(n, w, finished0 + w) + 1, !how_.ends_relaxed);
          go(m, at::idle);
        });
      break;
    case at::idle:
      for (int k = 0; k < how_.tasks; ++k) {
        if (load(s, w, queued0 + k) != 1) continue;
        step("takes a task", [&](state& n, auto& m) {
          std::uint8_t& word = rmw(n, w, queued0 + k);
          if (word != 1) return;
          word = 2;
          if (n.tasks[k] != made) n.broken_promise = twice;
          n.tasks[k] = running;
          m.task = static_cast<std::uint8_t>(k);
          go(m, at::run);
        });
      }
      if (load(s, w, stopping) != 0)
        step("stopping: leaves", [&](state&, auto& m) { go(m, w == 0 ? at::last_clear : at::left); });
      else
        step("asleep.store(1, seq_cst)", [&](state& n, auto& m) {
          rmw(n, w, asleep0 + w) = 1;
          go(m, at::fence);
        });
      break;
    case at::fence:
      step("heavy_fence", [&](state& n, auto& m) {
        n.shared.drain_all();
        go(m, how_.no_second_look ? at::look_main : at::look);
      });
      break;
    case at::look:
      step("anything_to_do: a queue", [&](state& n, auto& m) {
        if (load(n, w, queued0 + m.index) == 1) return go(m, at::lower);
        if (++m.index == how_.tasks) go(m, at::look_stop);
      });
      break;
    case at::look_stop:
      step("anything_to_do: stopping", [&](state& n, auto& m) {
        go(m, load(n, w, stopping) != 0 ? at::lower : how_.no_main_done ? at::close_foreign : at::look_main);
      });
      break;
    case at::look_main:
      step("main_done.load(acquire)", [&](state& n, auto& m) {
        go(m,
           load(n, w, main_done) != 0 ? how_.foreign_last ? at::close_ends : at::close_foreign : at::sleep);
      });
      break;
    case at::close_foreign:
    case at::close_foreign_late:
      step("close: foreign_made.load", [&](state& n, auto& m) {
        m.seen = load(n, w, foreign_made);
        if ((m.seen & 1) != 0) {
          m.seen = m.sum = 0;
          return go(m, at::sleep);
        }
        go(m, how_.foreign_last ? at::close_cas : how_.makings_first ? at::close_makings : at::close_ends);
      });
      break;
    case at::close_ends:
      step("close: finished.observe()", [&](state& n, auto& m) {
        m.sum = static_cast<std::uint8_t>(m.sum + load(n, w, finished0 + m.index));
        if (++m.index == how_.workers)
          go(m, !how_.makings_first ? at::close_makings
                : how_.foreign_last ? at::close_foreign_late
                                    : at::close_cas);
      });
      break;
    case at::close_makings:
      step("close: made.observe()", [&](state& n, auto& m) {
        m.sum = static_cast<std::uint8_t>(m.sum - load(n, w, made0 + m.index));
        if (++m.index == how_.workers)
          go(m, how_.makings_first  ? at::close_ends
                : how_.foreign_last ? at::close_foreign_late
                                    : at::close_cas);
      });
      break;
    case at::close_cas:
      step("close: CAS(foreign_made, closed)", [&](state& n, auto& m) {
        const bool equal = static_cast<std::uint8_t>(m.sum - m.seen / 2) == 0;
        const std::uint8_t seen = m.seen;
        m.sum = 0;
        if (!equal || !how_.close_by_store) m.seen = 0;
        if (!equal) return go(m, at::sleep);
        if (how_.close_by_store) return go(m, at::close_store);
        std::uint8_t& word = rmw(n, w, foreign_made);
        if (word != seen && !how_.close_by_or) return go(m, at::sleep);
        word |= 1;
        check_closed(n);
        go(m, at::stop);
      });
      break;
    case at::close_store:
      step("close: foreign_made.store(closed)", [&](state& n, auto& m) {
        rmw(n, w, foreign_made) = m.seen | 1;
        m.seen = 0;
        check_closed(n);
        go(m, at::stop);
      });
      break;
    case at::stop:
      step("stop: stopping.store(true, seq_cst)", [&](state& n, auto& m) {
        rmw(n, w, stopping) = 1;
        go(m, at::wake_all);
      });
      break;
    case at::wake_all:
      step("stop: wakes the sleepers", [&](state& n, auto& m) {
        if (wake_next(n, w, true)) go(m, at::lower);
      });
      break;
    case at::lower:
      step("need not sleep: asleep.exchange(0)", [&](state& n, auto& m) {
        rmw(n, w, asleep0 + w) = 0;
        go(m, at::idle);
      });
      break;
    case at::sleep:
      if (load(s, w, asleep0 + w) == 0) step("woken", [&](state&, auto& m) { go(m, at::idle); });
      break;
    case at::last_clear: {
      for (int v = 1; v < how_.workers; ++v)
        if (s.thread[v].pc != at::left) return;
      step("the threads are joined; the_kernel.store(null, seq_cst)", [&](state& n, auto& m) {
        rmw(n, w, kernel_set) = 0;
        go(m, at::last_wait);
      });
      break;
    }
    case at::last_wait:
      if (load(s, w, visitors) == 0)
        step("no visitors: the kernel is freed", [&](state& n, auto& m) {
          n.is_freed = 1;
          for (int k = 0; k < how_.tasks; ++k)
            if (n.tasks[k] == running || (n.tasks[k] == made && load(n, w, queued0 + k) == 1))
              n.broken_promise = lost_task;
          go(m, at::left);
        });
      break;
    default:
      break;
  }
}

template <class E>
void termination::thread_steps(const state& s, int t, E emit) const {
  const auto step = [&](const char* what, auto change) {
    state n = s;
    change(n, n.thread[t]);
    emit(n, t, what);
  };
  const auto refuse = [](state& n, auto& m) {
    if (m.task != 0) n.tasks[m.task] = refused_task;
    go(m, at::leave);
    m.task = 0;
  };
  switch (s.thread[t].pc) {
    case at::visit:
      if (how_.visit_after_look)
        return step("visit: reads the_kernel", [&](state& n, auto& m) {
          go(m, load(n, t, kernel_set) != 0 ? at::visit_late : at::done);
        });
      step("visit: visitors.fetch_add(1)", [&](state& n, auto& m) {
        if (!how_.no_visit) ++rmw(n, t, visitors);
        go(m, at::look_kernel);
      });
      break;
    case at::visit_late:
      step("visit: visitors.fetch_add(1)", [&](state& n, auto& m) {
        ++rmw(n, t, visitors);
        go(m, how_.inject_first ? at::inject : at::admit);
      });
      break;
    case at::look_kernel:
      step("visit: the_kernel.load", [&](state& n, auto& m) {
        if (load(n, t, kernel_set) == 0) return refuse(n, m);
        go(m, how_.inject_first ? at::inject : at::admit);
      });
      break;
    case at::admit:
      step("admit_foreign: fetch_add", [&](state& n, auto& m) {
        touch(n);
        std::uint8_t& word = rmw(n, t, foreign_made);
        word = static_cast<std::uint8_t>(word + 2);
        if ((word & 1) != 0) return refuse(n, m);
        if (how_.inject_first) {
          m.next = at::leave;
          return go(m, at::wake);
        }
        if (n.born < how_.tasks) {
          give_birth(n, m);
          go(m, at::inject);
        } else {  // the bound of the search: as if the thread had not come
          word = static_cast<std::uint8_t>(word - 2);
          go(m, at::leave);
        }
      });
      break;
    case at::inject:
      step("inject: CAS", [&](state& n, auto& m) {
        touch(n);
        if (how_.inject_first) {
          if (n.born >= how_.tasks) return go(m, at::leave);
          give_birth(n, m);
        }
        rmw(n, t, queued0 + m.task) = 1;
        if (!how_.inject_first) m.task = 0;
        m.next = at::leave;
        go(m, how_.inject_first ? at::admit : how_.no_wake ? at::leave : at::wake);
      });
      break;
    case at::wake:
      step("wake_one", [&](state& n, auto& m) {
        touch(n);
        if (!wake_next(n, t, false)) return;
        m.task = 0;
        go(m, m.next);
      });
      break;
    case at::leave:
      step("visit ends: visitors.fetch_sub(1)", [&](state& n, auto& m) {
        if (!how_.no_visit) --rmw(n, t, visitors);
        go(m, at::done);
      });
      break;
    default:
      break;
  }
}

}  // namespace models::ending
