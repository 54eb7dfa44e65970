package tensor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

// Variant is a way to compute the product on the device.
type Variant struct {
	// Name is its name in commands and tables.
	Name string
	// About says in a few words what it is.
	About string
	// Aligned is whether rows of A and B must begin at multiples of 16 bytes.
	Aligned bool
	// AlignedC says that C's rows must, too.
	AlignedC bool

	prepare func(dev *gridstride.Device) (launcher, error)
}

// launcher queues the kernel of a variant, for matrices that were checked and have elements.
type launcher func(s *gridstride.Stream, a, b Matrix[gpu.BFloat16], c Matrix[float32]) error

// Variants is every variant, from the simplest to the fastest.
func Variants() []Variant {
	mapped := func(name, about string, l layout, load func(*gridstride.Device) (mappedKernel, error)) Variant {
		return Variant{Name: name, About: about, Aligned: true, prepare: withMaps(l, load)}
	}
	return []Variant{
		{Name: "fragments", About: "mma, fragments from memory",
			prepare: direct(fragmentRows, fragmentCols, load(LoadFragments))},
		{Name: "shared", About: "tiles of 128x128 in shared memory, ldmatrix", Aligned: true,
			prepare: direct(side, side, load(LoadShared))},
		{Name: "double", About: "two places: copies under way while one is multiplied", Aligned: true,
			prepare: direct(side, side, load(LoadDouble))},
		{Name: "stages", About: "three places: copies of two under way", Aligned: true,
			prepare: direct(side, side, load(LoadStages))},
		mapped("tma", "a thread copies by the tensor memory accelerator", matrices, mapKernel(LoadTMA)),
		mapped("warpgroups", "wgmma, both factors from shared memory", matrices, mapKernel(LoadWarpgroups)),
		mapped("roles", "tiles of 128x256, a thread that copies, registers handed over", tiles(1), mapKernel(LoadRoles)),
		mapped("clusters", "two blocks share the rows of B", tiles(cluster), mapKernel(LoadClusters)),
		mapped("persistent", "blocks take one tile after the other, in bands", bands, mapKernel(LoadPersistent)),
		{Name: "stores", About: "sums go to C by way of shared memory", Aligned: true, AlignedC: true, prepare: stores},
	}
}

// Best is the fastest variant.
func Best() Variant {
	all := Variants()
	return all[len(all)-1]
}

// VariantNamed is the variant of that name, or an error that lists the names.
func VariantNamed(name string) (Variant, error) {
	var names []string
	for _, v := range Variants() {
		if v.Name == name {
			return v, nil
		}
		names = append(names, v.Name)
	}
	return Variant{}, fmt.Errorf("tensor: no variant %q: there are %s", name, strings.Join(names, ", "))
}

// directKernel has the methods that launchers of kernels with slices share, and mappedKernel the
// same for kernels with tensor maps.
type directKernel interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, a, b gridstride.Buffer[gpu.BFloat16], c gridstride.Buffer[float32], m, n, l int) error
}

type mappedKernel interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, a, b gridstride.TensorMap[gpu.BFloat16], c gridstride.Buffer[float32], m, n, l int) error
}

// load and mapKernel have a kernel's loader give what it has in common with others.
func load[K directKernel](loader func(*gridstride.Device) (K, error)) func(*gridstride.Device) (directKernel, error) {
	return func(dev *gridstride.Device) (directKernel, error) { return loader(dev) }
}

func mapKernel[K mappedKernel](loader func(*gridstride.Device) (K, error)) func(*gridstride.Device) (mappedKernel, error) {
	return func(dev *gridstride.Device) (mappedKernel, error) { return loader(dev) }
}

// direct prepares a kernel whose blocks compute tiles of rows by cols elements, the columns along
// X.
func direct(rows, cols int, load func(*gridstride.Device) (directKernel, error)) func(*gridstride.Device) (launcher, error) {
	return func(dev *gridstride.Device) (launcher, error) {
		k, err := load(dev)
		if err != nil {
			return nil, err
		}
		return func(s *gridstride.Stream, a, b Matrix[gpu.BFloat16], c Matrix[float32]) error {
			grid := gridstride.Grid(above(c.Cols, cols), above(c.Rows, rows))
			return k.Launch(s, grid, a.Data, b.Data, c.Data, a.Rows, a.Cols, b.Rows)
		}, nil
	}
}

