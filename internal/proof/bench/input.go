package bench

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"unsafe"

	"github.com/gridstride/gridstride"
)

// element is the element types.
type element interface {
	float32 | float64 | int32 | int64
}

type float interface{ float32 | float64 }

// first and second are the two vectors of a kind of data, or its two matrices.
func first[T element](kind string, n int) []T {
	switch kind {
	case Ramp:
		return filled(n, func(v []T, from int) {
			for i := range v {
				v[i] = T(from + i)
			}
		})
	case Sqrt2:
		return constant[T](n, math.Sqrt2)
	}
	return random[T](n, 1)
}

func second[T element](kind string, n int) []T {
	switch kind {
	case Ramp:
		return constant[T](n, 2)
	case Sqrt2:
		return constant[T](n, math.Sqrt2)
	}
	return random[T](n, 2)
}

func constant[T element](n int, x float64) []T {
	return filled(n, func(v []T, _ int) {
		for i := range v {
			v[i] = T(x)
		}
	})
}

// random is n elements, the same for the same seed and a shorter vector the start of a longer one:
// of [-1, 1), or any integers.
func random[T element](n int, seed uint64) []T {
	half := 0.5
	whole := T(half) == 0 // an integer type
	return filled(n, func(v []T, from int) {
		r := rand.New(rand.NewPCG(seed, uint64(from)))
		for i := range v {
			if whole {
				v[i] = T(r.Uint64())
			} else {
				v[i] = T(r.Float64()*2 - 1)
			}
		}
	})
}

// chunk is how many elements are filled at a time.
const chunk = 1 << 18

// filled makes a vector on all processors: fill gets a part of it and the index it starts at.
func filled[T element](n int, fill func(v []T, from int)) []T {
	v := make([]T, n)
	inChunks(n, func(from, to int) { fill(v[from:to], from) })
	return v
}

// inChunks calls f for every chunk of 0 to n-1, several at a time.
func inChunks(n int, f func(from, to int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for from := range next {
				f(from, min(from+chunk, n))
			}
		})
	}
	for from := 0; from < n; from += chunk {
		next <- from
	}
	close(next)
	wg.Wait()
}

// A GPU's caches would hold a short input from one launch to the next, which no program's data
// does: there are as many copies of it as make rotated bytes, and each launch takes the next.
const (
	rotated   = 256 << 20
	maxCopies = 64
)

// inputs are copies of one host vector on the device.
type inputs[T any] []gridstride.Buffer[T]

// copies makes enough copies for inputs of bytes in all.
func copies[T any](dev *gridstride.Device, host []T, bytes int) (inputs[T], error) {
	n := 1
	if dev.Info().Backend != "sim" {
		n = min(1+rotated/max(bytes, 1), maxCopies)
	}
	var in inputs[T]
	for range n {
		b, err := gridstride.CopyOf(dev, host)
		if err != nil {
			return nil, errors.Join(err, in.free())
		}
		in = append(in, b)
	}
	return in, nil
}

// at is the copy for launch i, as a view of the first n elements.
func (in inputs[T]) at(i, n int) gridstride.Buffer[T] { return in[i%len(in)].Slice(0, n) }

func (in inputs[T]) free() (err error) {
	for _, b := range in {
		err = errors.Join(err, b.Free())
	}
	return err
}

// sizeOf is the size of an element.
func sizeOf[T element]() int { return int(unsafe.Sizeof(T(0))) }
