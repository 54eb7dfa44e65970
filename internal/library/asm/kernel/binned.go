package kernel

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/library/asm"
	"github.com/gridstride/gridstride/internal/library/asm/f32"
	"github.com/gridstride/gridstride/internal/library/asm/f64"
	"github.com/gridstride/gridstride/internal/math/binned"
)

// DepositLength is how many elements Deposit and DepositProducts take at most.
func DepositLength[T asm.Float]() int {
	var v T
	return binned.Deposits * 64 / int(unsafe.Sizeof(v))
}

// Deposit gives the sums of the slices of x (package binned), which are in units of the top bin
// when multiplied by scale, and the largest magnitude of x. They are wrong if that is too large for
// the bin.
func Deposit[T asm.Float](x []T, scale T) (words binned.Words, largest uint64) {
	if Single[T]() {
		var lanes [64]int32
		f32.Deposit(As32(x), float32(scale), &lanes)
		return addLanes(lanes[:])
	}
	var lanes [32]int64
	f64.Deposit(As64(x), float64(scale), &lanes)
	return addLanes(lanes[:])
}

// DepositProducts is Deposit of the rounded products x*y.
func DepositProducts[T asm.Float](x, y []T, scale T) (words binned.Words, largest uint64) {
	if Single[T]() {
		var lanes [64]int32
		f32.DepositProducts(As32(x), As32(y), float32(scale), &lanes)
		return addLanes(lanes[:])
	}
	var lanes [32]int64
	f64.DepositProducts(As64(x), As64(y), float64(scale), &lanes)
	return addLanes(lanes[:])
}

// addLanes adds up the lanes of the bins. The lanes of the magnitudes follow them.
func addLanes[I int32 | int64](lanes []I) (words binned.Words, largest uint64) {
	n := len(lanes) / (binned.Folds + 1)
	for k := range words {
		for _, v := range lanes[k*n:][:n] {
			words[k] += int64(v)
		}
	}
	for _, v := range lanes[binned.Folds*n:] {
		largest = max(largest, uint64(v))
	}
	return words, largest
}