// above is n divided by size, rounded up.
func above(n, size int) int { return (n-1)/size + 1 }

// layout is the grid of a kernel with tensor maps, and its maps.
type layout struct {
	grid func(dev *gridstride.Device, c Matrix[float32]) gridstride.Config
	// rowsA and rowsB are the rows that a copy has.
	rowsA, rowsB int
	// batches says that the maps have a third dimension, of one matrix, as in package tile.
	batches bool
}

// matrices is the layout of kernels with tiles of side by side.
var matrices = layout{rowsA: side, rowsB: side, grid: func(_ *gridstride.Device, c Matrix[float32]) gridstride.Config {
	return gridstride.Grid(above(c.Cols, side), above(c.Rows, side))
}}

// tiles is the layout of kernels with a block for each tile of tileRows by tileCols, in clusters of
// cluster blocks with tiles below each other.
func tiles(cluster int) layout {
	return layout{rowsA: tileRows, rowsB: tileCols / cluster, batches: true,
		grid: func(_ *gridstride.Device, c Matrix[float32]) gridstride.Config {
			return gridstride.Grid(cluster*above(c.Rows, cluster*tileRows), above(c.Cols, tileCols))
		}}
}

// bands is the layout of Persistent.
var bands = layout{rowsA: tileRows, rowsB: tileCols / cluster, batches: true,
	grid: func(dev *gridstride.Device, c Matrix[float32]) gridstride.Config {
		atOnce := max(dev.Info().Multiprocessors/cluster, 1)
		return gridstride.Grid(cluster * min(atOnce, orderOf(c.Rows, c.Cols).Tiles()))
	}}

// withMaps prepares a kernel with tensor maps.
func withMaps(l layout, load func(*gridstride.Device) (mappedKernel, error)) func(*gridstride.Device) (launcher, error) {
	return func(dev *gridstride.Device) (launcher, error) {
		k, err := load(dev)
		if err != nil {
			return nil, err
		}
		return func(s *gridstride.Stream, a, b Matrix[gpu.BFloat16], c Matrix[float32]) error {
			mapA, err := l.tensorMap(a, l.rowsA)
			if err != nil {
				return err
			}
			mapB, err := l.tensorMap(b, l.rowsB)
			if err != nil {
				return err
			}
			return k.Launch(s, l.grid(dev, c), mapA, mapB, c.Data, a.Rows, a.Cols, b.Rows)
		}, nil
	}
}

// stores prepares Stores, which has a tensor map for C.
func stores(dev *gridstride.Device) (launcher, error) {
	k, err := LoadStores(dev)
	if err != nil {
		return nil, err
	}
	return func(s *gridstride.Stream, a, b Matrix[gpu.BFloat16], c Matrix[float32]) error {
		mapA, err1 := bands.tensorMap(a, bands.rowsA)
		mapB, err2 := bands.tensorMap(b, bands.rowsB)
		mapC, err3 := c.Data.TensorMap(gridstride.Tensor{Dims: []int{c.Cols, c.Rows}, Box: []int{storeCols, groupRows}, Swizzle: lineSize})
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		return k.Launch(s, bands.grid(dev, c), mapA, mapB, mapC, a.Rows, a.Cols, b.Rows)
	}, nil
}

// tensorMap describes a matrix that is copied by that number of rows.
func (l *layout) tensorMap(m Matrix[gpu.BFloat16], rows int) (gridstride.TensorMap[gpu.BFloat16], error) {
	t := gridstride.Tensor{Dims: []int{m.Cols, m.Rows}, Box: []int{depth, rows}, Swizzle: lineSize}
	if l.batches {
		t.Dims, t.Box = append(t.Dims, 1), append(t.Box, 1)
	}
	return m.Data.TensorMap(t)
}
