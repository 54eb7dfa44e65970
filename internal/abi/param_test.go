package abi

import "testing"

func TestParamBlock(t *testing.T) {
	t.Parallel()
	var b ParamBlock
	for i, p := range []struct{ size, align, offset int }{
		{1, 1, 0}, {2, 2, 2}, {1, 1, 4}, {8, 8, 8}, {12, 4, 16}, {16, 16, 32}, {1, 1, 48}, {8, 8, 56},
	} {
		if at := b.Add(p.size, p.align); at != p.offset {
			t.Errorf("parameter %d is at %d, want %d", i, at, p.offset)
		}
	}
	if b.Size != 64 {
		t.Errorf("the block has %d bytes, want 64", b.Size)
	}
}
