package check

import (
	"fmt"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/check/initcheck"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"
)

// unwrittenPTX is a kernel in which %r1 is a word of shared memory that nothing has written, %r2 a
// word whose lower half alone was written, and %r3 is 7. At %d4 are 258 bytes that are written, and
// 6 that are not. The host reads %r9 of each thread.
const unwrittenPTX = `.version 7.8
.target sm_80
.address_size 64
.func (.param .b32 r) same(.param .b32 x) {
	.reg .b32 %%a;
	ld.param.b32 %%a, [x];
	st.param.b32 [r], %%a;
	ret;
}
.func (.param .b32 r) seven(.param .b32 x) {
	.reg .b32 %%a;
	mov.b32 %%a, 7;
	st.param.b32 [r], %%a;
	ret;
}
.func (.reg .b32 %%b) register(.reg .b32 %%a) {
	mov.b32 %%b, %%a;
	ret;
}
.func (.param .b32 r) forgets(.param .b32 x) {
	.reg .b32 %%a;
	.local .b32 v[2];
	ld.param.b32 %%a, [x];
	st.local.b32 [v], %%a;
	ld.local.b32 %%a, [v+4];
	st.param.b32 [r], %%a;
	ret;
}
.func (.param .b32 r) second(.param .align 4 .b8 x[8]) {
	.reg .b32 %%a;
	ld.param.b32 %%a, [x+4];
	st.param.b32 [r], %%a;
	ret;
}
.visible .entry k(.param .u64 out, .param .u64 in) {
	.reg .b32 %%r<20>;
	.reg .b64 %%d<10>;
	.reg .b16 %%h<4>;
	.reg .pred %%p<4>;
	.shared .align 4 .b32 s[33];
	.shared .align 4 .b32 lock;
	.shared .align 16 .b8 big[16];
	.local .align 8 .b32 l[4];
	mov.u32 %%r10, %%tid.x;
	shl.b32 %%r11, %%r10, 2;
	mov.u32 %%r12, s;
	add.u32 %%r12, %%r12, %%r11;
	ld.shared.b32 %%r1, [%%r12];
	mov.b16 %%h1, 3;
	st.shared.b16 [%%r12], %%h1;
	ld.shared.b32 %%r2, [%%r12];
	mov.b32 %%r3, 7;
	mov.b32 %%r9, 7;
	ld.param.u64 %%d4, [in];
	%s
	ld.param.u64 %%d1, [out];
	mul.wide.u32 %%d2, %%r10, 4;
	add.s64 %%d1, %%d1, %%d2;
	st.global.b32 [%%d1], %%r9;
	ret;
}
`

