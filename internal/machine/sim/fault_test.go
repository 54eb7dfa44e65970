package sim

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// faults are kernels with parameter out, an array of 70 words. If possible only one thread of the
// second block goes wrong: thread 33. %o is the address of the thread's own word.
var faults = []struct {
	name, decls, body string
	kind              event.FaultKind
	want              string // in the message
}{
	{"past the end", "", "st.global.u32 [%o+8], %d;", event.OutOfBounds,
		"write of 4 bytes at global address 0x700000000118, 0 bytes past the end of the 280 bytes at 0x700000000000"},
	{"far past the end", "", "ld.global.v2.u64 {%x, %y}, [%o+4000];", event.OutOfBounds, "past the end of the 280 bytes"},
	{"before the start", "", "ld.global.u8 %d, [%o+-400];", event.OutOfBounds, "read of 1 bytes at global address"},
	{"misaligned", "", "ld.global.u32 %d, [%o+2];", event.Misaligned,
		"at global address 0x700000000112, byte 274 of the 280 bytes"},
	{"misaligned vector", "", "ld.global.v2.u32 {%d, %e}, [%o+-4];", event.Misaligned, "read of 8 bytes"},
	{"null", "", "mov.u64 %x, 0;\natom.global.add.u32 %d, [%x+64], 1;", event.NullPointer,
		"atomic of 4 bytes at global address 0x40;"},
	{"null in shared memory", "", "mov.u64 %x, 0;\nld.shared.u32 %d, [%x];", event.OutOfBounds,
		"shared address 0x0, 1024 bytes before shared memory"},
	{"past shared memory", ".shared .b32 s[16];", "mov.u64 %x, s;\nst.shared.u32 [%x+64], %d;", event.OutOfBounds,
		"0 bytes past the end of shared memory (64 bytes at 0x400)"},
	{"past shared memory by a generic address", ".shared .b32 s[16];",
		"mov.u64 %x, s;\ncvta.shared.u64 %x, %x;\nst.u32 [%x+64], %d;", event.OutOfBounds,
		"0 bytes past the end of shared memory"},
	{"misaligned in shared memory", ".shared .b32 s[16];", "mov.u64 %x, s;\nld.shared.u64 %y, [%x+4];",
		event.Misaligned, "read of 8 bytes at shared address 0x404"},
	{"past local memory", "", ".local .b32 l[4];\nmov.u64 %x, l;\nst.local.u32 [%x+16], %d;", event.OutOfBounds,
		"past the end of local memory (16 bytes"},
	{"shared pointer used as global", ".shared .b32 s[16];",
		"mov.u64 %x, s;\ncvta.shared.u64 %x, %x;\nld.global.u32 %d, [%x];", event.WrongSpace,
		"this is a generic address of shared memory"},
	{"global pointer used as shared", ".shared .b32 s[16];\n", "ld.shared.u32 %d, [%o];", event.WrongSpace,
		"this is not an address of shared memory"},
	{"constant written", ".const .u32 c = 5;", "mov.u64 %x, c;\nst.global.u32 [%x], %d;", event.ReadOnly,
		"byte 0 of c (4 bytes"},
	{"variable", ".global .b32 g[4];", "mov.u64 %x, g;\nld.global.u32 %d, [%x+16];", event.OutOfBounds,
		"0 bytes past the end of g (16 bytes"},
	{"parameters", "", "mov.u64 %x, out;\nld.param.u64 %y, [%x+8];", event.OutOfBounds, "past the end of kernel parameters"},
	{"volatile", "", "ld.volatile.global.u32 %d, [%o+8];", event.OutOfBounds, "read of 4 bytes"},
	{"asynchronous copy", ".shared .align 16 .b32 s[16];",
		"mov.u64 %x, s;\ncp.async.ca.shared.global [%x+64], [%o], 4;", event.OutOfBounds,
		"write of 4 bytes at shared address"},
	{"trap", "", "trap;", event.Trap, "the kernel executed trap"},
	{"indexed branch", "", "ts: .branchtargets END;\nbrx.idx %t, ts;", event.BadTarget, "index 33 into a table of 1 labels"},
	{"indirect call", "", "p: .callprototype _ ();\ncall %o, p;", event.BadTarget, "which is no function"},
	{"lane not in its mask", "", "bar.warp.sync 0xf0;", event.BadMask, "lane 1 is not in its own mask 0x000000f0"},
	{"matrix product of a part of a warp", "",
		"{ .reg .f64 %e<3>; mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%e0, %e1}, {%e2}, {%e2}, {%e0, %e1}; }", event.PartOfWarp,
		"lane 0 has ended, and all 32 come to mma together"},
	{"barrier number", "", "mov.u32 %a, 16;\nbar.sync %a;", event.BadBarrier, "there is no barrier 16"},
	{"barrier count", "", "mov.u32 %a, 50;\nbar.sync 1, %a;", event.BadBarrier, "not a positive multiple of 32"},
	{"mbarrier of no arrivals", ".shared .align 8 .b64 bar;", "mov.u32 %a, 0;\nmbarrier.init.shared.b64 [bar], %a;", event.BadBarrier,
		"mbarrier.init of 0, and here it counts from 1 to 1048575"},
	{"mbarrier of too many bytes", ".shared .align 8 .b64 bar;", "mbarrier.init.shared.b64 [bar], 1;\n" +
		"mbarrier.expect_tx.shared.b64 [bar], 1048000;\nmbarrier.expect_tx.shared.b64 [bar], 1000;", event.BadBarrier,
		"mbarrier.expect_tx of 1000, and here it counts from 0 to 575"},
	{"line of a matrix", ".shared .align 16 .b32 s[16];", "mov.u32 %a, s;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%d}, [%a];",
		event.PartOfWarp, "lane 0 has ended, and all 32 come to ldmatrix together"},
	{"barrier too large", "", "bar.sync 1, 128;", event.BadBarrier, "barrier 1 for 128 threads, the block has 35"},
}

