package main

import (
	"fmt"
	"math"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

var kmeansExhibit = exhibit{
	name: "kmeans", file: "kmeans.go", size: 2000, show: showKMeans,
	algorithm: "Lloyd's k-means",
	shows:     "two kernels in turn, sums that do not depend on who comes first",
}

const (
	clusters = 7
	rounds   = 5
)

// Assign gives each point the number of the nearest centre: the first half of a round of S. Lloyd,
// "Least squares quantization in PCM", 1982. Of two centres as near, it takes the first.
//
//gpu:kernel block=256
func Assign(points, centres []gpu.Float32x2, cluster []int32) {
	for i := range gpu.GridStride(len(points)) {
		cluster[i] = nearest(points[i], centres)
	}
}

// nearest is the number of the centre nearest to a point. It is for both sides.
func nearest(p gpu.Float32x2, centres []gpu.Float32x2) (best int32) {
	least := float32(math.Inf(1))
	for c, centre := range centres {
		x, y := p.X-centre.X, p.Y-centre.Y
		if square := gpu.FMA(x, x, float32(y*y)); square < least {
			best, least = int32(c), square
		}
	}
	return best
}

// Update moves each centre into the middle of its points: the second half. A centre without points
// stays. Atomics would add the points in another order each time. Here block c adds cluster c's
// points in a fixed order. Launch with a block for each centre.
//
//gpu:kernel block=256
func Update(points []gpu.Float32x2, cluster []int32, centres []gpu.Float32x2) {
	var x, y, n float32
	for i := gpu.ThreadIdx.X; i < len(points); i += rowBlock {
		if int(cluster[i]) == gpu.BlockIdx.X {
			x += points[i].X
			y += points[i].Y
			n++
		}
	}
	x, y, n = collective.BlockSum(x), collective.BlockSum(y), collective.BlockSum(n)
	if gpu.ThreadIdx.X == 0 && n > 0 {
		centres[gpu.BlockIdx.X] = gpu.Float32x2{X: x / n, Y: y / n}
	}
}

// assignOnHost and updateOnHost are the twins.
func assignOnHost(points, centres []gpu.Float32x2) []int32 {
	cluster := make([]int32, len(points))
	for i, p := range points {
		cluster[i] = nearest(p, centres)
	}
	return cluster
}

func updateOnHost(points []gpu.Float32x2, cluster []int32, centres []gpu.Float32x2) {
	for c := range centres {
		var x, y, n [rowBlock]float32
		for i, p := range points {
			if int(cluster[i]) == c {
				x[i%rowBlock] += p.X
				y[i%rowBlock] += p.Y
				n[i%rowBlock]++
			}
		}
		if n := blockSum(n[:]); n > 0 {
			centres[c] = gpu.Float32x2{X: blockSum(x[:]) / n, Y: blockSum(y[:]) / n}
		}
	}
}

func showKMeans(v *visit, n int) {
	v.input = fmt.Sprintf("%d points, %d centres, %d rounds", n, clusters, rounds)
	hostPoints := make([]gpu.Float32x2, n)
	for i, x := range uniform[float32](n, -1, 1) { // some on a spiral
		hostPoints[i] = gpu.Float32x2{X: x, Y: x * float32(i%13)}
	}
	hostCentres := make([]gpu.Float32x2, clusters)
	for i := range hostCentres {
		hostCentres[i] = gpu.Float32x2{X: float32(i) / clusters, Y: float32(i)}
	}
	points, centres, cluster := copyOf(v, hostPoints), copyOf(v, hostCentres), room[int32](v, n)
	assign, update := load(v, LoadAssign), load(v, LoadUpdate)
	var hostCluster []int32
	for range rounds {
		v.launch(func() error { return assign.Launch(v.stream, gridstride.Grid(8), points, centres, cluster) })
		v.launch(func() error { return update.Launch(v.stream, gridstride.Grid(clusters), points, cluster, centres) })
		hostCluster = assignOnHost(hostPoints, hostCentres)
		updateOnHost(hostPoints, hostCluster, hostCentres)
	}
	compare(v, "point", cluster, hostCluster)
	compare(v, "centre", centres, hostCentres)
}
