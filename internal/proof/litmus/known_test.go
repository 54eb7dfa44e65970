package litmus

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// outcomes are the values that the reads of a program may return, thread by thread, of the
// executions in which no thread ended at a branch.
func (p *program) outcomes() []string {
	set := map[string]bool{}
	p.each(func(x *execution) bool {
		return x.consistent(func(o *orders) bool {
			var s strings.Builder
			for i, e := range o.events {
				if o.from[i] >= 0 {
					fmt.Fprintf(&s, "%d", o.value[i])
				}
				if e.thread >= 0 && (i+1 == o.n || o.events[i+1].thread != e.thread) {
					s.WriteString(" ")
				}
			}
			set[strings.TrimSpace(s.String())] = true
			return true
		})
	})
	var list []string
	for s := range set {
		list = append(list, s)
	}
	slices.Sort(list)
	return list
}

const (
	locX = iota
	locY
	locZ
	locF
	locG
	locH
)

// threads makes a program of threads in separate blocks.
func threads(code ...[]instr) *program {
	p := &program{space: "global"}
	for i, c := range code {
		p.threads = append(p.threads, thread{block: i, code: c})
	}
	return p
}

// oneBlock moves a program's threads to warps of one block.
func (p *program) oneBlock() *program {
	for i := range p.threads {
		p.threads[i].block, p.threads[i].warp = 0, i
	}
	return p
}

func ld(loc int, o order, s scope) instr { return instr{kind: load, loc: loc, order: o, scope: s} }

func st(loc int, o order, s scope) instr {
	return instr{kind: store, loc: loc, order: o, scope: s, val: 1}
}

func fenceOf(o order, s scope) instr { return instr{kind: fence, order: o, scope: s} }

func rmw(loc int, o order, s scope) instr { return instr{kind: add, loc: loc, order: o, scope: s} }

// until is a poll, and then a branch that goes on where the flag is set.
func until(in instr) instr { in.use = poll; return in }
func then(in instr) instr  { in.use, in.want = branch, 1; return in }

// TestOutcomes decides litmus tests of the manual, of the paper and of the field.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	message := func(f, g instr) *program {
		return threads([]instr{st(locX, weak, gpu), f}, []instr{g, ld(locX, weak, gpu)})
	}
	buffer := func(f instr) *program {
		return threads([]instr{st(locX, relaxed, gpu), f, ld(locY, relaxed, gpu)}, []instr{st(locY, relaxed, gpu), f, ld(locX, relaxed, gpu)})
	}
	independent := func(o order, f instr) *program {
		reader := func(a, b int) []instr { return []instr{ld(a, o, gpu), f, ld(b, o, gpu)} }
		return threads([]instr{st(locX, relaxed, gpu)}, reader(locX, locY), reader(locY, locX), []instr{st(locY, relaxed, gpu)})
	}
	none := fenceOf(acqRel, cta)
	none.kind = warpSync
	tests := []struct {
		name    string
		p       *program
		outcome string
		allowed bool
	}{
		{"message, weak", message(st(locF, weak, gpu), ld(locF, weak, gpu)), "10", true},
		{"message, relaxed", message(st(locF, relaxed, gpu), ld(locF, relaxed, gpu)), "10", true},
		{"message, release and acquire", message(st(locF, release, gpu), ld(locF, acquire, gpu)), "10", false},
		{"message, release alone", message(st(locF, release, gpu), ld(locF, relaxed, gpu)), "10", true},
		{"message, scope of a block", message(st(locF, release, cta), ld(locF, acquire, gpu)), "10", true},
		{"message in a block", message(st(locF, release, cta), ld(locF, acquire, cta)).oneBlock(), "10", false},
		{"message, fences", threads(
			[]instr{st(locX, weak, gpu), fenceOf(acqRel, gpu), st(locF, relaxed, gpu)},
			[]instr{ld(locF, relaxed, gpu), fenceOf(acqRel, gpu), ld(locX, weak, gpu)}), "10", false},
		{"message through an atomic", threads(
			[]instr{st(locX, weak, gpu), st(locF, release, gpu)}, []instr{rmw(locF, relaxed, gpu)},
			[]instr{ld(locF, acquire, gpu), ld(locX, weak, gpu)}), "1 20", false},
		{"message passed on", threads(
			[]instr{st(locX, weak, gpu), st(locF, release, gpu)},
			[]instr{ld(locF, acquire, gpu), st(locG, release, gpu)},
			[]instr{ld(locG, acquire, gpu), ld(locX, weak, gpu)}), "1 10", false},
		{"store buffering", buffer(none), "0 0", true},
		{"store buffering, fence.acq_rel", buffer(fenceOf(acqRel, gpu)), "0 0", true},
		{"store buffering, fence.sc", buffer(fenceOf(seqCst, gpu)), "0 0", false},
		{"store buffering, fence.sc.cta", buffer(fenceOf(seqCst, cta)), "0 0", true},
		{"independent reads, acquire", independent(acquire, none), "10 10", true},
		{"independent reads, fence.sc", independent(relaxed, fenceOf(seqCst, gpu)), "10 10", false},
		{"coherence of reads, relaxed", threads([]instr{st(locX, relaxed, gpu)}, []instr{ld(locX, relaxed, gpu), ld(locX, relaxed, gpu)}), "10", false},
		{"coherence of reads, weak", threads([]instr{st(locX, weak, gpu)}, []instr{ld(locX, weak, gpu), ld(locX, weak, gpu)}), "10", true},
		{"load buffering", threads(
			[]instr{ld(locX, relaxed, gpu), st(locY, relaxed, gpu)}, []instr{ld(locY, relaxed, gpu), st(locX, relaxed, gpu)}), "1 1", true},
		{"load buffering with branches", threads(
			[]instr{then(ld(locX, relaxed, gpu)), st(locY, relaxed, gpu)}, []instr{then(ld(locY, relaxed, gpu)), st(locX, relaxed, gpu)}), "1 1", false},
		{"two atomics", threads([]instr{rmw(locX, relaxed, gpu)}, []instr{rmw(locX, relaxed, gpu)}), "0 0", false},
		{"two atomics, one of its block", threads([]instr{rmw(locX, relaxed, cta)}, []instr{rmw(locX, relaxed, gpu)}), "0 0", true},
	}
	for _, tt := range tests {
		if got := slices.Contains(tt.p.outcomes(), tt.outcome); got != tt.allowed {
			t.Errorf("%s: outcome %q allowed: %v, want %v; the outcomes are %q", tt.name, tt.outcome, got, tt.allowed, tt.p.outcomes())
		}
	}
}

