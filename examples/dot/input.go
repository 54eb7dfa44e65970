package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gridstride/gridstride/internal/library/npy"
)

// input is the two vectors as they were asked for: read from files, or still to be generated.
type input struct {
	files [2]*npy.Array // nil: generated
	names [2]string
	dtype string // "float32" or "float64"
	n     int
}

// readInput reads two vectors that NumPy wrote. They must be of one type and one length.
func readInput(nameA, nameB string) (*input, error) {
	in := &input{names: [2]string{nameA, nameB}}
	for i, name := range in.names {
		array, err := npy.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if dims := len(array.Shape); dims != 1 {
			return nil, fmt.Errorf("%s: has %d dimensions, and a dot product takes vectors; save x.ravel()", name, dims)
		}
		if t := array.Name(); t != "float32" && t != "float64" {
			return nil, fmt.Errorf("%s: holds %s, not float32 or float64; save x.astype('float32')", name, t)
		}
		in.files[i] = array
	}
	a, b := in.files[0], in.files[1]
	if a.Dtype != b.Dtype {
		return nil, fmt.Errorf("%s holds %s and %s holds %s: both must hold the same type", nameA, a.Name(), nameB, b.Name())
	}
	if a.Len() != b.Len() {
		return nil, fmt.Errorf("%s has %d elements and %s has %d: a dot product takes vectors of one length", nameA, a.Len(), nameB, b.Len())
	}
	in.dtype, in.n = a.Name(), a.Len()
	return in, nil
}

// vectors are the elements.
func vectors[T PartialT](in *input) (a, b []T, err error) {
	if in.files[0] == nil {
		return uniform[T](in.n, 1), uniform[T](in.n, 2), nil
	}
	if a, err = npy.Vector[T](in.files[0]); err == nil {
		b, err = npy.Vector[T](in.files[1])
	}
	return a, b, err
}

// uniform is n numbers in [0, 1), the same ones for the same seed, whichever type.
func uniform[T PartialT](n int, seed uint64) []T {
	r := rand.New(rand.NewPCG(seed, 0))
	v := make([]T, n)
	for i := range v {
		v[i] = T(r.Float32())
	}
	return v
}

// firstNotANumber is the index of the first NaN in v, or -1.
func firstNotANumber[T PartialT](v []T) int {
	for i, x := range v {
		if math.IsNaN(float64(x)) {
			return i
		}
	}
	return -1
}
