//go:build linux

package simdriver

import (
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/report"
)

// checkedProgram is a program whose launches are checked. found returns the findings as text.
func checkedProgram(t *testing.T) (p *program, found func() string) {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	var mu sync.Mutex
	var said []string
	checks := &checked.Config{Options: check.Options{Tools: []report.Tool{report.Racecheck}}, Report: func(r *report.Report) error {
		mu.Lock()
		defer mu.Unlock()
		for _, f := range r.Findings {
			said = append(said, f.Summary)
		}
		return nil
	}}
	p = &program{t, NewGuest(Config{Devices: 1, Version: 13000, Memory: 64 << 20, Checks: checks}, func(i int) uintptr { return uintptr(1000 + i) })}
	p.g.Begin()
	p.ok("cuInit", 0)
	var c uintptr
	p.ok("cuCtxCreate_v4", to(&c), 0, 0, 0)
	return p, func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(said, "\n")
	}
}

// TestGraphBranches launches graphs of two kernels that use one buffer: on branches that nothing
// orders, on one branch, and in a child. Only the first is a race, however often it is launched.
func TestGraphBranches(t *testing.T) {
	for name, c := range map[string]struct {
		joined, child, race bool
	}{
		"two branches":            {race: true},
		"one branch":              {joined: true},
		"two branches of a child": {child: true, race: true},
		"one branch of a child":   {joined: true, child: true},
	} {
		t.Run(name, func(t *testing.T) {
			p, found := checkedProgram(t)
			f := p.function()
			var a uint64
			var s1, s2, e, g, x uintptr
			const n = 77
			p.ok("cuMemAlloc_v2", to(&a), 4*n)
			p.ok("cuMemsetD32_v2", uintptr(a), 0, n)
			p.ok("cuStreamCreate", to(&s1), 1)
			p.ok("cuStreamCreate", to(&s2), 1)
			p.ok("cuEventCreate", to(&e), 2)
			p.ok("cuCtxSynchronize")
			p.ok("cuStreamBeginCapture_v2", s1, 0)
			if c.joined {
				p.launch(f, a, n, s1)
			}
			p.ok("cuEventRecord", e, s1)
			p.ok("cuStreamWaitEvent", s2, e, 0)
			if !c.joined {
				p.launch(f, a, n, s1)
			}
			p.launch(f, a, n, s2)
			p.ok("cuEventRecord", e, s2)
			p.ok("cuStreamWaitEvent", s1, e, 0)
			p.ok("cuStreamEndCapture", s1, to(&g))
			if c.child {
				var outer, node, before uintptr
				p.ok("cuGraphCreate", to(&outer), 0)
				p.ok("cuGraphAddEmptyNode", to(&before), outer, 0, 0)
				p.ok("cuGraphAddChildGraphNode", to(&node), outer, to(&before), 1, g)
				g = outer
			}
			p.ok("cuGraphInstantiateWithFlags", to(&x), g, 0)
			for range 2 {
				p.ok("cuGraphLaunch", x, s1)
				p.ok("cuGraphLaunch", x, s2)
			}
			p.ok("cuCtxSynchronize")
			got := found()
			if strings.Contains(got, "two nodes of a graph with no dependency between") != c.race || !c.race && got != "" {
				t.Errorf("found %q, want a race: %t", got, c.race)
			}
			p.ok("cuGraphExecDestroy", x)
		})
	}
}
