// Package tiles holds every product of matrices that the simulator runs to a GPU: all forms of mma,
// wmma and wgmma of the instruction table, with random tiles of all kinds.
//
// Kernels make the tiles, an instruction multiplies them, and other kernels compute each element
// once more: by package tensor, which also gives the simulator its results, or by a chain of
// fused multiplications and additions for float64. So a million tiles take a GPU a fraction of a
// second.
package tiles

import "github.com/gridstride/gridstride/gpu"

// Fill writes a matrix of the tiles from first on.
//
//gpu:kernel block=256
func Fill(m Matrix, first uint64, out []uint32) {
	for i := range gpu.GridStride(len(out)) {
		out[i] = m.word(first, i)
	}
}

// Compare computes each element of the tiles once more. It counts in found[0] the elements for
// which D has other bits. E, if not empty, is D once more. After the count, found has the index,
// the value in D or E and the value computed here of the first elements that differ.
//
//gpu:kernel block=128
func Compare(s Sums, a, b, c, d, e []uint32, tiles int, found []uint64) {
	for i := range gpu.GridStride(tiles * s.M * s.N) {
		want := s.want(a, b, c, i)
		if got := s.inD(d, i); got != want {
			report(found, i, uint64(got), uint64(want))
		}
		if len(e) > 0 {
			if got := s.inE(e, i); got != want {
				report(found, i, uint64(got), uint64(want))
			}
		}
	}
}

// CompareDoubles compares D, and E by columns if it is not empty, with another kernel's results, as
// Compare does.
//
//gpu:kernel block=128
func CompareDoubles(m, n int, d, e, want []uint64, found []uint64) {
	for i := range gpu.GridStride(len(want)) {
		if d[i] != want[i] {
			report(found, i, d[i], want[i])
		}
		if len(e) > 0 {
			if got := e[byColumns(m, n, i)]; got != want[i] {
				report(found, i, got, want[i])
			}
		}
	}
}

// byColumns is the index in matrices by columns of element i of the tiles by rows.
func byColumns(m, n, i int) int {
	tile, at := i/(m*n), i%(m*n)
	return tile*m*n + at%n*m + at/n
}

// report counts an element that differs, and keeps it if there is room.
func report(found []uint64, i int, got, want uint64) {
	n := gpu.AtomicAdd(&found[0], 1)
	if at := 1 + 3*n; at+3 <= uint64(len(found)) {
		found[at], found[at+1], found[at+2] = uint64(i), got, want
	}
}
