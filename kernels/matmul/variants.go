package matmul

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

// Variant is a way to compute the product on the device.
type Variant[T Float] struct {
	// Name is what commands and tables call it.
	Name string
	// About says in a few words what it is.
	About string
	// Block is the threads of a block, along the columns and along the rows of C.
	Block [2]int

	tile    [2]int // of C that a block computes: columns, rows
	linear  bool   // the grid has one dimension
	prepare func(dev *gridstride.Device) (launcher[T], error)
}

// launcher is the generated Launch of a kernel.
type launcher[T Float] func(s *gridstride.Stream, cfg gridstride.Config, a, b, c gridstride.Buffer[T], m, n, l int) error

// config covers a C of so many rows and columns, one at least.
func (v Variant[T]) config(rows, cols int) gridstride.Config {
	x, y := (cols-1)/v.tile[0]+1, (rows-1)/v.tile[1]+1
	if v.linear {
		return gridstride.Grid(x*y).Block(v.Block[0], v.Block[1])
	}
	return gridstride.Grid(x, y).Block(v.Block[0], v.Block[1])
}

// Variants is every variant, from the simplest to the fastest: first one thread an element, with
// blocks of 256 threads in four shapes.
func Variants[T Float]() []Variant[T] {
	return []Variant[T]{
		NaiveBlock[T](16, 16),
		NaiveBlock[T](32, 8),
		NaiveBlock[T](128, 2),
		NaiveBlock[T](8, 32),
		tiledVariant(4, LoadTiled4[T]),
		tiledVariant(8, LoadTiled8[T]),
		tiledVariant(16, LoadTiled16[T]),
		tiledVariant(32, LoadTiled32[T]),
		{Name: "registers", About: "tiles of 128x128 in shared memory, 8x8 a thread in registers", Block: [2]int{regBlock, 1},
			tile: [2]int{tileSide, tileSide}, linear: true, prepare: registersLauncher[T]},
	}
}

// NaiveBlock is the variant of one thread an element with blocks of x by y threads: x columns and y
// rows of C.
func NaiveBlock[T Float](x, y int) Variant[T] {
	return Variant[T]{Name: fmt.Sprintf("naive-%dx%d", x, y), About: fmt.Sprintf("one thread an element, blocks of %dx%d", x, y),
		Block: [2]int{x, y}, tile: [2]int{x, y}, prepare: prepare[T](LoadNaive[T])}
}

// tiledVariant is the variant with tiles of that width in shared memory.
func tiledVariant[T Float, K kernel[T]](width int, load func(*gridstride.Device) (K, error)) Variant[T] {
	return Variant[T]{Name: fmt.Sprintf("tiled-%d", width), About: fmt.Sprintf("tiles of %dx%d in shared memory", width, width),
		Block: [2]int{width, width}, tile: [2]int{width, width}, prepare: prepare[T](load)}
}

// kernel is what the generated launchers have in common.
type kernel[T Float] interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, a, b, c gridstride.Buffer[T], m, n, l int) error
}

func prepare[T Float, K kernel[T]](load func(*gridstride.Device) (K, error)) func(*gridstride.Device) (launcher[T], error) {
	return func(dev *gridstride.Device) (launcher[T], error) {
		k, err := load(dev)
		if err != nil {
			return nil, err
		}
		return k.Launch, nil
	}
}

// registersLauncher prepares the register-tiled kernels.
func registersLauncher[T Float](dev *gridstride.Device) (launcher[T], error) {
	var l any
	var err error
	switch any(T(0)).(type) {
	case float32:
		l, err = registers32(dev)
	case float64:
		l, err = prepare[float64](LoadRegisters64)(dev)
	}
	if err != nil {
		return nil, err
	}
	return l.(launcher[T]), nil
}

// registers32 prepares Registers32, and Unaligned32 for matrices whose rows, or buffers, do not
// begin at multiples of 16 bytes.
func registers32(dev *gridstride.Device) (launcher[float32], error) {
	aligned, err := LoadRegisters32(dev)
	if err != nil {
		return nil, err
	}
	other, err := LoadUnaligned32(dev)
	if err != nil {
		return nil, err
	}
	return func(s *gridstride.Stream, cfg gridstride.Config, a, b, c gridstride.Buffer[float32], m, n, l int) error {
		if n%4 != 0 || l%4 != 0 {
			return other.Launch(s, cfg, a, b, c, m, n, l)
		}
		va, err := gridstride.Cast[gpu.Float32x4](a)
		if err != nil {
			return err
		}
		vb, err := gridstride.Cast[gpu.Float32x4](b)
		if err != nil {
			return err
		}
		err = aligned.Launch(s, cfg, va, vb, c, m, n, l)
		if errors.Is(err, gridstride.ErrArgument) { // a view that begins inside a vector
			return other.Launch(s, cfg, a, b, c, m, n, l)
		}
		return err
	}, nil
}

// Best is the fastest variant.
func Best[T Float]() Variant[T] {
	all := Variants[T]()
	return all[len(all)-1]
}

// VariantNamed is the variant of that name, or an error that lists the names.
func VariantNamed[T Float](name string) (Variant[T], error) {
	var names []string
	for _, v := range Variants[T]() {
		if v.Name == name {
			return v, nil
		}
		names = append(names, v.Name)
	}
	return Variant[T]{}, fmt.Errorf("matmul: no variant %q: there are %s", name, strings.Join(names, ", "))
}
