package metric

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gridstride/gridstride/blas"
)

var measure = flag.Bool("measure", false, "measure sums over memory beside each other, and two cores beside one")

// TestMeasure measures what reads two vectors of 2^22 float64 from memory, and a product, by turns and
// each on one core and on two. A rest before each round gives the process its turn on a shared machine;
// the best round counts. The time of one core is that of the process, so that others count less.
func TestMeasure(t *testing.T) {
	if !*measure {
		t.Skip("-measure is not given")
	}
	const n = 1 << 22
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], y[i] = rand.Float64()-0.5, rand.Float64()-0.5
	}
	a, b, c := blas.NewMatrix(512, 512, x[:512*512]), blas.NewMatrix(512, 512, y[:512*512]), blas.NewMatrix[float64](512, 512, nil)
	var result float64
	ways := []struct {
		name string
		run  func()
	}{
		{"Dot", func() { result = blas.Dot(x, y) }},
		{"DotExact", func() { result = blas.DotExact(x, y) }},
		{"MSE", func() { result = MSE(x, y) }},
		{"CosineSimilarity", func() { result = CosineSimilarity(x, y) }},
		{"DotReproducible", func() { result = blas.DotReproducible(x, y) }},
		{"Gemm 512", func() { blas.Gemm(blas.NoTrans, blas.NoTrans, 1, a, b, 0, c) }},
	}
	best, own := make([][3]float64, len(ways)), make([]float64, len(ways))
	shorter := func(least *float64, took float64) {
		if *least == 0 || took < *least {
			*least = took
		}
	}
	for range 80 {
		for i, w := range ways {
			for cores := 1; cores <= 2; cores++ {
				before := runtime.GOMAXPROCS(cores)
				time.Sleep(10 * time.Millisecond)
				start, ownStart := time.Now(), cpuTime()
				w.run()
				shorter(&best[i][cores], time.Since(start).Seconds())
				if cores == 1 {
					shorter(&own[i], cpuTime()-ownStart)
				}
				runtime.GOMAXPROCS(before)
			}
		}
	}
	for i, w := range ways {
		fmt.Printf("%-18s %8.3f ms on one core, %5.3f of Dot's speed; %5.3f times as fast on two\n",
			w.name, own[i]*1e3, own[0]/own[i], best[i][1]/best[i][2])
	}
	if result != result {
		t.Errorf("the last result is %v", result)
	}
}

// cpuTime is the seconds of processor time that the process has used.
func cpuTime() float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return float64(t.Nano()) / 1e9
}
