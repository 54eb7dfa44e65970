package matmul

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/matmul/fast"
)

// Variant is a way to compute the product on the device.
type Variant[T Float] struct {
	// Name is its name in commands and tables.
	Name string
	// About says in a few words what it is.
	About string
	// Block is the threads of a block, along the columns and along the rows of C.
	Block [2]int

	prepare func(dev *gridstride.Device) (launcher[T], error)
}

// launcher checks the matrices and queues the kernel of a variant.
type launcher[T Float] func(s *gridstride.Stream, a, b, c Matrix[T]) error

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
		{Name: "registers", About: "tiles of 128x128 in shared memory, 8x8 a thread in registers", Block: [2]int{fast.Block, 1},
			prepare: registers[T]},
	}
}

// NaiveBlock is the variant of one thread an element with blocks of x by y threads: x columns and y
// rows of C.
func NaiveBlock[T Float](x, y int) Variant[T] {
	name := fmt.Sprintf("naive-%dx%d", x, y)
	return Variant[T]{Name: name, About: fmt.Sprintf("one thread an element, blocks of %dx%d", x, y),
		Block: [2]int{x, y}, prepare: anElementAThread[T](name, x, y, LoadNaive[T])}
}

// tiledVariant is the variant with tiles of that width in shared memory.
func tiledVariant[T Float, K kernel[T]](width int, load func(*gridstride.Device) (K, error)) Variant[T] {
	name := fmt.Sprintf("tiled-%d", width)
	return Variant[T]{Name: name, About: fmt.Sprintf("tiles of %dx%d in shared memory", width, width),
		Block: [2]int{width, width}, prepare: anElementAThread[T](name, width, width, load)}
}

// kernel has the methods that generated launchers share.
type kernel[T Float] interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, a, b, c gridstride.Buffer[T], m, n, l int) error
}

// anElementAThread prepares a kernel whose blocks of x by y threads cover C.
func anElementAThread[T Float, K kernel[T]](name string, x, y int, load func(*gridstride.Device) (K, error)) func(*gridstride.Device) (launcher[T], error) {
	return func(dev *gridstride.Device) (launcher[T], error) {
		k, err := load(dev)
		if err != nil {
			return nil, err
		}
		most := dev.Info().MaxGrid
		return func(s *gridstride.Stream, a, b, c Matrix[T]) error {
			if err := fast.Check(a, b, c); err != nil || c.Rows == 0 || c.Cols == 0 {
				return err
			}
			cols, rows := (c.Cols-1)/x+1, (c.Rows-1)/y+1
			if cols > most.X || rows > most.Y {
				return fmt.Errorf("matmul: C is %v, which the variant %s covers with %dx%d blocks: a grid has at most %dx%d",
					c, name, cols, rows, most.X, most.Y)
			}
			return k.Launch(s, gridstride.Grid(cols, rows).Block(x, y), a.Data, b.Data, c.Data, a.Rows, a.Cols, b.Cols)
		}, nil
	}
}

// registers prepares the fastest kernels.
func registers[T Float](dev *gridstride.Device) (launcher[T], error) {
	p, err := fast.NewPlan[T](dev)
	if err != nil {
		return nil, err
	}
	return p.Launch, nil
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
