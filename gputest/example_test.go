package gputest_test

import (
	"context"
	"fmt"
	"log"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
)

// failing replaces a *testing.T in the example: it prints why the test fails.
type failing struct {
	testing.TB
	cleanup []func()
}

func (t *failing) Helper()                           {}
func (t *failing) Cleanup(f func())                  { t.cleanup = append(t.cleanup, f) }
func (t *failing) Errorf(format string, args ...any) { fmt.Printf("the test fails: "+format, args...) }

func (t *failing) end() {
	for _, f := range slices.Backward(t.cleanup) {
		f()
	}
}

// The kernel reverses 64 numbers through shared memory, and here it is told to leave out the
// barrier. Its result may well be right: the test fails all the same.
func Example() {
	t := new(failing)
	defer t.end()

	dev := gputest.Device(t) // in a test, t is its *testing.T
	module, err := dev.Load("testdata/reverse.ptx", reversePTX)
	if err != nil {
		log.Fatal(err)
	}
	reverse, err := module.Kernel("reverse")
	if err != nil {
		log.Fatal(err)
	}
	out, err := gridstride.Make[int32](dev, 64)
	if err != nil {
		log.Fatal(err)
	}
	defer out.Free()
	s := dev.Stream()
	if err := reverse.Launch(s, gridstride.Grid(1).Block(64), out, int32(0)); err != nil {
		log.Fatal(err)
	}
	if err := s.Wait(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// the test fails: the checks found:
	//
	// RACE  write/read, shared memory, no barrier between           kernel reverse, grid 1x1x1, block 64x1x1
	//   s[31]  unsigned, bytes 124..127 of 256                      declared reverse.cu:5
	//   write  thread (31,0,0) block (0,0,0) warp 0   reverse.cu:5:2    s[t] = t;             value 31
	//   read   thread (32,0,0) block (0,0,0) warp 1   reverse.cu:7:2    out[t] = s[63 - t];   saw 31, order not guaranteed
	//   why    the two threads are in different warps; only a block barrier orders them
	//   fix    __syncthreads() between reverse.cu:5 and reverse.cu:7
	//   seen   64 times, s[0..63]; every order gives this verdict      launched from example_test.go:51
}
