// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binding a thread to a core, which Go's library does not offer (Linux).
package main

import (
	"syscall"
	"unsafe"
)

type cpuMask [1024 / 64]uint64

// allowed is the mask of the process when it began.
var allowed = currentMask()

func currentMask() (mask cpuMask) {
	syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(mask), uintptr(unsafe.Pointer(&mask)))
	return mask
}

// bindThread binds the calling thread to the n-th core of those allowed, counted around. A refusal only makes
// the figure noisier.
func bindThread(n int) {
	var cpus []int
	for cpu := 0; cpu < len(allowed)*64; cpu++ {
		if allowed[cpu/64]&(1<<(cpu%64)) != 0 {
			cpus = append(cpus, cpu)
		}
	}
	if len(cpus) == 0 {
		return
	}
	cpu := cpus[n%len(cpus)]
	var mask cpuMask
	mask[cpu/64] = 1 << (cpu % 64)
	syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(mask), uintptr(unsafe.Pointer(&mask)))
}