// TestUnwrittenData takes words that nothing has written through each kind of instruction, and
// written ones as a comparison.
func TestUnwrittenData(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		want       report.Kind
	}{
		{"nothing", "", silent},
		{"mov", "mov.b32 %r9, %r1;", uninit},
		{"a written half", "cvt.u32.u16 %r9, %r2;", silent},
		{"an unwritten half", "shr.u32 %r9, %r2, 16;", uninit},

		{"call", "{ .param .b32 x; .param .b32 r; st.param.b32 [x], %r1; call (r), same, (x); ld.param.b32 %r9, [r]; }", uninit},
		{"call with a written word", "{ .param .b32 x; .param .b32 r; st.param.b32 [x], %r3; call (r), same, (x); ld.param.b32 %r9, [r]; }", silent},
		{"call that does not use it", "{ .param .b32 x; .param .b32 r; st.param.b32 [x], %r1; call (r), seven, (x); ld.param.b32 %r9, [r]; }", silent},
		{"call of an argument that was not stored", "{ .param .b32 x; .param .b32 r; call (r), same, (x); ld.param.b32 %r9, [r]; }", uninit},
		{"call with registers", "call (%r9), register, (%r1);", uninit},
		{"call with written registers", "call (%r9), register, (%r3);", silent},
		{"call that loses its variable", "{ .param .b32 x; .param .b32 r; st.param.b32 [x], %r3; call (r), forgets, (x); ld.param.b32 %r9, [r]; }", uninit},
		{"the same twice", "{ .param .b32 x; .param .b32 r; st.param.b32 [x], %r1; call (r), same, (x); st.param.b32 [x], %r3; call (r), same, (x); ld.param.b32 %r9, [r]; }", silent},
		{"a struct's second word", "{ .param .align 4 .b8 x[8]; .param .b32 r; st.param.b32 [x], %r3; st.param.b32 [x+4], %r1; call (r), second, (x); ld.param.b32 %r9, [r]; }", uninit},
		{"a struct's other word", "{ .param .align 4 .b8 x[8]; .param .b32 r; st.param.b32 [x], %r1; st.param.b32 [x+4], %r3; call (r), second, (x); ld.param.b32 %r9, [r]; }", silent},
		{"indirect call", "{ .param .b32 x; .param .b32 r; proto: .callprototype (.param .b32 _) _ (.param .b32 _); mov.u64 %d3, same; st.param.b32 [x], %r1; call (r), %d3, (x), proto; ld.param.b32 %r9, [r]; }", uninit},

		{"brx.idx", "ts: .branchtargets a, b; and.b32 %r4, %r1, 1; brx.idx %r4, ts; a: mov.b32 %r9, 1; b:", uninit},
		{"brx.idx of a written word", "ts: .branchtargets a, b; and.b32 %r4, %r3, 1; brx.idx %r4, ts; a: mov.b32 %r9, 1; b:", silent},

		{"a guard that holds", "setp.ne.b32 %p1, %r1, 7; @%p1 st.shared.b32 [lock], %r3;", uninit},
		{"a guard that does not", "setp.eq.b32 %p1, %r1, 7; @%p1 st.shared.b32 [lock], %r3;", uninit},
		{"a guard of a mov", "setp.eq.b32 %p1, %r1, 7; @%p1 mov.b32 %r9, %r3;", uninit},
		{"a guard of a fence", "setp.eq.b32 %p1, %r1, 7; @%p1 membar.gl;", uninit},
		{"a guard of a call", "setp.eq.b32 %p1, %r1, 7; @%p1 call (%r9), register, (%r3);", uninit},
		{"a guard of a barrier", "setp.eq.b32 %p1, %r1, 7; @%p1 bar.sync 0;", uninit},
		{"a guard of an exit", "setp.eq.b32 %p1, %r1, 7; @%p1 exit;", uninit},
		{"a guard that is the opposite", "setp.ne.b32 %p1, %r1, 7; @!%p1 st.shared.b32 [lock], %r3;", uninit},
		{"a guard of written words", "setp.eq.b32 %p1, %r3, 8; @%p1 st.shared.b32 [lock], %r3;", silent},
		{"a guard of written words for an exit", "setp.eq.b32 %p1, %r3, 8; @%p1 exit;", silent},

		{"local memory", "ld.local.b32 %r9, [l+4];", uninit},
		{"written local memory", "st.local.b32 [l+4], %r3; ld.local.b32 %r9, [l+4];", silent},
		{"local memory with a copy", "st.local.b32 [l+4], %r1; ld.local.b32 %r9, [l+4];", uninit},
		{"local memory written again", "st.local.b32 [l+4], %r1; st.local.b32 [l+4], %r3; ld.local.b32 %r9, [l+4];", silent},
		{"a vector of local memory", "st.local.v2.b32 [l], {%r3, %r1}; ld.local.v2.b32 {%r4, %r9}, [l];", uninit},
		{"its other half", "st.local.v2.b32 [l], {%r3, %r1}; ld.local.v2.b32 {%r9, %r4}, [l];", silent},

		{"exch", "atom.shared.exch.b32 %r4, [lock], %r1; bar.sync 0; ld.volatile.shared.b32 %r9, [lock];", uninit},
		{"exch of a written word", "atom.shared.exch.b32 %r4, [lock], %r3; bar.sync 0; ld.volatile.shared.b32 %r9, [lock];", silent},
		{"cas swaps", "atom.shared.exch.b32 %r4, [lock], 0; bar.sync 0; atom.shared.cas.b32 %r4, [lock], 0, %r1; bar.sync 0; ld.volatile.shared.b32 %r9, [lock];", uninit},
		{"cas compares", "atom.shared.exch.b32 %r4, [lock], 0; bar.sync 0; atom.shared.cas.b32 %r4, [lock], %r1, 1;", uninit},
		{"cas of an unwritten lock", "atom.shared.cas.b32 %r4, [lock], 0, 1;", uninit},
		{"cas of a written lock", "atom.shared.exch.b32 %r4, [lock], 0; bar.sync 0; atom.shared.cas.b32 %r9, [lock], 0, 1;", silent},
		{"cp.async", "add.s64 %d4, %d4, 256; cp.async.ca.shared.global [big], [%d4], 4; cp.async.wait_all; ld.shared.b32 %r9, [big];", uninit},
		{"cp.async of written words", "cp.async.ca.shared.global [big], [%d4], 4; cp.async.wait_all; ld.shared.b32 %r9, [big];", silent},
		{"cp.async of both", "cp.async.ca.shared.global [big], [%d4+256], 8; cp.async.wait_all; ld.shared.b32 %r9, [big+4];", uninit},
		{"the written one of both", "cp.async.ca.shared.global [big], [%d4+256], 8; cp.async.wait_all; ld.shared.u16 %h1, [big]; cvt.u32.u16 %r9, %h1;", silent},
		{"three bytes of which one is not written", "mov.b32 %r4, 3; cp.async.ca.shared.global [big], [%d4+256], 4, %r4; cp.async.wait_all; ld.shared.b32 %r9, [big];", uninit},
		{"two bytes that are written", "mov.b32 %r4, 2; cp.async.ca.shared.global [big], [%d4+256], 4, %r4; cp.async.wait_all; ld.shared.b32 %r9, [big];", silent},
		{"cp.async that ignores what it reads", "setp.eq.b32 %p1, %r3, 7; cp.async.ca.shared.global [big], [%d4+256], 4, %p1; cp.async.wait_all; ld.shared.b32 %r9, [big];", silent},
		{"cp.async that does not", "setp.eq.b32 %p1, %r3, 7; cp.async.ca.shared.global [big], [%d4+256], 4, !%p1; cp.async.wait_all; ld.shared.b32 %r9, [big];", uninit},
		{"cp.async over unwritten words", "cp.async.ca.shared.global [big], [%d4+256], 4; cp.async.wait_all; cp.async.ca.shared.global [big], [%d4], 4; cp.async.wait_all; ld.shared.b32 %r9, [big];", silent},
		{"cp.async by an unwritten size", "and.b32 %r4, %r1, 4; cp.async.ca.shared.global [big], [%d4], 4, %r4;", uninit},
		{"cp.async from an unwritten address", "cvt.u64.u32 %d5, %r1; and.b64 %d5, %d5, 4; add.s64 %d5, %d4, %d5; cp.async.ca.shared.global [big], [%d5], 4;", uninit},

		{"an address", "cvta.to.shared.u64 %d3, 0; add.u32 %r4, %r12, %r1; sub.u32 %r4, %r4, %r1; ld.shared.b16 %h2, [%r4];", uninit},

		{"prmt of written bytes", "prmt.b32 %r9, %r2, 0, 0x1010;", silent},
		{"prmt of unwritten bytes", "prmt.b32 %r9, %r2, 0, 0x1012;", uninit},
		{"prmt of the second word", "prmt.b32 %r9, %r1, %r3, 0x7654;", silent},
		{"prmt by a register", "mov.b32 %r4, 0x1010; prmt.b32 %r9, %r2, 0, %r4;", silent},
		{"prmt of nothing written", "mov.b32 %r4, 0x1010; prmt.b32 %r9, %r1, %r1, %r4;", uninit},
		{"bfe of written bits", "bfe.u32 %r9, %r2, 3, 13;", silent},
		{"bfe of unwritten bits", "bfe.u32 %r9, %r2, 3, 14;", uninit},
		{"bfi over all that is unwritten", "bfi.b32 %r9, %r3, %r2, 16, 16;", silent},
		{"bfi over some of it", "bfi.b32 %r9, %r3, %r2, 8, 16;", uninit},
		{"bfi of unwritten bits", "bfi.b32 %r9, %r1, %r3, 0, 4;", uninit},
		{"shf of written bits", "shf.l.wrap.b32 %r9, %r3, %r2, 16; and.b32 %r9, %r9, 0xffff0000;", silent},
		{"shf of unwritten bits", "shf.r.wrap.b32 %r9, %r2, %r3, 16; and.b32 %r9, %r9, 0xffff;", uninit},
		{"the lower half of a pair", "mov.b64 %d3, {%r3, %r1}; mov.b64 {%r9, %r4}, %d3;", silent},
		{"the upper half of a pair", "mov.b64 %d3, {%r3, %r1}; mov.b64 {%r4, %r9}, %d3;", uninit},
		{"a shift of a pair", "mov.b64 %d3, {%r1, %r3}; shr.u64 %d3, %d3, 32; cvt.u32.u64 %r9, %d3;", silent},
		{"selp of the written one", "setp.eq.b32 %p1, %r3, 7; selp.b32 %r9, %r3, %r1, %p1;", silent},
		{"selp of the other", "setp.ne.b32 %p1, %r3, 7; selp.b32 %r9, %r3, %r1, %p1;", uninit},
		{"shfl", "shfl.sync.bfly.b32 %r9, %r1, 1, 31, -1;", uninit},
		{"redux", "redux.sync.add.s32 %r9, %r1, -1;", uninit},
		{"cvt.pack", "cvt.pack.sat.s16.s32 %r9, %r1, %r3;", uninit},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := loadModule(t, "unwritten.ptx", fmt.Sprintf(unwrittenPTX, c.body))
			const threads = 32
			out := b.alloc(make([]int32, threads))
			o := Options{Init: &initcheck.Init{}, Tools: []report.Tool{report.Initcheck}}
			o.Init.Fresh(out, 4*threads)
			in := b.alloc(make([]int32, 66))
			o.Init.Fresh(in+258, 6)
			e := b.entry("k")
			r := b.checkLaunch("k", sim.Launch{Grid: x(1), Block: x(threads), Params: b.params(e, out, in)}, o)
			h := HostRead{Elements: initcheck.Elements{Addr: out, N: 4 * threads, Size: 4}, Name: "out", Type: "int32"}
			if read := Read(h, o); read != nil {
				r.Report = report.Merge(r.Report, read)
			}
			verdict(t, r, c.want)
		})
	}
}
