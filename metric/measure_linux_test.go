package metric

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gridstride/gridstride/blas"
)

var measure = flag.Bool("measure", false, "measure sums over memory beside each other, and two cores beside one")

// TestMeasure measures functions that read two vectors of 2^22 float64 from memory, and products,
// in turn, each on one core and on two. A rest before each round gives the process its turn on a
// shared machine, and a call that does not count fills the caches. The best call counts. The time
// on one core is the process's time, so that other processes count less.
func TestMeasure(t *testing.T) {
	if !*measure {
		t.Skip("-measure is not given")
	}
	const n = 1 << 22
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], y[i] = rand.Float64()-0.5, rand.Float64()-0.5
	}
	var result float64
	type way struct {
		name string
		run  func()
	}
	ways := []way{
		{"Dot", func() { result = blas.Dot(x, y) }},
		{"DotExact", func() { result = blas.DotExact(x, y) }},
		{"MSE", func() { result = MSE(x, y) }},
		{"CosineSimilarity", func() { result = CosineSimilarity(x, y) }},
		{"DotReproducible", func() { result = blas.DotReproducible(x, y) }},
	}
	for _, n := range []int{512, 1024, 2048} {
		ways = append(ways, way{fmt.Sprint("Sgemm ", n), product[float32](n)}, way{fmt.Sprint("Dgemm ", n), product[float64](n)})
	}
	best, own := make([][3]float64, len(ways)), make([]float64, len(ways))
	shorter := func(least *float64, took float64) {
		if *least == 0 || took < *least {
			*least = took
		}
	}
	for range 40 {
		for i, w := range ways {
			for cores := 1; cores <= 2; cores++ {
				before := runtime.GOMAXPROCS(cores)
				time.Sleep(10 * time.Millisecond)
				w.run()
				for range 3 {
					start, ownStart := time.Now(), cpuTime()
					w.run()
					shorter(&best[i][cores], time.Since(start).Seconds())
					if cores == 1 {
						shorter(&own[i], cpuTime()-ownStart)
					}
				}
				runtime.GOMAXPROCS(before)
			}
		}
	}
	for i, w := range ways {
		fmt.Printf("%-18s %8.3f ms on one core; %5.3f times as fast on two", w.name, own[i]*1e3, best[i][1]/best[i][2])
		if !strings.Contains(w.name, "gemm") {
			fmt.Printf("; %5.3f of Dot's speed", own[0]/own[i])
		}
		fmt.Println()
	}
	if result != result {
		t.Errorf("the last result is %v", result)
	}
}

// product multiplies two square matrices.
func product[T blas.Float](n int) func() {
	matrix := func() blas.Matrix[T] {
		m := blas.MatrixOf[T](n, n, nil)
		for i := range m.Data {
			m.Data[i] = T(rand.Float64() - 0.5)
		}
		return m
	}
	a, b, c := matrix(), matrix(), matrix()
	return func() { blas.Gemm(blas.NoTrans, blas.NoTrans, 1, a, b, 0, c) }
}

// cpuTime is the seconds of processor time that the process has used.
func cpuTime() float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return float64(t.Nano()) / 1e9
}
