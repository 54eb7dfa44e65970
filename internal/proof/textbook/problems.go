package main

import "github.com/gridstride/gridstride"

// problem is a kernel with a grid and data.
type problem struct {
	family, name string
	config       gridstride.Config
	make         func(w *workshop)
}

// newProblem is a problem without a family.
func newProblem(name string, config gridstride.Config, prepare func(w *workshop)) *problem {
	return &problem{name: name, config: config, make: prepare}
}

// prepare makes the data of a problem on the device.
func (p *problem) prepare(dev *gridstride.Device) (*inputs, error) {
	w := &workshop{dev: dev, inputs: &inputs{}}
	p.make(w)
	if w.err != nil {
		w.free()
		return nil, w.err
	}
	return w.inputs, nil
}

// sizes are the sizes of all problems.
type sizes struct {
	long        int // of vectors: a multiple of a block
	sparse      int // rows of the sparse matrix: a multiple of 8
	product     int // rows of the matrices that are multiplied: a multiple of a tile's
	square      int // rows of the matrix that is transposed: a multiple of a tile's
	picture     int // rows of the picture: a multiple of 16
	softmaxRows int
	softmaxWide int
	options     int
	cube        int
	bodies      int // a multiple of a block
	blocks      int // of kernels whose threads stride over the data

	// Of the problems that came later, any numbers.
	wide, high int // of pictures and grids
	graph      int // of vertices, and rows of matrices
	many       int // numbers
	records    int // records, words, walks: what has some hundred steps
	batch      int // of what a block does
}

// full are the sizes that are measured: a launch takes some hundred microseconds.
var full = sizes{long: 1 << 26, sparse: 1 << 17, product: 2048, square: 8192, picture: 4096, softmaxRows: 4096,
	softmaxWide: 8192, options: 1 << 24, cube: 400, bodies: 1 << 16, blocks: 132 * 8,
	wide: 4099, high: 2053, graph: 2047, many: 1<<24 - 7, records: 1<<19 - 5, batch: 4095}

// small are sizes for the simulator: not the ones that the loops divide.
var small = sizes{long: 2*block + 256*7, sparse: 40, product: 64, square: 96, picture: 32, softmaxRows: 3, softmaxWide: 1001,
	options: 777, cube: 37, bodies: 2 * bodies, blocks: 2,
	wide: 37, high: 21, graph: 35, many: 1003, records: 131, batch: 3}

// problems are all problems, by family. A family's kernels are in one file of Go and one of CUDA C++.
func (z *sizes) problems() []*problem {
	var all []*problem
	for _, f := range []struct {
		name     string
		problems []*problem
	}{
		{"twelve", z.twelve()},
		{"filters", z.filters()},
		{"grids", z.grids()},
		{"sequences", z.sequences()},
		{"trees", z.trees()},
		{"hashing", z.hashing()},
		{"sorting", z.sorting()},
		{"matrices", z.matrices()},
		{"numbers", z.numbers()},
	} {
		for _, p := range f.problems {
			p.family = f.name
		}
		all = append(all, f.problems...)
	}
	return all
}
