package tool

import (
	"fmt"
	"math/bits"
	"path"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// Threads is threads of a block: lanes of each warp.
type Threads []uint32

// Empty says whether there is none.
func (t Threads) Empty() bool {
	return !slices.ContainsFunc(t, func(lanes uint32) bool { return lanes != 0 })
}

// ranges lists the threads' linear indices, both ends included.
func (t Threads) ranges() (list [][2]int, n int) {
	for i, m := range t {
		n += bits.OnesCount32(m)
		for ; m != 0; m &= m - 1 {
			x := i*abi.WarpSize + LaneOf(m)
			if k := len(list) - 1; k >= 0 && list[k][1] == x-1 {
				list[k][1] = x
			} else {
				list = append(list, [2]int{x, x})
			}
		}
	}
	return list, n
}

// String lists the threads' linear indices: "0..30, 33".
func (t Threads) String() string {
	list, _ := t.ranges()
	var s []string
	for _, r := range list {
		if r[0] == r[1] {
			s = append(s, fmt.Sprint(r[0]))
		} else {
			s = append(s, fmt.Sprintf("%d..%d", r[0], r[1]))
		}
	}
	return strings.Join(s, ", ")
}

// Crowd is a witness of many threads of a block.
func (b *Book) Crowd(role string, at *event.Site, st *Block, set Threads) report.Witness {
	p := b.OwnWitness(role, at)
	p.Ranges, p.Threads = set.ranges()
	p.Block = new(st.Index)
	return p
}

// OwnWitness is Witness, except for an instruction inside a function of a library: then the witness
// is the kernel's call of that function, since that is the line that the kernel's author can move.
func (b *Book) OwnWitness(role string, at *event.Site) report.Witness {
	p := b.Witness(role, at)
	if n := ownDepth(at); n > 0 {
		p.Note = "in " + LineOf(at)
		p.Source, p.Stack = at.Stack[n-1], at.Stack[n:]
		p.Text = b.Line(p.Source)
	}
	return p
}

// ownDepth is the number of calls between an instruction and the files of the kernel's directory, 0
// if it is in one of them.
func ownDepth(at *event.Site) int {
	if at == nil || len(at.Stack) == 0 {
		return 0
	}
	home := path.Dir(at.Stack[len(at.Stack)-1].File)
	for n, s := range slices.Concat([]event.Position{at.Source}, at.Stack) {
		if path.Dir(s.File) == home {
			return n
		}
	}
	return 0
}

// OwnCall is "the call at dot.go:24" of an instruction that is in a library, "" for others.
func OwnCall(at *event.Site) string {
	n := ownDepth(at)
	if n == 0 {
		return ""
	}
	return "the call at " + LineOf(&event.Site{Source: at.Stack[n-1]})
}