// TestRacy decides programs by hand.
func TestRacy(t *testing.T) {
	t.Parallel()
	x := st(locX, weak, gpu)
	bar := instr{kind: barrier}
	tests := []struct {
		name string
		p    *program
		want bool
	}{
		{"two weak writes", threads([]instr{x}, []instr{x}), true},
		{"two relaxed writes", threads([]instr{st(locX, relaxed, gpu)}, []instr{st(locX, relaxed, gpu)}), false},
		{"two relaxed writes, scope too narrow", threads([]instr{st(locX, relaxed, cta)}, []instr{st(locX, relaxed, gpu)}), true},
		{"barrier between", threads([]instr{x, bar}, []instr{bar, x}).oneBlock(), false},
		{"barrier in the other block", threads([]instr{x, bar}, []instr{bar, x}), true},
		{"poll, acquire", threads([]instr{x, st(locF, release, gpu)}, []instr{until(ld(locF, acquire, gpu)), x}), false},
		{"poll, relaxed", threads([]instr{x, st(locF, release, gpu)}, []instr{until(ld(locF, relaxed, gpu)), x}), true},
		{"branch, acquire", threads([]instr{x, st(locF, release, gpu)}, []instr{then(ld(locF, acquire, gpu)), x}), false},
		{"no branch, acquire", threads([]instr{x, st(locF, release, gpu)}, []instr{ld(locF, acquire, gpu), x}), true},
		{"ticket", threads(
			[]instr{x, fenceOf(acqRel, gpu), rmw(locF, relaxed, gpu)},
			[]instr{then(rmw(locF, relaxed, gpu)), fenceOf(acqRel, gpu), x}), false},
		{"ticket without the second fence", threads(
			[]instr{x, fenceOf(acqRel, gpu), rmw(locF, relaxed, gpu)}, []instr{then(rmw(locF, relaxed, gpu)), x}), true},
		{"fence, barrier, one atomic", &program{space: "global", threads: []thread{
			{code: []instr{x, fenceOf(seqCst, gpu), bar}},
			{warp: 1, code: []instr{bar, rmw(locF, relaxed, gpu)}},
			{block: 1, code: []instr{then(ld(locF, relaxed, gpu)), fenceOf(seqCst, gpu), x}},
		}}, false},
		{"the same with fence.acq_rel", &program{space: "global", threads: []thread{
			{code: []instr{x, fenceOf(acqRel, gpu), bar}},
			{warp: 1, code: []instr{bar, rmw(locF, relaxed, gpu)}},
			{block: 1, code: []instr{then(ld(locF, relaxed, gpu)), fenceOf(acqRel, gpu), x}},
		}}, true},
	}
	for _, tt := range tests {
		if got := tt.p.racy(); got != tt.want {
			t.Errorf("%s: racy %v, want %v\n%v", tt.name, got, tt.want, tt.p)
		}
	}
}
