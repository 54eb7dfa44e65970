// Package copies holds what kernels do with tiles in shared memory to the host: ldmatrix and
// stmatrix of each fragment, asynchronous copies of each size, and mbarriers.
package copies

import "github.com/gridstride/gridstride/gpu"

// fragment is one of package gpu's.
type fragment[T any] interface {
	gpu.Fragment[T]
	At(lane, i int) (row, col int)
}

// rowFragment is a fragment whose matrix may be stored by rows.
type rowFragment[T any] interface {
	fragment[T]
	RowAt(lane int) (row, col int)
}

// columnFragment is a fragment whose matrix may be stored by columns.
type columnFragment[T any] interface {
	fragment[T]
	ColumnAt(lane int) (row, col int)
}

// A kernel takes matrices to shared memory, from there to fragments, and these to out, or the other
// way round, one after the other. So out equals a. Each line in shared memory is followed by
// padding.
type matrices[T any] struct {
	a, out []T
	next   int // where in both the next matrix begins
	pad    int // elements after a line
}

// tile is the shared memory of a matrix of up to 1024 elements.
func (m *matrices[T]) tile() []T { return gpu.Shared[[1024]T]()[:] }

// place is the index in the tile of an element of a rows by cols matrix.
func (m *matrices[T]) place(row, col, rows, cols int, byRows bool) int {
	if byRows {
		return row*(cols+m.pad) + col
	}
	return col*(rows+m.pad) + row
}

// stage fills the tile.
func (m *matrices[T]) stage(tile []T, rows, cols int, byRows bool) {
	gpu.SyncWarp(gpu.FullMask)
	for i := gpu.LaneID(); i < rows*cols; i += gpu.WarpSize {
		tile[m.place(i/cols, i%cols, rows, cols, byRows)] = m.a[m.next+i]
	}
	gpu.SyncWarp(gpu.FullMask)
}

// unstage empties it.
func (m *matrices[T]) unstage(tile []T, rows, cols int, byRows bool) {
	gpu.SyncWarp(gpu.FullMask)
	for i := gpu.LaneID(); i < rows*cols; i += gpu.WarpSize {
		m.out[m.next+i] = tile[m.place(i/cols, i%cols, rows, cols, byRows)]
	}
	m.next += rows * cols
}

// give writes the elements of a fragment of a matrix whose columns are some of cols.
func give[F fragment[T], T any](m *matrices[T], f F, first, cols int) {
	for i := 0; i < len(f); i++ {
		row, col := f.At(gpu.LaneID(), i)
		m.out[m.next+row*cols+first+col] = f[i]
	}
}

// take reads them.
func take[F fragment[T], T any](m *matrices[T], cols int) F {
	var f F
	for i := 0; i < len(f); i++ {
		row, col := f.At(gpu.LaneID(), i)
		f[i] = m.a[m.next+row*cols+col]
	}
	return f
}

func loadRows[F rowFragment[T], T any](m *matrices[T], tile []T, rows, cols int) {
	m.stage(tile, rows, cols, true)
	var f F
	r, c := f.RowAt(gpu.LaneID())
	give(m, gpu.LdMatrixRows[F](&tile[m.place(r, c, rows, cols, true)]), 0, cols)
	m.next += rows * cols
}

func loadColumns[F columnFragment[T], T any](m *matrices[T], tile []T, rows, cols int) {
	m.stage(tile, rows, cols, false)
	var f F
	r, c := f.ColumnAt(gpu.LaneID())
	give(m, gpu.LdMatrixColumns[F](&tile[m.place(r, c, rows, cols, false)]), 0, cols)
	m.next += rows * cols
}

// pairRows loads the halves of a matrix, which are side by side.
func pairRows[F rowFragment[T], T any](m *matrices[T], tile []T, rows, cols int) {
	m.stage(tile, rows, cols, true)
	lane := gpu.LaneID()
	var f F
	r, c := f.RowAt(lane % 16)
	both := gpu.LdMatrixRows2[F](&tile[m.place(r, c+lane/16*cols/2, rows, cols, true)])
	give(m, both[0], 0, cols)
	give(m, both[1], cols/2, cols)
	m.next += rows * cols
}

func pairColumns[F columnFragment[T], T any](m *matrices[T], tile []T, rows, cols int) {
	m.stage(tile, rows, cols, false)
	lane := gpu.LaneID()
	var f F
	r, c := f.ColumnAt(lane % 16)
	both := gpu.LdMatrixColumns2[F](&tile[m.place(r, c+lane/16*cols/2, rows, cols, false)])
	give(m, both[0], 0, cols)
	give(m, both[1], cols/2, cols)
	m.next += rows * cols
}

