package bench

import (
	"errors"
	"math/rand/v2"
	"unsafe"

	"github.com/gridstride/gridstride"
)

// random is n elements of [-1, 1), the same for the same seed.
func random[T float](n int, seed uint64) []T {
	r := rand.New(rand.NewPCG(seed, 1))
	v := make([]T, n)
	for i := range v {
		v[i] = T(r.Float64()*2 - 1)
	}
	return v
}

// A GPU's caches would hold a short input from one launch to the next, which no program's data does: there are as many copies of it as make rotated bytes,
// and each launch takes the next.
const (
	rotated   = 256 << 20
	maxCopies = 64
)

// inputs are copies of one host vector on the device.
type inputs[T float] []gridstride.Buffer[T]

// copies makes as many copies as it takes for inputs of so many bytes in all.
func copies[T float](dev *gridstride.Device, host []T, bytes int) (inputs[T], error) {
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
func sizeOf[T float]() int { return int(unsafe.Sizeof(T(0))) }
