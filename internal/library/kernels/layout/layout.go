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

// Load loads the kernels for two factors across k, for a deep B alone, for a deep A alone, and for
// two deep factors. Each loader is a generated one, whose kernel has a type of its package that
// satisfies the interface K, or [None].
//
// Errors: the errors of [gridstride.Device.Load].
func Load[K, Across, DeepB, DeepA, Deep any](dev *gridstride.Device, across func(*gridstride.Device) (Across, error),
	deepB func(*gridstride.Device) (DeepB, error), deepA func(*gridstride.Device) (DeepA, error),
	deep func(*gridstride.Device) (Deep, error),
) (t Table[K], err error) {
	err = errors.Join(load(dev, &t[0][0], across), load(dev, &t[0][1], deepB),
		load(dev, &t[1][0], deepA), load(dev, &t[1][1], deep))
	return t, err
}

// None leaves its place in a table empty.
func None(*gridstride.Device) (none, error) { return none{}, nil }

type none struct{}

// load loads a kernel to a place in a table.
func load[K, Own any](dev *gridstride.Device, place *K, load func(*gridstride.Device) (Own, error)) error {
	own, err := load(dev)
	if _, empty := any(own).(none); err == nil && !empty {
		*place = any(own).(K)
	}
	return err
}
