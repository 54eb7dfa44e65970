package tool

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// Group makes one finding of those with one cause: races that one barrier mends, and what follows
// from an mbarrier that counts wrong bytes or is awaited in the wrong phase. The others are counted
// under the finding that stays. It leaves out no finding that is allowed, and none because of one.
func (b *Book) Group(list []*report.Finding) []*report.Finding {
	under := make([]bool, len(list))
	for _, covers := range []func(main, other *report.Finding) bool{b.follows, b.samePlaces, b.sameBarrier} {
		for _, i := range b.byReach(list, under, covers) {
			for k, other := range list {
				if !under[i] && !under[k] && i != k && b.groups(list[i], other) && covers(list[i], other) {
					under[k] = true
					list[i].Also = append(list[i].Also, pairText(other))
					list[i].Also = append(list[i].Also, other.Also...)
					list[i].Count += other.Count
					list[i].Blocks = max(list[i].Blocks, other.Blocks)
				}
			}
		}
	}
	var rest []*report.Finding
	for i, f := range list {
		if !under[i] {
			f.Also = slices.DeleteFunc(f.Also, func(s string) bool { return s == pairText(f) })
			slices.Sort(f.Also)
			f.Also = slices.Compact(f.Also)
			rest = append(rest, f)
		}
	}
	return rest
}

// byReach lists findings by how many others each covers, most first, and as they come where two
// cover as many.
func (b *Book) byReach(list []*report.Finding, under []bool, covers func(main, other *report.Finding) bool) []int {
	const most = 64 // findings that are compared: the square of it
	var order []int
	reach := make([]int, len(list))
	for i := range list {
		if under[i] {
			continue
		}
		order = append(order, i)
		for k := range list {
			if i != k && !under[k] && len(list) <= most && b.groups(list[i], list[k]) && covers(list[i], list[k]) {
				reach[i]++
			}
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return reach[y] - reach[x] })
	return order
}

// groups reports whether a finding may be counted under another at all.
func (b *Book) groups(main, other *report.Finding) bool {
	return main.Level != report.Note && main.Level == other.Level && main.Kernel == other.Kernel && main.Allowed == "" && other.Allowed == ""
}

// reachOf is how far apart threads are that a cause concerns; 0 for a cause of another kind.
func reachOf(c report.Cause) int {
	switch c {
	case report.NoWarpSync:
		return 1
	case report.NoBarrier, report.BarrierTooLate, report.InitUnordered:
		return 2
	case report.NoClusterBarrier:
		return 3
	case report.BlocksUnordered:
		return 4
	}
	return 0
}

// samePlaces covers a race of nearer threads at the same two places: what orders the farther ones
// orders them.
func (b *Book) samePlaces(main, other *report.Finding) bool {
	x, y := main.Identity(), other.Identity()
	near := reachOf(other.Cause)
	if other.Cause == report.SameInstruction {
		near = 1
	}
	if main.Cause == report.InitUnordered || other.Cause == report.InitUnordered {
		return false // of threads of one block, or of several: their orders tell
	}
	return main.Kind == other.Kind && x.Space == y.Space && x.At == y.At && near > 0 && reachOf(main.Cause) >= near &&
		(reachOf(main.Cause) > near || main.Compare(other) < 0)
}

// sameBarrier covers a race that the barriers of another one's fix order as well.
func (b *Book) sameBarrier(main, other *report.Finding) bool {
	x, y := b.Order(main), b.Order(other)
	return x != nil && y != nil && main.Kind == other.Kind && x.reach >= y.reach &&
		reachOf(main.Cause) > 0 && reachOf(other.Cause) > 0 && b.Covers(x, y)
}

// follows covers what an mbarrier in the wrong phase, or one that expects wrong bytes, leads to.
func (b *Book) follows(main, other *report.Finding) bool {
	switch main.Cause {
	case report.PhaseNeverEnds:
		return strings.HasPrefix(main.Fix, expectBytes) && slices.Contains([]report.Cause{
			report.NoMbarrierWait, report.NoCopyWait, report.WaitTooLate, report.FactorWritten,
		}, other.Cause)
	case report.WrongPhase:
		return slices.Contains([]report.Cause{report.PhaseNeverEnds, report.TooManyArrivals, report.PhasesMixed}, other.Cause) ||
			other.Cause == report.WrongPhase && main.Compare(other) < 0
	case report.PhasesMixed:
		return other.Cause == report.PhaseNeverEnds || other.Cause == report.PhasesMixed && main.Compare(other) < 0
	case report.TooManyArrivals:
		return other.Cause == report.PhaseNeverEnds
	}
	return false
}

// expectBytes begins the advice for a phase that waits for the wrong number of bytes.
const expectBytes = "expect as many bytes"

// pairText is a finding in a few words: "write k.go:3, read k.go:5".
func pairText(f *report.Finding) string {
	var list []string
	for i := range f.Witnesses {
		w := &f.Witnesses[i]
		at, _, _ := strings.Cut(w.PTX, ": ")
		if w.Source.Line > 0 {
			at = fmt.Sprintf("%s:%d", report.Base(w.Source.File), w.Source.Line)
		}
		if w.Thread != nil {
			list = append(list, w.Role+" "+at)
		}
	}
	if list == nil {
		return f.Summary
	}
	return strings.Join(list, ", ")
}