// faultKernel lets thread 33 of block 1 run the body.
func faultKernel(decls, body string) string {
	return decls + "\n.visible .entry k(.param .u64 out)\n{\n.loc 1 7 3" + index + `
	mov.u32 %d, 0;
	setp.ne.u32 %p, %t, 33;
	@%p bra END;
	setp.ne.u32 %p, %b, 1;
	@%p bra END;
	.loc 1 9 5
	` + body + `
END:
	ret;
}
.file 1 "kernel.go"`
}

func TestFaults(t *testing.T) {
	for _, c := range faults {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, faultKernel(c.decls, c.body), Config{Workers: 2})
			out := upload(r, make([]uint32, 70))
			err := r.launch("k", 3, 35, out)
			checkFault(t, err, c.kind, c.want)
			// The machine stays usable.
			other := upload(r, make([]uint32, 105))
			if err := r.launch("k", 1, 35, other); err != nil {
				t.Errorf("the next launch: %v", err)
			}
		})
	}
}

func checkFault(t *testing.T, err error, kind event.FaultKind, want string) {
	t.Helper()
	var f *event.Fault
	if !errors.As(err, &f) || !errors.Is(err, kind) {
		t.Fatalf("got %v, want a fault of kind %q", err, kind)
	}
	if f.Block != [3]int{1, 0, 0} || f.Thread != [3]int{33, 0, 0} || f.Lane != 1 {
		t.Errorf("thread %v block %v lane %d", f.Thread, f.Block, f.Lane)
	}
	for _, part := range []string{want, "k: " + string(kind), "thread (33,0,0) block (1,0,0)", "kernel.go:9:5 (ptx:"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("message lacks %q:\n%v", part, err)
		}
	}
}

