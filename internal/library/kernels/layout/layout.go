// Package layout chooses among the kernels of a matrix product by the layout of its factors. A
// factor is deep if elements that are adjacent along k are adjacent in memory: an A as it is, and a
// transposed B. Any other factor is across k.
package layout

import (
	"errors"

	"github.com/gridstride/gridstride"
)

// Table has a kernel for each layout, by whether A is deep, and B.
type Table[K any] [2][2]K

// Of is the kernel for a layout.
func (t *Table[K]) Of(deepA, deepB bool) K { return t[Count(deepA)][Count(deepB)] }

// Count is the number of deep factors among these.
func Count(deep ...bool) (n int) {
	for _, d := range deep {
		if d {
			n++
		}
	}
	return n
}

// Loader loads a kernel.
type Loader[K any] func(dev *gridstride.Device) (K, error)

// As turns a generated loader, whose kernels have its own type, into a loader of the interface K that
// they satisfy.
func As[K, Own any](load func(dev *gridstride.Device) (Own, error)) Loader[K] {
	return func(dev *gridstride.Device) (kernel K, err error) {
		own, err := load(dev)
		if err == nil {
			kernel = any(own).(K)
		}
		return kernel, err
	}
}

// Load loads the kernels for two factors across k, for a deep B alone, for a deep A alone, and for
// two deep factors. A nil loader leaves its place empty.
//
// Errors: the errors of [gridstride.Device.Load].
func Load[K any](dev *gridstride.Device, across, deepB, deepA, deep Loader[K]) (t Table[K], err error) {
	for i, load := range []Loader[K]{across, deepB, deepA, deep} {
		if load == nil {
			continue
		}
		kernel, err1 := load(dev)
		t[i/2][i%2] = kernel
		err = errors.Join(err, err1)
	}
	return t, err
}
