//go:build linux

package perf

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gridstride/gridstride/internal/cuda"
)

// cublas is cuBLAS, loaded from where it is found.
type cublas struct {
	path   string
	lib    uintptr
	handle uintptr
}

// openCUBLAS loads the library and makes a handle; the calling thread has a context.
func openCUBLAS() (*cublas, error) {
	paths := []string{"libcublas.so.13", "libcublas.so.12"}
	for _, pattern := range []string{
		"/usr/local/cuda*/lib64/libcublas.so.1?",
		"/usr/local/cuda*/targets/*/lib/libcublas.so.1?",
		"/opt/*/.venv/lib/python3*/site-packages/nvidia/*/lib/libcublas.so.1?",
		"/usr/lib/python3*/site-packages/nvidia/*/lib/libcublas.so.1?",
	} {
		found, _ := filepath.Glob(pattern) // the pattern is well formed
		paths = append(paths, found...)
	}
	var first error
	for _, path := range paths {
		lib, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		c := &cublas{path: path, lib: lib}
		return c, c.call("cublasCreate_v2", uintptr(unsafe.Pointer(&c.handle)))
	}
	return nil, fmt.Errorf("no cuBLAS: %w", first)
}

// call calls a function of the library that returns a cublasStatus_t.
//
//go:uintptrescapes
func (c *cublas) call(name string, args ...uintptr) error {
	f, err := purego.Dlsym(c.lib, name)
	if err != nil {
		return err
	}
	if status, _, _ := purego.SyscallN(f, args...); status != 0 {
		return fmt.Errorf("%s: status %d", name, status)
	}
	return nil
}

// BenchmarkCUBLAS is cublasSdot over the vectors of BenchmarkDot, in the same process and by the same clock, and beside it a copy within the
// device, whose bytes are counted twice.
func BenchmarkCUBLAS(b *testing.B) {
	driver, err := cuda.Open()
	if err != nil {
		b.Skipf("needs a GPU: %v", err)
	}
	ctx, err := driver.Retain(0)
	must(b, err)
	defer ctx.Release()
	runtime.LockOSThread() // which the context becomes current on with the first call
	defer runtime.UnlockOSThread()
	s, err := ctx.NewStream()
	must(b, err)
	lib, err := openCUBLAS()
	if err != nil {
		b.Skip(err)
	}
	b.Logf("cuBLAS from %s", lib.path)
	host1, host2 := vectors(bigN)
	want, size := reference(host1, host2)
	x, y := onDevice(b, ctx, s, host1), onDevice(b, ctx, s, host2)
	out := onDevice(b, ctx, s, []float32{0})
	const devicePointers = 1
	must(b, lib.call("cublasSetStream_v2", lib.handle, uintptr(s)))
	must(b, lib.call("cublasSetPointerMode_v2", lib.handle, devicePointers))

	b.Run("Sdot", func(b *testing.B) {
		timeOn(b, ctx, s, 2*4*bigN, func() error {
			return lib.call("cublasSdot_v2", lib.handle, bigN, uintptr(x), 1, uintptr(y), 1, uintptr(out))
		})
		got := make([]float32, 1)
		must(b, ctx.CopyOut(floatBytes(got), out, s))
		must(b, ctx.WaitStream(context.Background(), s))
		if math.Abs(float64(got[0])-want) > 1e-6*size {
			b.Errorf("%v, want %v", got[0], want)
		}
	})
	b.Run("device-copy", func(b *testing.B) {
		timeOn(b, ctx, s, 2*4*bigN, func() error { return ctx.Copy(y, x, 4*bigN, s) })
	})
	for _, p := range []cuda.DevicePtr{x, y, out} {
		must(b, ctx.Free(p))
	}
	must(b, lib.call("cublasDestroy_v2", lib.handle))
}

// onDevice copies to new device memory.
func onDevice(b *testing.B, ctx *cuda.Context, s cuda.Stream, host []float32) cuda.DevicePtr {
	p, err := ctx.Alloc(int64(4 * len(host)))
	must(b, err)
	must(b, ctx.CopyIn(p, floatBytes(host), s))
	must(b, ctx.WaitStream(context.Background(), s))
	return p
}

func floatBytes(s []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), 4*len(s))
}

// timeOn measures work on a stream by events.
func timeOn(b *testing.B, ctx *cuda.Context, s cuda.Stream, bytes float64, work func() error) {
	start, err := ctx.NewEvent()
	must(b, err)
	end, err := ctx.NewEvent()
	must(b, err)
	must(b, work()) // the first call sets things up
	var times []time.Duration
	for b.Loop() {
		must(b, ctx.Record(start, s))
		must(b, work())
		must(b, ctx.Record(end, s))
		must(b, ctx.WaitEvent(context.Background(), end))
		t, err := ctx.Elapsed(start, end)
		must(b, err)
		times = append(times, t)
	}
	slices.Sort(times)
	report(b, times, bytes)
	must(b, ctx.DestroyEvent(start))
	must(b, ctx.DestroyEvent(end))
}