func TestUseAfterFree(t *testing.T) {
	r := newRig(t, faultKernel("", "ld.global.u32 %d, [%o];"), Config{})
	out := upload(r, make([]uint32, 70))
	r.must(r.m.Free(out))
	upload(r, make([]uint32, 70)) // does not take the freed place
	checkFault(t, r.launch("k", 3, 35, out), event.UseAfterFree,
		"byte 272 of the 280 bytes at 0x700000000000, which are freed")
	if err := r.m.Free(out); !errors.Is(err, ErrDoubleFree) {
		t.Errorf("second free: %v", err)
	}
	if err := r.m.Free(out + 4); !errors.Is(err, ErrNotAllocated) {
		t.Errorf("free in the middle: %v", err)
	}
	if _, err := r.m.Bytes(out, 4); !errors.Is(err, event.UseAfterFree) {
		t.Errorf("host read: %v", err)
	}
}

func TestStackOverflow(t *testing.T) {
	decls := ".func f() { call f, (); ret; }"
	r := newRig(t, faultKernel(decls, "call f, ();"), Config{})
	checkFaultKind(t, r.launch("k", 3, 35, upload(r, make([]uint32, 70))), event.StackOverflow, "call of f at depth 1025")
	big := ".func f() { .local .b8 l[100000];\n.reg .b64 %x;\nmov.u64 %x, l;\nst.local.u8 [%x], 1;\ncall f, ();\nret; }"
	r = newRig(t, faultKernel(big, "call f, ();"), Config{})
	checkFaultKind(t, r.launch("k", 3, 35, upload(r, make([]uint32, 70))), event.StackOverflow, "bytes of local memory")
}

func checkFaultKind(t *testing.T, err error, kind event.FaultKind, want string) {
	t.Helper()
	if !errors.Is(err, kind) || !strings.Contains(fmt.Sprint(err), want) {
		t.Errorf("got %v, want %s: %s", err, kind, want)
	}
}

// TestKeepGoing lets a kernel go on after bad accesses: each is an event, the first is the launch's
// error.
func TestKeepGoing(t *testing.T) {
	text := outKernel("", "ld.global.u32 %d, [%o+4096];\nadd.u32 %d, %d, 5;\nst.global.u32 [%o+4096], %d;")
	r := newRig(t, text, Config{})
	out := upload(r, make([]uint32, 70))
	var seen []event.Event
	_, err := r.launchAs("k", Launch{Grid: x(2), Block: x(35), Observer: collect(&seen), KeepGoing: true}, out)
	n := 0
	for _, e := range seen {
		if _, ok := e.(*event.Fault); ok {
			n++
		}
	}
	if !errors.Is(err, event.OutOfBounds) || n != 140 {
		t.Errorf("%d faults, %v", n, err)
	}
	for i, v := range view[uint32](r, out, 70) {
		if v != 5 {
			t.Fatalf("out[%d] = %d: a bad load gives zero", i, v)
		}
	}
}

type collector struct{ list *[]event.Event }

func collect(list *[]event.Event) event.Observer { return collector{list} }

func (c collector) Observe(e event.Event) {
	switch e := e.(type) { // events are only valid during the call
	case *event.Fault:
		*c.list = append(*c.list, e)
	case *event.Stuck:
		*c.list = append(*c.list, e)
	}
}

// TestDeadlock: the error says who waits where, and who is missing.
func TestDeadlock(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"barrier with a count": {`setp.lt.u32 %p, %t, 32;
	@%p exit;
	bar.sync 3, 64;`, []string{
			"32 threads (0..31) finished at kernel.go:9:5 (ptx:", "32 threads (32..63) wait at kernel.go:9:5",
			"barrier 3 has 32 of 64 threads",
		}},
		"two barriers": {`setp.lt.u32 %p, %t, 32;
	@%p bra ONE;
	bar.sync 1;
	bra END;
ONE:
	.loc 1 12 1
	bar.sync 2;`, []string{"32 threads (0..31) wait at kernel.go:12:1", "barrier 2 has 32 of the 64 threads that have not finished", "32 threads (32..63) wait at kernel.go:9:5"}},
		"lanes": {`and.b32 %a, %t, 31;
	setp.eq.u32 %p, %a, 7;
	@%p bra OTHER;
	.loc 1 10 2
	bar.warp.sync 0xffffffff;
	bra END;
OTHER:
	bar.sync 0;`, []string{"62 threads (0..6, 8..38, 40..63) wait for lanes at kernel.go:10:2", "mask 0xffffffff, lanes 7 are not there", "2 threads (7, 39) wait at kernel.go:10:2"}},
	} {
		t.Run(name, func(t *testing.T) {
			text := ".visible .entry k(.param .u64 out)\n{\n.loc 1 7 3" + index + ".loc 1 9 5\n" + c.body + "\nEND:\n\tret;\n}\n.file 1 \"kernel.go\""
			r := newRig(t, text, Config{Workers: 2})
			err := r.launch("k", 2, 64, 0)
			var s *event.Stuck
			if !errors.As(err, &s) || !errors.Is(err, event.ErrDeadlock) || len(s.Blocks) != 1 {
				t.Fatalf("got %v", err)
			}
			for _, part := range append(c.want, "k: threads wait for each other",
				"block ("+fmt.Sprint(s.Blocks[0].Block[0])+",0,0)") {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("message lacks %q:\n%v", part, err)
				}
			}
		})
	}
}

