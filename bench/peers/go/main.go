// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hkbench-go: the sync layer's benchmarks on Go's goroutines, channels and package sync. This file has the
// command line and the rows, which are those of bench/common/harness.hpp.
package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

const variant = "go"

// exit ends the program: 1 a result was wrong, 2 bad usage.
func exit(code int, message string) {
	os.Stderr.WriteString("hkbench-go: " + message + "\n")
	os.Exit(code)
}

type param struct{ key, value string }

// request is what one invocation asks for; parameters that were read become the params of every row.
type request struct {
	bench     string
	threads   int
	samples   int
	given     []param
	effective []param
}

func count(option, text string) int {
	value, err := strconv.Atoi(text)
	if err != nil || value < 1 || value > 65536 {
		exit(2, option+" takes a number from 1 to 65536, not '"+text+"'")
	}
	return value
}

func parse(arguments []string) *request {
	rq := &request{bench: arguments[0], threads: 1, samples: 1}
	for i := 1; i < len(arguments); i += 2 {
		if i+1 == len(arguments) {
			exit(2, "option "+arguments[i]+" needs a value")
		}
		value := arguments[i+1]
		switch arguments[i] {
		case "--threads":
			rq.threads = count("--threads", value)
		case "--samples":
			rq.samples = count("--samples", value)
		case "--param":
			at := strings.IndexByte(value, '=')
			if at < 0 {
				exit(2, "--param takes KEY=VALUE, not '"+value+"'")
			}
			rq.given = append(rq.given, param{value[:at], value[at+1:]})
		default:
			exit(2, "unknown option "+arguments[i]+"; there are --threads, --samples and --param")
		}
	}
	rq.effective = []param{{"threads", strconv.Itoa(rq.threads)}}
	return rq
}

func (rq *request) find(key, fallback string) string {
	for _, p := range rq.given {
		if p.key == key {
			return p.value
		}
	}
	return fallback
}

// choice is a parameter that takes one of a few words; the first of them is its default.
func (rq *request) choice(key string, words ...string) string {
	value := rq.find(key, words[0])
	for _, word := range words {
		if value == word {
			rq.effective = append(rq.effective, param{key, value})
			return value
		}
	}
	exit(2, "parameter "+key+" of "+rq.bench+" cannot be '"+value+"'; it can be "+strings.Join(words, " "))
	return ""
}

// number is an integer parameter from 1 on.
func (rq *request) number(key string, fallback int) int {
	text := rq.find(key, strconv.Itoa(fallback))
	value, err := strconv.Atoi(text)
	if err != nil || value < 1 || value > 1000000000 {
		exit(2, "parameter "+key+" of "+rq.bench+" takes a number from 1 to 1000000000, not '"+text+"'")
	}
	rq.effective = append(rq.effective, param{key, strconv.Itoa(value)})
	return value
}

// checkAllRead refuses parameters that this benchmark does not have.
func (rq *request) checkAllRead() {
	for _, p := range rq.given {
		known := false
		for _, read := range rq.effective {
			known = known || read.key == p.key
		}
		if !known {
			exit(2, "benchmark "+rq.bench+" of go has no parameter "+p.key)
		}
	}
}

// row prints one measured value as one JSON object on a line of its own.
func (rq *request) row(metric string, value float64) {
	var params []string
	for _, p := range rq.effective {
		text := p.value
		if _, err := strconv.Atoi(text); err != nil {
			text = strconv.Quote(text)
		}
		params = append(params, strconv.Quote(p.key)+":"+text)
	}
	os.Stdout.WriteString(`{"bench":"` + rq.bench + `","variant":"` + variant + `","params":{` +
		strings.Join(params, ",") + `},"metric":"` + metric + `","unit":"ns","value":` +
		strconv.FormatFloat(value, 'g', 6, 64) + "}\n")
}

// sample runs the body once to warm up, then once per sample, and prints nanoseconds per operation.
func (rq *request) sample(metric string, operations int, body func() time.Duration) {
	body()
	for i := 0; i < rq.samples; i++ {
		rq.row(metric, float64(body().Nanoseconds())/float64(operations))
	}
}

func checkEqual(what string, got, expected int) {
	if got != expected {
		exit(1, what+" is "+strconv.Itoa(got)+", but should be "+strconv.Itoa(expected))
	}
}

func main() {
	benches := []struct {
		name string
		run  func(*request)
	}{
		{"feb", feb}, {"sync", syncPair}, {"mutex", mutex}, {"channel", channel},
		{"barrier", barrier}, {"condition", condition}, {"counter", counter},
	}
	usage := "usage: hkbench-go NAME [--threads T] [--samples N] [--param KEY=VALUE]...\n" +
		"Prints one JSON object per sample and metric. NAME is one of:"
	for _, b := range benches {
		usage += " " + b.name
	}
	usage += "\nExit codes: 0 measured, 1 a result was wrong, 2 bad usage.\n"
	if len(os.Args) < 2 {
		os.Stderr.WriteString(usage)
		os.Exit(2)
	}
	if os.Args[1] == "--help" || os.Args[1] == "-h" {
		os.Stdout.WriteString(usage)
		return
	}
	rq := parse(os.Args[1:])
	runtime.GOMAXPROCS(rq.threads)
	for _, b := range benches {
		if b.name == rq.bench {
			b.run(rq)
			return
		}
	}
	exit(2, "there is no benchmark '"+rq.bench+"' here; see --help")
}
