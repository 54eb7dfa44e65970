package comm

import (
	"fmt"
	"strings"
)

// collective is a call with all that the ranks agree on.
type collective struct {
	Call    string
	Op      Op
	Root    int
	N       int
	Element string
	Peer    int // of a transfer: the other rank
}

// The calls of the two ranks of a transfer.
const (
	sendCall = "Send"
	recvCall = "Recv"
)

// noOp and noRoot are for a collective that has none.
const (
	noOp   = Op(-1)
	noRoot = -1
)

// transfers reports that the call is of two ranks alone.
func (c collective) transfers() bool { return c.Call == sendCall || c.Call == recvCall }

// ends are the ranks that a transfer is from and to, where rank has entered it.
func (c collective) ends(rank int) (from, to int) {
	if c.Call == sendCall {
		return rank, c.Peer
	}
	return c.Peer, rank
}

// members are the ranks that a collective needs, which one rank of ranks has entered.
func (c collective) members(rank, ranks int) []int {
	if c.transfers() {
		return []int{min(rank, c.Peer), max(rank, c.Peer)}
	}
	all := make([]int, ranks)
	for i := range all {
		all[i] = i
	}
	return all
}

// same reports that what two ranks have entered is to be one: collectives of all ranks, or the two
// ends of a transfer.
func (c collective) same(rank int, d collective, other int) bool {
	if !c.transfers() || !d.transfers() {
		return c.transfers() == d.transfers()
	}
	from, to := c.ends(rank)
	from2, to2 := d.ends(other)
	return from == from2 && to == to2
}

// fits reports that two ranks agree on what they have entered, which is the same.
func (c collective) fits(d collective) bool {
	if c.transfers() {
		return c.N == d.N && c.Element == d.Element
	}
	return c == d
}

func (c collective) String() string {
	var b strings.Builder
	b.WriteString(c.Call)
	if c.Op != noOp {
		name := fmt.Sprintf("operation %d", c.Op)
		if c.Op >= Sum && c.Op <= Max {
			name = [...]string{Sum: "Sum", Prod: "Prod", Min: "Min", Max: "Max"}[c.Op]
		}
		fmt.Fprintf(&b, "(%s)", name)
	}
	switch {
	case c.Root != noRoot:
		fmt.Fprintf(&b, " with root %d", c.Root)
	case c.Call == sendCall:
		fmt.Fprintf(&b, " to rank %d", c.Peer)
	case c.Call == recvCall:
		fmt.Fprintf(&b, " from rank %d", c.Peer)
	}
	fmt.Fprintf(&b, " of %d %s", c.N, c.Element)
	return b.String()
}
