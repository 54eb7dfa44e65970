package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"
	"unsafe"

	"github.com/gridstride/gridstride"
)

// compare computes the dot product on the device and on the CPU, and prints both and what they
// cost.
func compare[T PartialT](ctx context.Context, dev *gridstride.Device, opts *options, out io.Writer) error {
	in := opts.in
	size := int64(unsafe.Sizeof(T(0)))
	if room := dev.Info().Memory / (2 * size); int64(in.n) > room {
		return fmt.Errorf("two vectors of %d %s do not fit the %d bytes of %v: at most %d elements do",
			in.n, in.dtype, dev.Info().Memory, dev, room)
	}
	if most := dev.Info().MaxGrid.X; opts.blocks > most {
		return fmt.Errorf("-blocks %d: a grid has at most %d", opts.blocks, most)
	}
	a, b, err := vectors[T](in)
	if err != nil {
		return err
	}
	blocks := opts.blocks
	if blocks == 0 {
		blocks = min(max((in.n+blockSize-1)/blockSize, 1), 1024)
	}
	fmt.Fprintf(out, "%v: %s\n", dev, dev.Info().Name)
	fmt.Fprintf(out, "dot product of %d %s, %d blocks of %d threads\n", in.n, in.dtype, blocks, blockSize)
	for i, v := range [][]T{a, b} {
		if at := firstNotANumber(v); at >= 0 {
			fmt.Fprintf(out, "note: %s[%d] is NaN, so the dot product is NaN\n", in.name(i), at)
		}
	}

	got, t, err := Dot(ctx, dev, blocks, a, b)
	if err != nil {
		return err
	}
	printTimes(out, t, 2*int64(in.n)*size)
	want, magnitude := reference(a, b)
	return verdict(out, got, want, errorBound[T](in.n, blocks, magnitude))
}

// name is the name of vector i in messages.
func (in *input) name(i int) string {
	if in.names[i] != "" {
		return in.names[i]
	}
	return []string{"a", "b"}[i]
}

// printTimes prints where the time went, and how fast the bytes of the vectors passed.
func printTimes(out io.Writer, t times, bytes int64) {
	fmt.Fprintln(out)
	for _, row := range []struct {
		name  string
		took  time.Duration
		bytes int64
	}{
		{"allocate", t.Alloc, 0},
		{"copy in", t.CopyIn, bytes},
		{"kernel", t.Kernel, bytes},
		{"copy out", t.CopyOut, 0},
	} {
		fmt.Fprintf(out, "%-10s %10.3f ms", row.name, float64(row.took)/1e6)
		if row.bytes > 0 && row.took > 0 {
			fmt.Fprintf(out, "  %8.2f GB/s", float64(row.bytes)/float64(row.took))
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out)
}

// verdict prints both results, and is an error if they differ by more than the bound.
func verdict(out io.Writer, got, want, bound float64) error {
	fmt.Fprintf(out, "%-10s %.17g\n%-10s %.17g (CPU, compensated float64)\n", "result", got, "reference", want)
	if math.IsNaN(want) || math.IsInf(want, 0) {
		if got == want || math.IsNaN(got) && math.IsNaN(want) {
			return nil
		}
		return fmt.Errorf("the result is %v, the reference %v", got, want)
	}
	if math.IsInf(got, 0) || math.IsNaN(got) {
		return fmt.Errorf("the result is %v: a sum on the way is over the largest number of its type", got)
	}
	difference := math.Abs(got - want)
	kind, scale := "relative", math.Abs(want)
	if want == 0 {
		kind, scale = "absolute", 1
	}
	fmt.Fprintf(out, "%s error %.2g, from rounding %.2g at most\n", kind, difference/scale, bound/scale)
	if !(difference <= bound) {
		return fmt.Errorf("the result is off by %g, and rounding explains %g at most", difference, bound)
	}
	return nil
}
