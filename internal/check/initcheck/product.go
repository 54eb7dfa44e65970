package initcheck

import (
	"slices"

	"github.com/gridstride/gridstride/internal/sim"
)

// product takes unwritten data through mma: an element of D is made of a row of A, a column of B, and
// an element of C. Rows that nobody reads may be unwritten, as those of a tile at the edge of a matrix
// are.
func (c *Check) product(w *warpState, e *sim.WarpSync) {
	in := e.Site.Instr
	var regs [4][]int // of D, A, B, C
	for i := range regs {
		regs[i] = c.elementsOf(e.Site, in.Args[i])
	}
	rows := 2 // in eights
	if slices.Contains(in.Mods, "m8n8k4") {
		rows = 1
	}
	perRegister := 2 * rows / len(regs[0]) // elements of D
	var out [8][sim.WarpSize]taint
	for lane := range sim.WarpSize {
		for i := range regs[0] {
			first := i * perRegister
			t := w.get(regKey{e.Frame, regs[3][i]}, lane)
			for row := lane &^ 3; row <= lane|3; row++ {
				for k := first / 2; k < len(regs[1]); k += rows {
					t = t.or(w.get(regKey{e.Frame, regs[1][k]}, row))
				}
			}
			for col := 2*(lane&3) + first%2; col <= 2*(lane&3)+(first+perRegister-1)%2; col++ {
				for part := range 4 {
					for _, reg := range regs[2] {
						t = t.or(w.get(regKey{e.Frame, reg}, 4*col+part))
					}
				}
			}
			out[i][lane] = t
		}
	}
	for i, reg := range regs[0] {
		for lane, t := range out[i] {
			c.set(w, regKey{e.Frame, reg}, lane, c.usedBy(e.Site, t))
		}
	}
}