const spin = ".visible .entry k(.param .u64 flag)\n{\n.reg .pred %p;\n.reg .b32 %a;\n.reg .b64 %x;\nld.param.u64 %x, [flag];\n.loc 1 3 1\nL:\nld.volatile.global.u32 %a, [%x];\n" +
	"setp.eq.u32 %p, %a, 0;\n@%p bra L;\nret;\n}\n.file 1 \"kernel.go\""

// busy spins without ever looking at memory.
const busy = ".visible .entry k(.param .u64 flag)\n{\n.loc 1 3 1\nL:\nbra L;\n}\n.file 1 \"kernel.go\""

func TestEndlessSpin(t *testing.T) {
	for name, text := range map[string]string{"polling": spin, "busy": busy} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, text, Config{Workers: 2})
			e, _ := r.p.Entry("k")
			l := Launch{Grid: x(9), Block: x(64), Params: r.params(e, upload(r, make([]uint32, 1)))}
			l.Budget = 100_000
			_, err := r.m.Launch(context.Background(), e, l)
			var s *event.Stuck
			if !errors.As(err, &s) || !errors.Is(err, event.ErrNoProgress) ||
				!strings.Contains(err.Error(), "64 threads (0..63) run at kernel.go:3:1") {
				t.Errorf("budget: %v", err)
			}
			l.Budget = 0
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer cancel()
			start := time.Now()
			_, err = r.m.Launch(ctx, e, l)
			if !errors.As(err, &s) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("context: %v", err)
			}
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("a context of 20 ms ended the launch after %v", d)
			}
			if _, err := r.m.Launch(ctx, e, l); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("ended context: %v", err)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	r := newRig(t, `
.visible .entry k(.param .u64 a, .param .u32 b) { ret; }
.visible .entry fixed() .reqntid 64, 2 { ret; }
.visible .entry most() .maxntid 96 { ret; }
.shared .b8 big[60000];
.visible .entry large() { .reg .b64 %x; mov.u64 %x, big; ret; }
.extern .shared .b8 dyn[];
.visible .entry dynamic() { .reg .b64 %x; mov.u64 %x, dyn; ret; }`, Config{})
	for _, c := range []struct {
		kernel      string
		grid, block [3]int
		shared      int
		params      int
		want        string
	}{
		{"k", x(1), x(1025), 0, 12, "launch k: block x dimension is 1025, the limit is 1024"},
		{"k", x(1), [3]int{32, 33, 1}, 0, 12, "launch k: block size is 1056, the limit is 1024"},
		{"k", x(1), [3]int{1, 1, 65}, 0, 12, "launch k: block z dimension is 65, the limit is 64"},
		{"k", x(0), x(1), 0, 12, "launch k: grid x dimension is 0, must be at least 1"},
		{"k", [3]int{1, 65536, 1}, x(1), 0, 12, "launch k: grid y dimension is 65536, the limit is 65535"},
		{"k", x(1), [3]int{1, -1, 1}, 0, 12, "launch k: block y dimension is -1, must be at least 1"},
		{"k", x(1), x(1), 0, 8, "launch k: size of the parameters in bytes is 8, the kernel needs 12"},
		{"k", x(1), x(1), 227<<10 + 1, 12,
			"launch k: shared memory, declared and dynamic, is 232449, the limit is 232448"},
		{"fixed", x(1), x(64), 0, 0, "launch fixed: block y dimension is 1, the kernel needs 2"},
		{"most", x(1), x(97), 0, 0, "launch most: block size (.maxntid of the kernel) is 97, the limit is 96"},
		{"large", x(1), x(1), 0, 0, "launch large: declared shared memory is 60000, the limit is 49152"},
		{"dynamic", x(1), x(32), 227 << 10, 0, ""},
		{"fixed", x(1), [3]int{64, 2, 1}, 0, 0, ""},
		{"most", x(1), x(96), 0, 0, ""},
	} {
		e, err := r.p.Entry(c.kernel)
		r.must(err)
		_, err = r.m.Launch(context.Background(), e,
			Launch{Grid: c.grid, Block: c.block, Shared: c.shared, Params: make([]byte, c.params)})
		var limit *LimitError
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.kernel, err)
		case c.want != "" && (!errors.As(err, &limit) || err.Error() != c.want):
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if _, err := r.p.Entry("no"); !errors.Is(err, ErrNoEntry) ||
		!strings.Contains(err.Error(), "the module has dynamic, fixed, k, large, most") {
		t.Error(err)
	}
	e, _ := r.p.Entry("dynamic")
	r.p.Unload()
	r.p.Unload()
	if _, err := r.m.Launch(context.Background(), e, Launch{Grid: x(1), Block: x(1)}); !errors.Is(err, ErrUnloaded) {
		t.Error(err)
	}
}

