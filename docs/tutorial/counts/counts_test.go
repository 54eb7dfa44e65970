package counts

import "testing"

// TestLadder compares counts with what can be worked out: bytes that must be read, and barriers of
// all warps.
func TestLadder(t *testing.T) {
	t.Parallel()
	const n, block, warps = 4096, 256, 8
	list, err := Ladder(n, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Variant{}
	for _, v := range list {
		got[v.Name] = v
		if read := uint64(2 * n * 4 / 32); v.GlobalSectors < read || v.GlobalSectors > 2*read {
			t.Errorf("%s: %d sectors, and %d hold the vectors", v.Name, v.GlobalSectors, read)
		}
	}
	if c := got["sequential"]; c.BarrierWaits != n/block*warps*9 { // one behind the stores, one for each of 8 levels
		t.Errorf("sequential: %d waits at barriers", c.BarrierWaits)
	}
	if c, s := got["conflicting"], got["sequential"]; c.SharedRequests != s.SharedRequests ||
		c.SharedPasses < 2*s.SharedPasses {
		t.Errorf("conflicting has %d requests in %d passes, sequential %d in %d", c.SharedRequests, c.SharedPasses,
			s.SharedRequests, s.SharedPasses)
	}
}

// TestProducts compares counts of matrix products with each other.
func TestProducts(t *testing.T) {
	t.Parallel()
	list, err := Products(32)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Variant{}
	for _, v := range list {
		got[v.Name] = v
	}
	if naive, tiled := got["naive-16x16"], got["tiled-16"]; naive.SharedPasses != 0 || tiled.SharedPasses == 0 ||
		tiled.GlobalSectors >= naive.GlobalSectors {
		t.Errorf("naive %+v, tiled %+v", naive.Counts, tiled.Counts)
	}
}
