package native

import (
	"sync"

	"github.com/gridstride/gridstride/internal/math/mufu"
)

// curveTable has the curves of the function unit for machine code, which has the address of words. A
// curve's coefficients are three rows. The first row is curve.first bytes from there.
type curveTable struct {
	words  []int32
	curves map[string]curve
	// tanhFirst and tanhShift are where the first pieces are for tanh's exponents, and by how much a
	// fraction is shifted to the right for the number of its piece.
	tanhFirst, tanhShift int32
}

type curve struct {
	first, row    int32 // bytes, and bytes from row to row
	bias          int32 // where the bias of 64 bits is, in bytes
	shift, shift2 byte
}

// curves is the table.
var curves = sync.OnceValue(func() *curveTable {
	t := &curveTable{curves: map[string]curve{}}
	for _, name := range []string{"rcp", "rsqrt", "sqrt", "ex2", "lg2", "sin", "tanh"} {
		of := mufu.CurveOf(name)
		c := curve{row: int32(4 * len(of.C0)), shift: byte(of.Shift), shift2: byte(of.Shift2)}
		c.bias = t.add([]int32{int32(uint32(of.Bias)), int32(of.Bias >> 32)})
		c.first = t.add(of.C0)
		t.add(of.C1)
		t.add(of.C2)
		t.curves[name] = c
	}
	first, bits := mufu.TanhPieces()
	for i := range bits {
		bits[i] = 23 - bits[i]
	}
	t.tanhFirst, t.tanhShift = t.add(first), t.add(bits)
	return t
})

// add appends a row, and returns its place in bytes.
func (t *curveTable) add(row []int32) (at int32) {
	at = int32(4 * len(t.words))
	t.words = append(t.words, row...)
	return at
}
