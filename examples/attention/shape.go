package main

import (
	"fmt"
	"math"

	"github.com/gridstride/gridstride/gpu"
)

// Chunk is eight numbers of a row: 16 bytes, as many as one instruction copies.
type Chunk [8]gpu.BFloat16

// Row64 is a query, a key or a value of a head of size 64.
type Row64 [8]Chunk

// Row128 is a query, a key or a value of a head of size 128.
type Row128 [16]Chunk

// Row is a query, a key or a value.
type Row interface{ Row64 | Row128 }

// Shape is the size of each head.
type Shape struct {
	Queries, Keys int // of each head
	Causal        bool
	Scale         float32 // of the products of queries and keys, more than 0: mostly 1/√size
}

// sees reports whether there are such a query and such a key, and the query takes part of the key's
// value. In a causal shape the last query sees all keys, and each earlier one a key less.
func (s *Shape) sees(query, key int) bool {
	return query < s.Queries && key < s.Keys && (!s.Causal || key <= query+s.Keys-s.Queries)
}

// seesAll reports whether a tile of queries sees all of a tile of keys.
func (s *Shape) seesAll(query, key int) bool {
	return query+tileRows <= s.Queries && key+tileRows <= s.Keys &&
		(!s.Causal || key+tileRows <= query+s.Keys-s.Queries+1)
}

// keysOf is how many keys the queries of a tile see, from the first key on.
func (s *Shape) keysOf(firstQuery int) int {
	if s.Causal {
		return min(s.Keys, firstQuery+tileRows+s.Keys-s.Queries)
	}
	return s.Keys
}

// queriesOf is the first of the queries that see a key of a tile, or one of its tile. All later
// ones see it too.
func (s *Shape) queriesOf(firstKey int) int {
	if s.Causal {
		return max(0, firstKey-s.Keys+s.Queries) / tileRows * tileRows
	}
	return 0
}

// binaryScale is Scale for powers of two: e^(Scale*x) is 2^(binaryScale*x).
func (s *Shape) binaryScale() float32 { return s.Scale * math.Log2E }

// check says what is wrong with a shape and the numbers of its rows.
func (s *Shape) check(heads, q, k, v, grad int) error {
	switch {
	case s.Queries < 1 || s.Keys < 1 || heads < 1:
		return fmt.Errorf("%d heads of %d queries and %d keys; want at least one of each", heads, s.Queries, s.Keys)
	case heads > maxHeads || s.Queries > maxRows || s.Keys > maxRows:
		return fmt.Errorf("%d heads of %d queries and %d keys; want at most %d heads, and %d of each",
			heads, s.Queries, s.Keys, maxHeads, maxRows)
	case q != heads*s.Queries || grad != q || k != heads*s.Keys || v != k:
		return fmt.Errorf("%d queries, %d gradients, %d keys and %d values; want %d, %d, %d and %d in %d heads",
			q, grad, k, v, heads*s.Queries, heads*s.Queries, heads*s.Keys, heads*s.Keys, heads)
	case !(s.Scale > 0) || math.IsInf(float64(s.Scale), 1):
		return fmt.Errorf("the scale is %v; want a number above 0", s.Scale)
	}
	return nil
}

// A grid has a row of blocks for each head, and CUDA takes 65,535.
const maxHeads, maxRows = 65535, 1 << 30
