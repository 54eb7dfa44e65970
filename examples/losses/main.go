// Losses computes the mean squared error, the cosine similarity and the squared norm of two vectors
// in one pass over them, on a GPU, or on the simulator if there is none, and then shows the effect
// of the order of additions on a sum.
//
//	go run ./examples/losses -n 1000000
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/metric"
)

func main() {
	n := flag.Int("n", 100_000, "`elements` of the vectors, at least 1")
	flag.Parse()
	if *n < 1 {
		log.Fatalf("-n is %d: the mean of no elements is not a number", *n)
	}
	if err := run(context.Background(), *n, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run computes the losses of a prediction that is off by a little, and compares them with package
// metric's.
func run(ctx context.Context, n int, w io.Writer) error {
	r := rand.New(rand.NewPCG(1, 2))
	target, prediction := make([]float32, n), make([]float32, n)
	for i := range target {
		target[i] = r.Float32()
		prediction[i] = target[i] + 0.1*float32(r.NormFloat64())
	}
	xy, xx, yy, dd, err := onePass(ctx, target, prediction)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "MSE           %.6f   package metric: %.6f\n", dd/float64(n), metric.MSE(target, prediction))
	fmt.Fprintf(w, "cosine        %.6f   package metric: %.6f\n", xy/math.Sqrt(xx*yy),
		metric.CosineSimilarity(target, prediction))
	fmt.Fprintf(w, "squared norm  %.6g   package metric: %.6g\n", yy, metric.SquaredNorm(prediction))
	cancel(w)
	return nil
}

// onePass computes the four sums on a device.
func onePass(ctx context.Context, x, y []float32) (xy, xx, yy, dd float64, err error) {
	dev, err := gridstride.Open()
	if err != nil {
		return 0, 0, 0, 0, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	a, errA := gridstride.CopyOf(dev, x)
	defer a.Free()
	b, errB := gridstride.CopyOf(dev, y)
	defer b.Free()
	const blocks = 64
	out, errOut := gridstride.Make[float32](dev, sums*blocks)
	defer out.Free()
	kernel, errLoad := LoadSums(dev)
	if err := errors.Join(errA, errB, errOut, errLoad); err != nil {
		return 0, 0, 0, 0, err
	}
	if err := kernel.Launch(dev.Stream(), gridstride.Grid(blocks), a, b, out); err != nil {
		return 0, 0, 0, 0, err
	}
	shares, err := out.Read(ctx, dev.Stream(), nil)
	for i := 0; i < len(shares); i += sums {
		xy += float64(shares[i])
		xx += float64(shares[i+1])
		yy += float64(shares[i+2])
		dd += float64(shares[i+3])
	}
	return xy, xx, yy, dd, err
}

// cancel adds numbers that cancel: a million ones between a large number and its negative, in that
// order and in another.
func cancel(w io.Writer) {
	x := slices.Repeat([]float32{1}, 1_000_002)
	x[0], x[len(x)-1] = 1e8, -1e8
	shuffled := slices.Clone(x)
	r := rand.New(rand.NewPCG(3, 4))
	r.Shuffle(len(x), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	ones := slices.Repeat([]float32{1}, len(x))
	fmt.Fprintln(w, "\n1e8 + a million ones - 1e8   in order  shuffled")
	for _, way := range []struct {
		name string
		sum  func(x []float32) float32
	}{
		{"a loop", loop},
		{"blas.Dot", func(x []float32) float32 { return blas.Dot(x, ones) }},
		{"blas.DotExact", func(x []float32) float32 { return blas.DotExact(x, ones) }},
		{"blas.SumReproducible", blas.SumReproducible[float32]},
	} {
		fmt.Fprintf(w, "%-28s %8.0f  %8.0f\n", way.name, way.sum(x), way.sum(shuffled))
	}
}

// loop adds from left to right.
func loop(x []float32) (sum float32) {
	for _, v := range x {
		sum += v
	}
	return sum
}
