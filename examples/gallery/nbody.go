package main

import (
	"fmt"

	"github.com/gridstride/gridstride/gpu"
)

var nbodyExhibit = exhibit{
	name: "nbody", file: "nbody.go", size: 500, show: showNBody,
	algorithm: "all pairs of bodies, in tiles, after Nyland, Harris and Prins",
	shows:     "tiles in shared memory, vectors of 16 bytes, two buffers in turn",
}

const (
	bodyBlock = 128
	steps     = 3
	softening = 1e-3 // keeps two bodies at one place from an infinite force
	timeStep  = 0.01
)

// Body is a place and a mass, and a speed.
type Body struct {
	At    gpu.Float32x4 // X, Y, Z and the mass
	Speed gpu.Float32x4
}

// NBody moves each body by one step in the field of all. A block takes the bodies that attract in
// tiles of one for each thread, which all its threads then read: L. Nyland, M. Harris and J. Prins,
// "Fast N-Body Simulation with CUDA", GPU Gems 3, 2007. Launch with a thread for each body.
//
//gpu:kernel block=128
func NBody(before, after []Body) {
	tile := gpu.Shared[[bodyBlock]gpu.Float32x4]()
	i := gpu.BlockIdx.X*bodyBlock + gpu.ThreadIdx.X
	var self Body
	if i < len(before) {
		self = before[i]
	}
	var pull gpu.Float32x4
	for first := 0; first < len(before); first += bodyBlock {
		if j := first + gpu.ThreadIdx.X; j < len(before) {
			tile[gpu.ThreadIdx.X] = before[j].At
		}
		gpu.SyncThreads()
		for j := range min(bodyBlock, len(before)-first) {
			pull = attract(pull, self.At, tile[j])
		}
		gpu.SyncThreads()
	}
	if i < len(before) {
		after[i] = self.step(pull)
	}
}

// attract adds the pull of one body on another. It is for both sides, as step is.
func attract(pull, self, other gpu.Float32x4) gpu.Float32x4 {
	x, y, z := other.X-self.X, other.Y-self.Y, other.Z-self.Z
	square := gpu.FMA(x, x, gpu.FMA(y, y, gpu.FMA(z, z, softening)))
	scale := other.W / (square * gpu.Sqrt(square))
	return gpu.Float32x4{X: gpu.FMA(x, scale, pull.X), Y: gpu.FMA(y, scale, pull.Y), Z: gpu.FMA(z, scale, pull.Z)}
}

// step is the body a step later.
func (b *Body) step(pull gpu.Float32x4) Body {
	const dt = timeStep
	faster := gpu.Float32x4{X: dt, Y: dt, Z: dt}.FMA(pull, b.Speed)
	return Body{At: gpu.Float32x4{X: dt, Y: dt, Z: dt}.FMA(faster, b.At), Speed: faster}
}

// nbodyOnHost is NBody's twin.
func nbodyOnHost(before []Body) (after []Body) {
	for _, self := range before {
		var pull gpu.Float32x4
		for _, other := range before {
			pull = attract(pull, self.At, other.At)
		}
		after = append(after, self.step(pull))
	}
	return after
}

func showNBody(v *visit, n int) {
	v.input = fmt.Sprintf("%d bodies, %d steps", n, steps)
	bodies := make([]Body, n)
	for i, x := range uniform[float32](4*n, -1, 1) {
		switch at := &bodies[i/4].At; i % 4 {
		case 0:
			at.X = x
		case 1:
			at.Y = x
		case 2:
			at.Z = x
		default:
			at.W = 1 + x/2
		}
	}
	before, after := copyOf(v, bodies), room[Body](v, n)
	kernel := load(v, LoadNBody)
	for range steps {
		v.launch(func() error { return kernel.Launch(v.stream, blocksFor(n, bodyBlock), before, after) })
		before, after = after, before
		bodies = nbodyOnHost(bodies)
	}
	compare(v, "body", before, bodies)
}
