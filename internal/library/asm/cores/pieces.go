package cores

import "github.com/gridstride/gridstride/internal/library/asm"

// Piece is how many elements of a long vector a goroutine takes at a time. A sum over more is the
// sum of those over the pieces, in their order. So it depends on the length alone, and not on how
// many goroutines there are.
const Piece = 1 << 16

// Pieces calls do for all pieces of n elements, from as many goroutines as there are processors
// left.
func Pieces(n int, do func(i, from, to int)) {
	count := CountPieces(n)
	workers := Claim(count * Work)
	defer Release(workers)
	Parallel(workers, count, func(i int) { do(i, i*Piece, min((i+1)*Piece, n)) })
}

// CountPieces is how many pieces there are of n elements.
func CountPieces(n int) int { return (n + Piece - 1) / Piece }

// SumPieces is the sum over n elements. of gives the sum over a piece.
func SumPieces[T asm.Float](n int, of func(from, to int) T) T {
	sums := make([]T, CountPieces(n))
	Pieces(n, func(i, from, to int) { sums[i] = of(from, to) })
	var sum T
	for _, s := range sums {
		sum += s
	}
	return sum
}

// Groups calls do for the elements 0 to n-1 of a result in groups of group elements, each in a
// task.
func Groups(n, group int, do func(from, to int)) {
	count := (n + group - 1) / group
	workers := Claim(count * Work)
	defer Release(workers)
	Parallel(workers, count, func(i int) { do(i*group, min((i+1)*group, n)) })
}

// RowGroup is the number of rows, given their columns, that are worth a task.
func RowGroup(columns int) int { return max(Piece/columns, 1) }
