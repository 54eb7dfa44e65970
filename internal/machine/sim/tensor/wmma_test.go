package tensor

import "testing"

// TestWMMAFragments compares the fragments of wmma with an H200's (2026-11-23). There each element
// of a matrix had its row and column as its value, and every lane wrote down its registers, after a
// load of the matrix by rows and one by columns. hash is the FNV-1a hash of the rows and columns of
// all elements of all lanes.
func TestWMMAFragments(t *testing.T) {
	t.Parallel()
	for _, f := range []struct {
		shape    Shape
		matrix   byte
		bits     int
		elements int // with the copies
		hash     uint64
	}{
		{Shape{16, 16, 16}, 'a', 8, 8, 0x6239e5c5b3deb485},
		{Shape{16, 16, 16}, 'a', 16, 8, 0x9dcb173a8b0b8525},
		{Shape{16, 16, 16}, 'a', 16, 16, 0xbabb7d8598fa9725},
		{Shape{16, 16, 16}, 'b', 8, 8, 0xbc6bec57218ab7c5},
		{Shape{16, 16, 16}, 'b', 16, 8, 0x1a72ad3959e03b65},
		{Shape{16, 16, 16}, 'b', 16, 16, 0x37189a84963653a5},
		{Shape{16, 16, 16}, 'c', 16, 8, 0x9dcb173a8b0b8525},
		{Shape{16, 16, 16}, 'c', 32, 8, 0x9dcb173a8b0b8525},
		{Shape{16, 16, 8}, 'a', 32, 4, 0xed8a33c213415ba5},
		{Shape{16, 16, 8}, 'b', 32, 4, 0x25515f8e6586f945},
		{Shape{16, 16, 8}, 'c', 32, 8, 0x9dcb173a8b0b8525},
		{Shape{32, 8, 16}, 'a', 8, 16, 0xeeb8b8f52e10e965},
		{Shape{32, 8, 16}, 'a', 16, 16, 0x531959c2b84cc225},
		{Shape{32, 8, 16}, 'b', 8, 4, 0x45bd1701f9ae9da5},
		{Shape{32, 8, 16}, 'b', 16, 4, 0x13216b7b2aba5b05},
		{Shape{32, 8, 16}, 'b', 16, 16, 0x1beffa048e3a4e25},
		{Shape{32, 8, 16}, 'c', 16, 8, 0x7ef0addb3c14e1e5},
		{Shape{32, 8, 16}, 'c', 32, 8, 0x7ef0addb3c14e1e5},
		{Shape{8, 32, 16}, 'a', 8, 4, 0xbea40b99b82a98c5},
		{Shape{8, 32, 16}, 'a', 16, 4, 0xcf79b455c05dfa25},
		{Shape{8, 32, 16}, 'a', 16, 16, 0xa9af09093f195da5},
		{Shape{8, 32, 16}, 'b', 8, 16, 0xfe19056b0707e465},
		{Shape{8, 32, 16}, 'b', 16, 16, 0x88d5d9d081ceada5},
		{Shape{8, 32, 16}, 'c', 16, 8, 0xc5822e5306879a25},
		{Shape{8, 32, 16}, 'c', 32, 8, 0xc5822e5306879a25},
		{Shape{8, 8, 4}, 'a', 64, 1, 0x49a258f434ccb745},
		{Shape{8, 8, 4}, 'b', 64, 1, 0xbbe3035aa0fcfc05},
		{Shape{8, 8, 4}, 'c', 64, 2, 0xefc5fc9b3aeb5bc5},
	} {
		got := f.shape.WMMA(f.matrix, f.bits)
		hash := uint64(0xcbf29ce484222325)
		add := func(x int) { hash = (hash ^ uint64(x)) * 0x100000001b3 }
		for lane := range 32 {
			for i := range f.elements {
				row, col := got.Place(lane, i%got.Elements)
				add(row)
				add(col)
			}
		}
		if hash != f.hash {
			t.Errorf("%v, %c of %d bits: lane 1 has %d elements, other ones than an H200's lane", f.shape, f.matrix, f.bits, got.Elements)
		}
	}
}