func TestLoadErrors(t *testing.T) {
	for text, want := range map[string]string{
		".visible .entry k() { ret; }\n.visible .entry k() { ret; }":   "k is declared twice",
		".visible .entry k() { .reg .b64 a; mov.u32 a, 1; ret; }":      "a is a .b64 register",
		".global .u32 g[2] = {1, 2, 3};\n.visible .entry k() { ret; }": "",
	} {
		mod, err := ptx.Parse("t.ptx", header+text)
		if err == nil {
			_, err = New(Config{}).Load(mod)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got: %v\nwant: %s", text, err, want)
		}
	}
}

// TestUnsupportedKernels launches kernels with an instruction that the machine does not know, in a
// module that also has one without.
func TestUnsupportedKernels(t *testing.T) {
	for text, want := range map[string]string{
		".visible .entry k() { frobnicate.u32 a; ret; }":                                             "unknown instruction frobnicate",
		".visible .entry k() { .reg .b32 a; .reg .f32 f; istypep.texref f, a; ret; }":                "t.ptx:5:49: istypep.texref is not supported",
		".visible .entry k() { .reg .b64 a;\nalloca.u64 a, a; ret; }":                                "t.ptx:6:1: the simulator does not know this instruction: alloca.u64 a, a (in k)",
		".extern .global .u32 g;\n.visible .entry k() { .reg .b64 a; mov.u64 a, g; ret; }":           "g is declared extern and not defined",
		".func f() { .reg .b64 a; stacksave.u64 a; ret; }\n.visible .entry k() { call f, (); ret; }": "stacksave.u64 a (in f)",
		".visible .entry k() { .local .b8 l[2000000000]; ret; }":                                     "a thread has no more than 524288 bytes of local memory: l (in k)",
	} {
		mod, err := ptx.Parse("t.ptx", header+".visible .entry good() { ret; }\n"+text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		m := New(Config{})
		p, err := m.Load(mod)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		launch := func(name string) error {
			e, err := p.Entry(name)
			if err != nil {
				return err
			}
			_, err = m.Launch(t.Context(), e, Launch{Grid: x(1), Block: x(1)})
			return err
		}
		var list LoadErrors
		if err := launch("k"); !errors.As(err, &list) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got: %v\nwant: %s", text, err, want)
		}
		if err := launch("good"); err != nil {
			t.Errorf("%s: the other kernel: %v", text, err)
		}
	}
}
