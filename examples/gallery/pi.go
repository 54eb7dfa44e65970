package main

import (
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	"github.com/gridstride/gridstride/gpu/rand"
)

var piExhibit = exhibit{
	name: "pi", file: "pi.go", size: 2000, show: showPi,
	algorithm: "π from random points, by Monte Carlo",
	shows:     "`gpu/rand`, a stream for each sample, an atomic for each block",
}

// points is how many points a sample draws.
const points = 100

// Pi counts the random points of all samples that are in the circle: J. Hammersley and D.
// Handscomb, "Monte Carlo Methods", 1964. Each sample has a separate stream, so the count does not
// depend on the grid. count is 0 before.
//
//gpu:kernel block=256
func Pi(seed uint64, samples int, count []uint64) {
	var inside uint64
	for i := range gpu.GridStride(samples) {
		inside += sample(seed, uint64(i))
	}
	inside = collective.BlockSum(inside)
	if gpu.ThreadIdx.X == 0 {
		gpu.AtomicAdd(&count[0], inside)
	}
}

// sample is the number of points of a stream that are in the circle. It is for both sides.
func sample(seed, stream uint64) (inside uint64) {
	r := rand.New(seed, stream)
	for range points {
		x, y := r.Float32(), r.Float32()
		if gpu.FMA(x, x, float32(y*y)) < 1 {
			inside++
		}
	}
	return inside
}

// piOnHost is Pi's twin.
func piOnHost(seed uint64, samples int) (inside uint64) {
	for i := range samples {
		inside += sample(seed, uint64(i))
	}
	return inside
}

func showPi(v *visit, samples int) {
	const seed = 1
	v.input = fmt.Sprintf("%d samples of %d points", samples, points)
	count := copyOf(v, []uint64{0})
	kernel := load(v, LoadPi)
	v.launch(func() error { return kernel.Launch(v.stream, gridstride.Grid(16), seed, samples, count) })
	for _, inside := range compare(v, "count", count, []uint64{piOnHost(seed, samples)}) {
		v.result = fmt.Sprintf("π is about %.4f", 4*float64(inside)/float64(max(samples*points, 1)))
	}
}
