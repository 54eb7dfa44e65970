package main

import (
	"context"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/rand"
)

// workshop makes buffers, until one cannot be made.
type workshop struct {
	*inputs
	dev *gridstride.Device
	err error
}

// copyOf is a buffer with the elements of host.
func copyOf[T any](w *workshop, host []T) gridstride.Buffer[T] {
	var b gridstride.Buffer[T]
	if w.err == nil {
		b, w.err = gridstride.CopyOf(w.dev, host)
	}
	if w.err == nil {
		w.buffers = append(w.buffers, b)
	}
	return b
}

// resultOf makes a buffer of n elements for the result.
func resultOf[T element](w *workshop, n int) gridstride.Buffer[T] {
	b := copyOf(w, make([]T, n))
	switch any(b).(type) {
	case gridstride.Buffer[float32], gridstride.Buffer[float64], gridstride.Buffer[gpu.Float32x2], gridstride.Buffer[gpu.Float32x4]:
	default:
		w.exact = true
	}
	w.clear = b.Zero
	w.result = func(ctx context.Context, s *gridstride.Stream) ([]float64, error) {
		host, err := b.Read(ctx, s, nil)
		return numbersOf(host), err
	}
	return b
}

// element is the types of results' elements.
type element interface {
	uint8 | int32 | uint32 | uint64 | float32 | float64 | gpu.Float32x2 | gpu.Float32x4
}

// numbersOf are the numbers of elements, several where an element has several, or has more digits than
// a float64.
func numbersOf[T element](elements []T) []float64 {
	out := make([]float64, 0, len(elements))
	for _, x := range elements {
		switch x := any(x).(type) {
		case uint8:
			out = append(out, float64(x))
		case int32:
			out = append(out, float64(x))
		case uint32:
			out = append(out, float64(x))
		case uint64:
			out = append(out, float64(x>>32), float64(uint32(x)))
		case float32:
			out = append(out, float64(x))
		case float64:
			out = append(out, x)
		case gpu.Float32x2:
			out = append(out, float64(x.X), float64(x.Y))
		case gpu.Float32x4:
			out = append(out, float64(x.X), float64(x.Y), float64(x.Z))
		}
	}
	return out
}

// args sets what the two kernels are launched with.
func (w *workshop) args(goArgs, cppArgs []any) { w.goArgs, w.cppArgs = goArgs, cppArgs }

// uniform is n random numbers from low to high, the same ones in each run.
func uniform(n int, low, high float32) []float32 {
	r := rand.New(1, uint64(n))
	x := make([]float32, n)
	for i := range x {
		x[i] = low + (high-low)*rand.Float[float32](&r)
	}
	return x
}

// integers is n random integers from low to high-1, the same ones in each run.
func integers[T uint8 | int8 | int32 | uint32 | uint64](n int, low, high int64) []T {
	r := rand.New(2, uint64(n))
	x := make([]T, n)
	for i := range x {
		x[i] = T(low + int64(r.Uint64N(uint64(high-low))))
	}
	return x
}

// over is n/size, rounded up: the blocks that a thread for each of n elements needs.
func over(n, size int) int { return (n + size - 1) / size }
