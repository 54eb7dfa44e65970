package effects

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// kernel is the kernel that the cases run in. It fills shared memory before the case runs. %zero,
// %dzero and %hzero are zero, and computed from memory that nothing has written.
const kernel = `.version 8.3
.target sm_90a
.address_size 64
.func (.reg .b32 %%b) same(.reg .b32 %%a) {
	mov.b32 %%b, %%a;
	ret;
}
.visible .entry k(.param .u64 buf, .param .u64 map) .maxntid 128 .maxnreg 64 {
	.reg .b32 %%r<40>, %%zero, %%fill;
	.reg .b64 %%d<40>, %%dzero;
	.reg .b16 %%h<4>, %%hzero;
	.reg .f32 %%f<8>;
	.reg .pred %%p<8>, %%more;
	.shared .align 1024 .b8 s[8192];
	.shared .align 8 .b64 bar;
	.shared .align 4 .b32 unwritten;
	mov.u32 %%r1, s;
	mov.u32 %%r7, %%tid.x;
	mov.u32 %%r31, %%ntid.x;
	shl.b32 %%r31, %%r31, 2;
	shl.b32 %%fill, %%r7, 2;
F:	add.u32 %%r30, %%r1, %%fill;
	st.shared.b32 [%%r30], 0;
	add.u32 %%fill, %%fill, %%r31;
	setp.lt.u32 %%more, %%fill, 8192;
	@%%more bra F;
	mad.lo.u32 %%r2, %%r7, 16, %%r1;
	mov.b32 %%r3, 7;
	mov.b32 %%r4, 0;
	mov.u32 %%r5, bar;
	mov.b32 %%r6, 16;
	mov.b32 %%r8, 1;
	mov.b32 %%r9, 64;
	ld.param.u64 %%d1, [buf];
	mul.wide.u32 %%d2, %%r7, 16;
	add.u64 %%d2, %%d2, %%d1;
	ld.param.u64 %%d3, [map];
	setp.eq.u32 %%p1, %%r3, 7;
	setp.ne.u32 %%p2, %%r3, 7;
	setp.lt.u32 %%p3, %%r7, 32;
	ld.shared.b32 %%zero, [unwritten];
	mul.lo.u32 %%zero, %%zero, 0;
	cvt.u64.u32 %%dzero, %%zero;
	cvt.u16.u32 %%hzero, %%zero;
	fence.proxy.async;
	bar.sync 0;
	%s
	ret;
}
`

// rig is a machine with a kernel for a case.
type rig struct {
	m      *sim.Machine
	entry  *sim.Entry
	instr  *ptx.Instr // of the case
	launch sim.Launch
}

// newRig loads the kernel for a case. before runs before the case's setup, twin right before its
// instruction, and behind after everything. instr is the case's instruction, or one in its place.
func newRig(t testing.TB, c rowCase, before, twin, instr, behind string) *rig {
	t.Helper()
	body := strings.Join([]string{before, c.setup, twin, "CASE:", instr, c.after, behind}, "\n")
	mod, err := ptx.Parse("effects.ptx", fmt.Sprintf(kernel, body))
	if err != nil {
		t.Fatalf("%s: %v", instr, err)
	}
	r := &rig{m: sim.New(sim.Config{Workers: 1}), instr: instrOf(mod)}
	prog, err := r.m.Load(mod)
	if err != nil {
		t.Fatalf("%s: %v", instr, err)
	}
	if r.entry, err = prog.Entry("k"); err != nil {
		t.Fatalf("%s: %v", instr, err)
	}
	buffer := r.alloc(t, make([]byte, 8192))
	as := abi.TensorMap{Type: abi.TensorInt32, Address: buffer, Dims: []uint64{64}, Box: []uint32{4}}
	code := as.Encode()
	params := binary.LittleEndian.AppendUint64(nil, buffer)
	params = binary.LittleEndian.AppendUint64(params, r.alloc(t, code[:]))
	threads := c.threads
	if threads == 0 {
		threads = 32
	}
	r.launch = sim.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{threads, 1, 1}, Params: params}
	return r
}

// instrOf is the instruction at the label CASE.
func instrOf(mod *ptx.Module) *ptx.Instr {
	at := false
	for _, d := range mod.Decls {
		f, ok := d.(*ptx.Func)
		if !ok {
			continue
		}
		for _, s := range f.Body.Stmts {
			switch s := s.(type) {
			case *ptx.Label:
				at = at || s.Name == "CASE"
			case *ptx.Instr:
				if at {
					return s
				}
			}
		}
	}
	return nil
}

