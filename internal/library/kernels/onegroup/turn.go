package onegroup

import "github.com/gridstride/gridstride/gpu"

// InLine is the offset of 16 bytes of a line, in elements of 32 bits.
func InLine(line, at int) int { return 4 * (line*8 + (at ^ line&7)) }

// Turn gives put the squares of four rows, or columns, by four along k of a tile: the panel, and in
// that which they are. The lines of 16 bytes of those that follow each other do not meet in a bank,
// neither as they are nor as they become.
func Turn(rows, threads int, put func(panel, across, k int)) {
	for i := gpu.ThreadIdx.X; i < rows*Depth32/16; i += threads {
		put(i/64, i%8^i/8%8, i%8)
	}
}
