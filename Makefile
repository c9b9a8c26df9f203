# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The short commands: each calls CMake's presets (CMakePresets.json) or a script; `make help` lists them.
JOBS ?= $(shell nproc)
BENCH ?=

.PHONY: build test test-long bench demo debug tsan asan boost lto aarch64 format tidy clean help
.DEFAULT_GOAL := build

help:            ## this list
	@sed -n 's/^\([a-z0-9 -]*\):.*## \(.*\)/  make \1	\2/p' Makefile | expand -t 20

build:           ## build everything into build/release (installs nothing; scripts/install-dependencies.sh does)
	cmake --preset release
	cmake --build --preset release -j $(JOBS)

test:            ## install what is missing, build, run the quick tests
	scripts/install-dependencies.sh build programs test
	$(MAKE) build
	ctest --preset release -j $(JOBS)

test-long:       ## as test, with the long ones only
	scripts/install-dependencies.sh build programs test aarch64
	-scripts/aarch64-root.sh
	$(MAKE) build
	ctest --preset long -j $(JOBS)

bench:           ## the benchmarks beside their peers; BENCH="fib --json" chooses
	scripts/install-dependencies.sh build programs bench
	$(MAKE) build
	cmake --build --preset release --target hkbench-hocket-uncounted
	build/release/tools/hocket bench $(BENCH)

demo:            ## sort a real text of 100 MB, beside sort(1)
	scripts/install-dependencies.sh build programs
	$(MAKE) build
	scripts/demo.sh

debug:           ## build into build/debug
	cmake --preset debug
	cmake --build --preset debug -j $(JOBS)

# The variants build only the library and the tests labelled kernel. TEST=no stops before running them.
tsan asan:       ## (each) the kernel tests under ThreadSanitizer / AddressSanitizer (clang)
	scripts/install-dependencies.sh build test sanitizers
	clang=$$(scripts/find-clang.sh) && \
	  cmake --preset $@ -DCMAKE_CXX_COMPILER=$$clang -DCMAKE_C_COMPILER=$$(echo $$clang | tr -d +)
	cmake --build --preset $@ -j $(JOBS)
	$(if $(filter no,$(TEST)),,ctest --preset $@ -j $(JOBS))

boost lto:       ## (each) the kernel tests with Boost.Context / (the core of them) with LTO
	scripts/install-dependencies.sh build test $(filter boost,$@)
	cmake --preset $@
	cmake --build --preset $@ -j $(JOBS)
	$(if $(filter no,$(TEST)),,ctest --preset $@ -j $(JOBS))

aarch64:         ## the kernel tests cross-compiled for 64-bit ARM, under qemu
	scripts/install-dependencies.sh build test aarch64
	scripts/aarch64-root.sh
	cmake --preset aarch64
	cmake --build --preset aarch64 -j $(JOBS)
	$(if $(filter no,$(TEST)),,ctest --preset aarch64 -j $(JOBS))

format:          ## clang-format over our sources
	scripts/format.sh

tidy:            ## clang-tidy over src/ (build first)
	scripts/tidy.sh

clean:           ## remove build/
	rm -rf build
