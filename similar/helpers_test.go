package similar_test

import (
	"math"

	"github.com/gridstride/gridstride/similar/weight"
)

var (
	nan       = math.NaN()
	badWeight = weight.BM25(-1, 0)
)

func second[T any](_ T, err error) error { return err }
