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

// TestTensor compares counts of products on tensor cores with what can be worked out: 16 by 8 by 16
// multiply-adds an instruction of a warp, or 16 by 128 or 256 by 16; both factors copied once for
// each tile; and places that are under way while others are multiplied.
func TestTensor(t *testing.T) {
	t.Parallel()
	const rows, n, place = 256, 256, 1 << 15
	list, err := Tensor(rows, n)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Variant{}
	for _, v := range list {
		got[v.Name] = v
		if v.TensorMultiplyAdds != rows*rows*n {
			t.Errorf("%s: %d multiply-adds", v.Name, v.TensorMultiplyAdds)
		}
		conflicts := uint64(0)
		if v.Name == "stores" { // whose sums go to shared memory two lanes to a bank
			conflicts = rows * rows / 32
		}
		if v.SharedPasses != v.SharedIdealPasses+conflicts {
			t.Errorf("%s: %d passes, and %d would do", v.Name, v.SharedPasses, v.SharedIdealPasses)
		}
	}
	for name, want := range map[string]struct{ products, copied, most uint64 }{
		"fragments":  {rows * rows * n / (16 * 8 * 16), 0, 0},
		"shared":     {rows * rows * n / (16 * 8 * 16), 4 * 4 * place, place},
		"double":     {rows * rows * n / (16 * 8 * 16), 4 * 4 * place, place},
		"stages":     {rows * rows * n / (16 * 8 * 16), 4 * 4 * place, 2 * place},
		"tma":        {rows * rows * n / (16 * 8 * 16), 4 * 4 * place, 3 * place},
		"warpgroups": {rows * rows * n / (16 * 128 * 16), 4 * 4 * place, 3 * place},
		"roles":      {rows * rows * n / (16 * 256 * 16), 2 * 4 * 3 * place / 2, 4 * 3 * place / 2},
		"clusters":   {rows * rows * n / (16 * 256 * 16), 2 * 4 * 3 * place / 2, 4 * 3 * place / 2},
		"persistent": {rows * rows * n / (16 * 256 * 16), 2 * 4 * 3 * place / 2, 4 * 3 * place / 2},
		"stores":     {rows * rows * n / (16 * 256 * 16), 2*4*3*place/2 + 4*rows*rows, 4 * 3 * place / 2},
	} {
		if v := got[name]; v.TensorInstructions != want.products || v.CopiedBytes != want.copied || v.MostBytesInFlight != want.most {
			t.Errorf("%s: %d products, %d bytes copied, %d in flight at most, want %+v", name, v.TensorInstructions, v.CopiedBytes,
				v.MostBytesInFlight, want)
		}
	}
	// Blocks of a cluster read the rows of B once for both.
	if r, c := got["roles"], got["clusters"]; r.GlobalSectors-c.GlobalSectors != rows*n*2/32 {
		t.Errorf("roles has %d sectors, clusters %d", r.GlobalSectors, c.GlobalSectors)
	}
}
