// Package helper has device functions that package calls calls: what vet knows of them there are facts.
package helper

import "github.com/gridstride/gridstride/gpu"

// Wait has a barrier.
func Wait() { gpu.SyncThreads() }

// WaitIf has a barrier that an argument decides on.
func WaitIf(n int) {
	if n > 0 {
		Wait()
	}
}

// Hangs has one that it decides on itself.
func Hangs() {
	if gpu.ThreadIdx.X == 0 {
		Wait() // want "^this call, which comes to gpu.SyncThreads \\(helper.go:7\\), is inside `if gpu.ThreadIdx.X == 0`"
	}
}

// Index is different for each thread.
func Index() (tid, size int) { return gpu.ThreadIdx.X, gpu.BlockDim.X }

// Both is made of its arguments.
func Both(a, b int) int { return a*2 + b }

// Fill writes through a pointer.
func Fill(to *int) { *to = gpu.ThreadIdx.X }

// Down shuffles with the mask that it is given.
func Down(mask uint32, v int32) int32 { return gpu.ShflDownSync(mask, v, 1) }

// Each calls f for the elements of the thread.
func Each(n int, f func(i int)) {
	for i := range gpu.GridStride(n) {
		f(i)
	}
}

// Times calls f n times.
func Times(n int, f func(i int)) {
	for i := range n {
		f(i)
	}
}

// Buffer has shared memory.
func Buffer[T any](v T) T {
	buffer := gpu.Shared[[1024]T]()
	buffer[gpu.ThreadIdx.X] = v
	gpu.SyncThreads()
	return buffer[0]
}
