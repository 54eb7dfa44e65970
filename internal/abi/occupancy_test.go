package abi

import "testing"

// TestActiveBlocks compares with what NVIDIA's occupancy calculator gives for kernels of few
// registers.
func TestActiveBlocks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ sm, threads, shared, want int }{
		{90, 1024, 0, 2},
		{90, 256, 0, 8},
		{90, 257, 0, 7},        // nine warps
		{90, 32, 0, 32},        // blocks
		{90, 1, 0, 32},         // a warp each
		{90, 256, 48 << 10, 4}, // 49 KiB each of 228
		{90, 256, 227 << 10, 1},
		{90, 256, 227<<10 + 1, 0},
		{75, 256, 0, 4},
		{75, 256, 32 << 10, 2}, // nothing is reserved
		{86, 768, 0, 2},
		{86, 1024, 0, 1},
		{90, 1025, 0, 0},
		{90, 0, 0, 0},
		{90, 1, -1, 0},
	} {
		if got := LimitsOf(c.sm).ActiveBlocks(c.threads, c.shared); got != c.want {
			t.Errorf("sm_%d, %d threads, %d bytes: %d blocks, want %d", c.sm, c.threads, c.shared, got, c.want)
		}
	}
	for _, c := range []struct{ sm, threads, registers, want int }{
		{90, 256, 0, 8}, // not known
		{90, 256, 32, 8},
		{90, 256, 33, 6}, // 40 are given: 12 warps a quarter
		{90, 256, 64, 4},
		{90, 256, 255, 1}, // two warps a quarter
		{90, 1024, 65, 0}, // the launch fails
		{90, 96, 128, 5},  // 16 warps, of which a block takes three
		{86, 256, 40, 6},
	} {
		if got := LimitsOf(c.sm).ActiveBlocksOf(c.threads, 0, c.registers); got != c.want {
			t.Errorf("sm_%d, %d threads of %d registers: %d blocks, want %d", c.sm, c.threads, c.registers, got, c.want)
		}
	}
	for _, c := range []struct{ sm, shared, most, want int }{
		{90, 0, 1024, 1024},
		{90, 0, 200, 128}, // 2,048 threads, and not 10 blocks of 192
		{90, 0, 31, 31},
		{86, 0, 1024, 768}, // 1,536 threads, not 1,024
		{90, 227<<10 + 1, 1024, 0},
	} {
		if got := LimitsOf(c.sm).PotentialBlock(c.shared, c.most); got != c.want {
			t.Errorf("sm_%d, %d bytes, at most %d: blocks of %d, want %d", c.sm, c.shared, c.most, got, c.want)
		}
	}
}
