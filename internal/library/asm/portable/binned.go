package portable

import (
	"github.com/gridstride/gridstride/internal/math/binned"
)

// Deposit32 and the next three add the slices of x, or of the rounded products x*y, that are in
// units of a bin when multiplied by scale (package binned), and find the largest magnitude. There
// are lanes of Folds words and of the magnitude, one after another. Here the first lanes have all.
func Deposit32(x []float32, scale float32, lanes *[64]int32) {
	words, top := deposit[float32, uint32, binned.Single](x, nil, scale)
	*lanes = [64]int32{0: int32(words[0]), 16: int32(words[1]), 32: int32(words[2]), 48: int32(top)}
}

// DepositProducts32 is Deposit32 of x*y.
func DepositProducts32(x, y []float32, scale float32, lanes *[64]int32) {
	words, top := deposit[float32, uint32, binned.Single](x, y, scale)
	*lanes = [64]int32{0: int32(words[0]), 16: int32(words[1]), 32: int32(words[2]), 48: int32(top)}
}

// Deposit64 is Deposit32 of float64.
func Deposit64(x []float64, scale float64, lanes *[32]int64) {
	words, top := deposit[float64, uint64, binned.Double](x, nil, scale)
	*lanes = [32]int64{0: words[0], 8: words[1], 16: words[2], 24: int64(top)}
}

// DepositProducts64 is Deposit64 of x*y.
func DepositProducts64(x, y []float64, scale float64, lanes *[32]int64) {
	words, top := deposit[float64, uint64, binned.Double](x, y, scale)
	*lanes = [32]int64{0: words[0], 8: words[1], 16: words[2], 24: int64(top)}
}

func deposit[T binned.Float, U binned.Word, F binned.Format[T, U]](x, y []T, scale T) (words binned.Words, top U) {
	var f F
	for first := 0; first < len(x); first += binned.Deposits {
		var acc [binned.Folds]T
		for k := range acc {
			acc[k] = f.Float(binned.Start[T, U, F](k))
		}
		for i := first; i < min(first+binned.Deposits, len(x)); i++ {
			v := x[i]
			if y != nil {
				v = T(v * y[i])
			}
			top = max(top, binned.Magnitude[T, U, F](v))
			binned.Deposit[T, U, F](T(v*scale), &acc)
		}
		for k := range acc {
			words[k] += binned.Slices[T, U, F](acc[k], k)
		}
	}
	return words, top
}