func storeRows[F rowFragment[T], T any](m *matrices[T], tile []T, rows, cols int) {
	f := take[F](m, cols)
	r, c := f.RowAt(gpu.LaneID())
	gpu.SyncWarp(gpu.FullMask)
	gpu.StMatrixRows(&tile[m.place(r, c, rows, cols, true)], f)
	m.unstage(tile, rows, cols, true)
}

func storeColumns[F columnFragment[T], T any](m *matrices[T], tile []T, rows, cols int) {
	f := take[F](m, cols)
	r, c := f.ColumnAt(gpu.LaneID())
	gpu.SyncWarp(gpu.FullMask)
	gpu.StMatrixColumns(&tile[m.place(r, c, rows, cols, false)], f)
	m.unstage(tile, rows, cols, false)
}

// The kernels are launched with one warp. Halves is how many elements the fragments of 16 bits
// have.

//gpu:kernel T=gpu.Float16,gpu.BFloat16 block=32 target=sm_75
func LoadHalves[T gpu.Float16 | gpu.BFloat16](a, out []T) {
	m := matrices[T]{a: a, out: out, pad: 8}
	tile := m.tile()
	loadRows[gpu.A16x16[T]](&m, tile, 16, 16)
	loadColumns[gpu.A16x16[T]](&m, tile, 16, 16)
	loadRows[gpu.A16x8[T]](&m, tile, 16, 8)
	loadColumns[gpu.A16x8[T]](&m, tile, 16, 8)
	loadRows[gpu.B16x8[T]](&m, tile, 16, 8)
	loadColumns[gpu.B16x8[T]](&m, tile, 16, 8)
	loadRows[gpu.B8x8[T]](&m, tile, 8, 8)
	loadColumns[gpu.B8x8[T]](&m, tile, 8, 8)
	loadRows[gpu.C16x8[T]](&m, tile, 16, 8)
	loadColumns[gpu.C16x8[T]](&m, tile, 16, 8)
	loadRows[gpu.C8x8[T]](&m, tile, 8, 8)
	loadColumns[gpu.C8x8[T]](&m, tile, 8, 8)
	pairRows[gpu.B16x8[T]](&m, tile, 16, 16)
	pairColumns[gpu.B16x8[T]](&m, tile, 16, 16)
}

// loadedHalves is how many elements LoadHalves takes.
const loadedHalves = 2*256 + 2*128 + 2*128 + 2*64 + 2*128 + 2*64 + 2*256

//gpu:kernel T=gpu.TF32,float32,int32 block=32 target=sm_75
func LoadWords[T gpu.TF32 | float32 | int32](a, out []T) {
	m := matrices[T]{a: a, out: out, pad: 4}
	tile := m.tile()
	loadRows[gpu.A16x8[T]](&m, tile, 16, 8)
	loadRows[gpu.A16x4[T]](&m, tile, 16, 4)
	loadRows[gpu.A8x4[T]](&m, tile, 8, 4)
	loadColumns[gpu.B8x8[T]](&m, tile, 8, 8)
	loadColumns[gpu.B4x8[T]](&m, tile, 4, 8)
	pairColumns[gpu.B8x8[T]](&m, tile, 8, 16)
}

// loadedWords is how many elements LoadWords takes.
const loadedWords = 128 + 64 + 32 + 64 + 32 + 128

//gpu:kernel T=int8,uint8 block=32 target=sm_75
func LoadBytes[T int8 | uint8](a, out []T) {
	m := matrices[T]{a: a, out: out, pad: 16}
	tile := m.tile()
	loadRows[gpu.A16x32[T]](&m, tile, 16, 32)
	loadColumns[gpu.B32x8[T]](&m, tile, 32, 8)
	pairColumns[gpu.B32x8[T]](&m, tile, 32, 16)
}

// loadedBytes is how many elements LoadBytes takes.
const loadedBytes = 512 + 256 + 512

//gpu:kernel T=gpu.Float16,gpu.BFloat16 block=32 target=sm_90
func StoreHalves[T gpu.Float16 | gpu.BFloat16](a, out []T) {
	m := matrices[T]{a: a, out: out, pad: 8}
	tile := m.tile()
	storeRows[gpu.A16x16[T]](&m, tile, 16, 16)
	storeColumns[gpu.A16x16[T]](&m, tile, 16, 16)
	storeRows[gpu.B16x8[T]](&m, tile, 16, 8)
	storeColumns[gpu.B16x8[T]](&m, tile, 16, 8)
	storeRows[gpu.C16x8[T]](&m, tile, 16, 8)
	storeColumns[gpu.C16x8[T]](&m, tile, 16, 8)
	storeRows[gpu.C8x8[T]](&m, tile, 8, 8)
	storeColumns[gpu.C8x8[T]](&m, tile, 8, 8)
}

// storedHalves is how many elements StoreHalves takes.
const storedHalves = 2*256 + 2*128 + 2*128 + 2*64
