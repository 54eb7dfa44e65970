package racecheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
)

// ways tells at which branches threads part, so that no finding puts a barrier where only some of
// them come.
type ways struct {
	warp  map[int32]bool // lanes of a warp part there,
	block map[int32]bool // warps of a block,
	grid  map[int32]bool // blocks
	// first is how often warps go either way there, of the first block that has ended.
	first map[int32][2]uint32
}

func newWays() ways {
	return ways{map[int32]bool{}, map[int32]bool{}, map[int32]bool{}, map[int32][2]uint32{}}
}

// branch counts the way that a warp goes.
func (r *Check) branch(st *blockState, e *event.Branch) {
	ws, site := &st.warps[e.Index], r.run.Site(e.Site)
	r.moved(ws, site)
	if int(site) >= len(ws.ways) {
		ws.ways = append(ws.ways, make([][2]uint32, int(site)+16-len(ws.ways))...)
	}
	way := &ws.ways[site]
	switch {
	case e.Site.Does.Kind == ptx.Switches || e.Taken != 0 && e.Taken != e.Mask:
		r.ways.warp[site] = true
	case e.Taken != 0:
		way[0]++
	default:
		way[1]++
	}
}

// compareWays compares the ways of the warps of a block that has ended.
func (r *Check) compareWays(st *blockState) {
	most := 0
	for i := range st.warps {
		most = max(most, len(st.warps[i].ways))
	}
	for site := range int32(most) {
		for i := range st.warps {
			way := [2]uint32{}
			if ways := st.warps[i].ways; int(site) < len(ways) {
				way = ways[site]
			}
			if i == 0 {
				first, ok := r.ways.first[site]
				if !ok && way != first {
					r.ways.first[site] = way
				} else if way != first {
					r.ways.grid[site] = true
				}
			} else if way != st.warps[0].way(site) {
				r.ways.block[site] = true
			}
		}
	}
	for i := range st.warps {
		clear(st.warps[i].ways)
	}
}

func (ws *warpState) way(site int32) [2]uint32 {
	if int(site) < len(ws.ways) {
		return ws.ways[site]
	}
	return [2]uint32{}
}

// split returns a function that reports whether the threads of a relation part at a branch of a
// function.
func (r *Check) split(function string, rel relation) func(branch int) bool {
	parts := map[int]bool{}
	for number, at := range r.run.Sites() {
		site := int32(number + 1)
		if at.Func == function && (r.ways.warp[site] || rel >= inBlock && r.ways.block[site] ||
			rel >= inCluster && r.ways.grid[site]) {
			parts[at.Index] = true
		}
	}
	return func(branch int) bool { return parts[branch] }
}

// lacksBarrier has the causes that say that the threads of a race do not meet between its places.
var lacksBarrier = map[report.Cause]bool{
	report.NoBarrier: true, report.NoWarpSync: true, report.BarrierTooLate: true,
	report.NoClusterBarrier: true, report.BlocksUnordered: true, report.InitUnordered: true,
}

// order finds where a barrier goes that orders the two places of a race, in each direction in which
// threads can go from one to the other; nil if the race has another cause or no way leads.
func (r *Check) order(s *raceSeen) *tool.Order {
	if !lacksBarrier[s.cause] || s.relation == inInstruction {
		return nil
	}
	reach, insert := tool.OfBlock, "bar.sync 0;"
	switch s.relation {
	case inWarp:
		reach, insert = tool.OfWarp, "bar.warp.sync -1;"
	case inCluster:
		reach, insert = tool.OfCluster, "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
	case inGrid:
		reach, insert = tool.OfGrid, ""
	}
	if s.unwaited && insert != "" {
		insert = "cp.async.wait_all; " + insert
	}
	first, second := r.run.SiteAt(s.earlier), r.run.SiteAt(s.later)
	var late *event.Site
	switch {
	case s.unwaited:
	case s.witness.first.flags&isCopy != 0:
		late = first
	case s.witness.second.flags&isCopy != 0:
		late = second
	}
	return r.run.NewOrder(first, second, late, reach, insert, r.split(first.Func, s.relation))
}

// places says where the barriers of an order go, in the words of a report: a list of places such as
// " between k.go:3 and k.go:5", with ", and" between them.
func (r *Check) places(o *tool.Order, rel relation) string {
	var list []string
	split := r.split(o.Func, rel)
	for i, way := range o.Ways {
		if way[0] < 0 {
			list = append(list, " at the end of the loop, after "+r.run.BranchText(r.run.SiteOf(o.Func, way[1])))
			continue
		}
		from, to, at := r.run.SiteOf(o.Func, way[0]), r.run.SiteOf(o.Func, way[1]), r.run.SiteOf(o.Func, o.Before[i])
		place, byAll := r.placeOf(from, to, at, split)
		if !byAll {
			o.Insert = "" // the statement has to be split
		}
		list = append(list, place)
	}
	slices.Sort(list) // of copies that the compiler made, once
	return strings.Join(slices.Compact(list), ", and")
}

// placeOf is one of the places: before the instruction at, on the way from one to another. byAll
// reports whether all threads come there.
func (r *Check) placeOf(from, to, at *event.Site, split func(branch int) bool) (place string, byAll bool) {
	if from.Index >= to.Index {
		behind := tool.LineOf(from)
		if branch, ok := r.run.Outermost(from.Func, from.Index, at.Index, split); ok {
			behind = r.run.BranchText(branch)
		}
		if at.Index > from.Index || at.Source.Line == 0 {
			return " at the end of the loop, after " + behind, true
		}
		return " at the start of the loop, before " + tool.LineOf(at), true
	}
	branch, ok := r.run.Outermost(from.Func, from.Index, at.Index, split)
	if !ok || from.Source.File != to.Source.File {
		return r.between(from, to), true
	}
	line := r.statement(branch.Source, to.Source)
	if line <= from.Source.Line { // the statement of the branch is around both
		return r.notByAll(from, to, split), from.Source.Line == to.Source.Line
	}
	return fmt.Sprintf(" between the end of %s and %s", r.run.BranchText(branch),
		event.Position{File: report.Base(to.Source.File), Line: line}), true
}

// notByAll is the place of a barrier that has to move out of the branch around both accesses: on
// each way from one to the other.
func (r *Check) notByAll(one, two *event.Site, split func(branch int) bool) string {
	outside := ", to which all threads have to come"
	noLoop := func(i int) bool { // the compiler parts threads between copies of a loop
		return split(i) && !strings.HasPrefix(r.run.Line(r.run.SiteOf(one.Func, i).Source), "for")
	}
	if branch, ok := r.run.OutermostAround(one, two, noLoop); ok {
		outside = ", outside of " + r.run.BranchText(branch) + ", which not all of them enter"
	}
	if tool.LineOf(one) == tool.LineOf(two) {
		return " between the read and the write of " + tool.LineOf(one) + outside + ": read into a variable first"
	}
	var list []string
	for _, way := range [][2]*event.Site{{one, two}, {two, one}} {
		if r.run.Leads(way[0], way[1]) {
			list = append(list, fmt.Sprintf("between %s and %s", tool.LineOf(way[0]), tool.LineOf(way[1])))
		}
	}
	slices.Sort(list)
	return " " + strings.Join(list, " and ") + outside
}
