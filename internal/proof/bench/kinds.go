package bench

import "cmp"

// kind describes a benchmark.
type kind struct {
	types []string // the element types that it has kernels for
	noun  string   // its title in pictures
	side  string   // what N is, in pictures, if not the elements of a vector
	// product: A is M by N and B is N by L. Otherwise N is the only size.
	product bool
	// transposed: B is L by N, and the product takes its transpose.
	transposed bool
	// operations: the rate is in operations, and multiply-adds limit it. Otherwise it is in bytes,
	// and the limit is memory.
	operations bool
	unlimited  bool // whether nothing that is measured limits it
	empty      bool // whether N may be 0
	noRamp     bool // whether a ramp makes no sense as data
	calls      bool // whether it is timed end to end
}

var (
	floats  = []string{"float32", "float64"}
	numbers = append(floats[:2:2], "int32", "int64")
)

// names are the benchmarks in the order of help and errors, and kinds what they are.
var (
	names = []string{"dot", "reduce", "matmul", "tensor", "collective", "blas", "level2", "level3", "metric"}
	kinds = map[string]kind{
		"dot":    {types: floats, noun: "Dot product", empty: true, calls: true},
		"reduce": {types: numbers, noun: "Reductions", calls: true},
		"matmul": {types: floats, noun: "Matrix product", side: "columns of A", product: true, operations: true,
			empty: true, noRamp: true, calls: true},
		"tensor": {types: []string{"bfloat16"}, noun: "Matrix product on tensor cores", side: "columns of A and B",
			product: true, transposed: true, operations: true, unlimited: true, empty: true, noRamp: true},
		"collective": {types: numbers, noun: "Functions of gpu/collective on tiles"},
		"blas":       {types: floats, noun: "Numbers of vectors", calls: true},
		"level2":     {types: floats, noun: "A matrix and vectors", side: "rows of a matrix", noRamp: true},
		"level3":     {types: floats, noun: "Matrices", side: "rows of a matrix", operations: true, noRamp: true},
		"metric":     {types: floats, noun: "Metrics", calls: true},
		// These are timed end to end alone, as parts of others.
		"mse":         {noun: "Mean squared error"},
		"cosine":      {noun: "Cosine similarity"},
		"squarednorm": {noun: "Squared norm"},
	}
)

// Names are the benchmarks that Options.What can be.
func Names() []string { return names }

// axis names the sizes of a benchmark in pictures.
func axis(what string) string { return cmp.Or(kinds[what].side, "elements of a vector") }
