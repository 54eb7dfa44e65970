package tile_test

import (
	"testing"

	"github.com/gridstride/gridstride/gpu/tile"
)

// TestOrder expects each tile once, in bands.
func TestOrder(t *testing.T) {
	for _, o := range []tile.Order{{0, 3, 1, 8}, {1, 1, 1, 8}, {7, 5, 2, 3}, {8, 3, 1, 8}, {33, 2, 3, 8}} {
		seen := map[[3]int]bool{}
		lastBand := 0
		for i := range o.Tiles() {
			row, col, batch := o.At(i)
			if row < 0 || row >= o.Rows || col < 0 || col >= o.Cols || batch != i/(o.Rows*o.Cols) {
				t.Fatalf("%+v: tile %d is %d, %d of %d", o, i, row, col, batch)
			}
			seen[[3]int{row, col, batch}] = true
			band := batch*o.Rows + row/o.Band
			if band < lastBand {
				t.Errorf("%+v: tile %d is of band %d, behind one of %d", o, i, band, lastBand)
			}
			lastBand = band
		}
		if len(seen) != o.Rows*o.Cols*o.Count {
			t.Errorf("%+v: %d tiles", o, len(seen))
		}
	}
}
