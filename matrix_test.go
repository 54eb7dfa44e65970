package gridstride_test

import (
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
)

// TestCopyMatrix copies a part of a matrix out of it, and to another place in it.
func TestCopyMatrix(t *testing.T) {
	dev := open(t)
	s := dev.Stream()
	for _, c := range []struct{ rows, cols, ld, partRows, partCols int }{
		{1, 1, 1, 1, 1}, {5, 7, 7, 5, 7}, {5, 7, 9, 3, 2}, {33, 31, 40, 31, 15}, {4, 4, 4, 0, 2}, {4, 4, 4, 2, 0},
	} {
		n := (c.rows-1)*c.ld + c.cols
		want := ramp(n)
		m := copyOf(t, dev, want)
		part := gridstride.Matrix[float32]{Data: m, Rows: c.partRows, Cols: c.partCols, Stride: c.ld}
		packed := gridstride.Matrix[float32]{
			Data: copyOf(t, dev, make([]float32, c.partRows*c.partCols)), Rows: c.partRows, Cols: c.partCols, Stride: c.partCols,
		}
		must(t, gridstride.CopyMatrix(s, packed, part))
		var rows []float32
		for i := range c.partRows {
			rows = append(rows, want[i*c.ld:][:c.partCols]...)
		}
		if got := read(t, s, packed.Data); !slices.Equal(got, rows) {
			t.Errorf("%+v: packed %v, want %v", c, got, rows)
		}
		if 2*c.partCols > c.cols {
			continue
		}
		beside := part
		beside.Data = m.Slice(c.partCols, n)
		must(t, gridstride.CopyMatrix(s, beside, part))
		for i := range c.partRows {
			copy(want[i*c.ld+c.partCols:], want[i*c.ld:][:c.partCols])
		}
		if got := read(t, s, m); !slices.Equal(got, want) {
			t.Errorf("%+v: beside each other %v, want %v", c, got, want)
		}
	}
}

func TestCopyMatrixErrors(t *testing.T) {
	dev := open(t)
	s, b := dev.Stream(), copyOf(t, dev, ramp(20))
	type rows = gridstride.Matrix[float32]
	good := rows{b, 2, 2, 5}
	for _, c := range []struct {
		dst, src rows
		want     string
	}{
		{good, rows{b, 2, 3, 5}, "copy matrix: 2 x 3 elements to 2 x 2"},
		{good, rows{b, 2, 2, 1}, "copy matrix: src has 2 rows and 2 columns, stride 1"},
		{rows{b, -1, 2, 5}, good, "copy matrix: dst has -1 rows and 2 columns, stride 5"},
		{good, rows{b, 5, 1, 5}, "copy matrix: src has 5 rows and 1 columns, stride 5, in a buffer of 20 elements"},
		{good, rows{b.Slice(1, 20), 2, 2, 5}, "copy matrix: rows of dst overlap rows of src; copy by way of a third buffer"},
		{rows{b.Slice(4, 20), 2, 2, 5}, good, "copy matrix: rows of dst overlap rows of src; copy by way of a third buffer"},
		{good, rows{b.Slice(6, 20), 2, 2, 5}, "copy matrix: rows of dst overlap rows of src; copy by way of a third buffer"},
	} {
		wantError(t, gridstride.CopyMatrix(s, c.dst, c.src), gridstride.ErrRange, c.want)
	}
}