func (r *rig) alloc(t testing.TB, data []byte) uint64 {
	t.Helper()
	addr, err := r.m.Alloc(int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	mem, err := r.m.Bytes(addr, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	copy(mem, data)
	return addr
}

// findings are the findings of a tool in a run of a case.
func (r *rig) findings(t testing.TB, tool report.Tool) []*report.Finding {
	t.Helper()
	got, err := check.Run(t.Context(), r.m, r.entry, r.launch, check.Options{Tools: []report.Tool{tool}, Orders: 1, Pedantic: tool == report.Synccheck})
	if err != nil {
		t.Fatalf("%s: %v", r.instr, err)
	}
	var list []*report.Finding
	for i := range got.Findings {
		if got.Findings[i].Tool == tool {
			list = append(list, got.Findings[i])
		}
	}
	return list
}

// watcher records what the machine does at the instruction of a case.
type watcher struct {
	instr *ptx.Instr
	seen
}

// seen counts the events of an instruction.
type seen struct {
	steps, accesses, reads, writes int
	loads, stores, updates         int // without atomics; updates are stores that combine
	bytes                          int // that a lane read and wrote, in all accesses together
	engines                        []event.Engine
	syncs, arrives, noWaits        int
	passes, sources                int
	commits, waits, tests          int
	branches, calls                int
	returns, exits, fences, faults int
}

// Observe implements event.Observer.
func (w *watcher) Observe(e event.Event) {
	switch e := e.(type) {
	case *event.Access:
		if w.here(&e.Warp) {
			w.access(e)
		}
	case *event.Atomic:
		if w.here(&e.Warp) {
			w.atomic(e)
		}
	case *event.WarpSync:
		if w.here(&e.Warp) && e.Op != "activemask" {
			w.syncs++
			if e.Sources != nil {
				w.sources++
			}
		}
	case *event.BarrierArrive:
		if w.here(&e.Warp) {
			w.arrives++
			if e.Kind == event.BarrierNoWait {
				w.noWaits++
			}
		}
	case *event.ClusterPass:
		w.count(&e.Warp, &w.passes)
	case *event.AgentOp:
		if w.here(&e.Warp) {
			w.told(e)
		}
	case *event.Branch:
		if w.here(&e.Warp) {
			w.branches++
		}
	case *event.Call:
		w.count(&e.Warp, &w.calls)
	case *event.Return:
		w.count(&e.Warp, &w.returns)
	case *event.Exit:
		w.count(&e.Warp, &w.exits)
	case *event.Fence:
		w.count(&e.Warp, &w.fences)
	case *event.ProxyFence:
		w.count(&e.Warp, &w.fences)
	case *event.Step:
		w.count(&e.Warp, &w.steps)
	case *event.Fault:
		w.faults++
	}
}

func (w *watcher) here(at *event.Warp) bool { return at.Site != nil && at.Site.Instr == w.instr }

func (w *watcher) count(at *event.Warp, n *int) {
	if w.here(at) {
		*n++
	}
}

func (w *watcher) access(e *event.Access) {
	w.accesses++
	w.bytes += e.Size
	if e.Kind == event.Load || e.Reduces {
		w.reads++
	}
	if e.Kind == event.Store {
		w.writes++
	}
	switch {
	case e.Kind == event.Load:
		w.loads++
	case e.Reduces:
		w.updates++
	default:
		w.stores++
	}
	if e.Agent != nil {
		w.engine(e.Agent.Engine)
	}
}

func (w *watcher) atomic(e *event.Atomic) {
	w.accesses++
	w.bytes += e.Size
	test := strings.HasSuffix(e.Op, "_wait")
	if test {
		w.tests++
	}
	if makes := e.Op == "mbarrier.init" || e.Op == "mbarrier.inval"; !makes {
		w.reads++
	}
	if !test {
		w.writes++
	}
	switch {
	case e.Agent != nil:
		w.engine(e.Agent.Engine)
	default:
		w.updates++
	}
}

func (w *watcher) told(e *event.AgentOp) {
	w.engine(e.Engine)
	switch e.Kind {
	case event.AgentCommit:
		w.commits++
	case event.AgentWait:
		w.waits++
	}
}

func (w *watcher) engine(e event.Engine) {
	if !slices.Contains(w.engines, e) {
		w.engines = append(w.engines, e)
	}
}

// watch runs a case without checks. A kernel may fail at trap and the like.
func (r *rig) watch(t testing.TB) seen {
	t.Helper()
	w := &watcher{instr: r.instr}
	l := r.launch
	l.Observer, l.Steps, l.KeepGoing = w, true, true
	_, err := r.m.Launch(t.Context(), r.entry, l)
	if err != nil && w.faults == 0 {
		t.Fatalf("%s: %v", r.instr, err)
	}
	return w.seen
}
