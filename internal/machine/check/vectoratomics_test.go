package check

import (
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/check/initcheck"
	"github.com/gridstride/gridstride/internal/machine/counters"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"
)

// vectorAtomics has all threads add a vector to one place, and what a test puts before and after.
const vectorAtomics = `.version 8.1
.target sm_90
.address_size 64
.visible .entry sums(.param .u64 to)
{
	.reg .pred %p;
	.reg .b32 %t;
	.reg .b64 %a;
	.reg .f32 %f<9>;
	ld.param.u64 %a, [to];
	mov.u32 %t, %tid.x;
	setp.eq.u32 %p, %t, 33;
	mov.f32 %f1, 0f3F800000;
	BEFORE
	red.global.add.v4.f32 [%a], {0f3F800000, 0f40000000, 0f40400000, 0f40800000};
	AFTER
	ret;
}
`

// TestVectorAtomics: the checks see every byte of an atomic on a vector, and no race between
// atomics on vectors and on their elements.
func TestVectorAtomics(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, before, after string
		words               int
		want                []report.Kind
	}{
		{"alone", "", "", 4, nil},
		{"with scalars", "red.global.add.f32 [%a+8], 0f3F800000;", "red.global.add.v2.f32 [%a+8], {0f00000000, %f1};", 4, nil},
		{"plain write of the last", "@%p st.global.f32 [%a+12], 0f00000000;", "", 4, []report.Kind{race}},
		{"plain read of the third", "", "@%p ld.global.f32 %f1, [%a+8];", 4, []report.Kind{race}},
		{"last outside", "", "", 3, []report.Kind{outside}},
		{"misaligned", "add.u64 %a, %a, 8;", "", 8, []report.Kind{report.Misaligned}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := loadModule(t, "vector.ptx", strings.NewReplacer("BEFORE", c.before, "AFTER", c.after).Replace(vectorAtomics))
			r := advised(t, b, func(b *bench) result { return b.check("sums", x(3), x(40), Options{}, make([]float32, c.words)) })
			var kinds []report.Kind
			for _, f := range r.Findings {
				if len(kinds) == 0 || kinds[len(kinds)-1] != f.Kind {
					kinds = append(kinds, f.Kind)
				}
			}
			if len(kinds) != len(c.want) || len(kinds) > 0 && kinds[0] != c.want[0] {
				t.Errorf("found %q, want %q\n%v", kinds, c.want, r)
			}
		})
	}
}

// TestVectorAtomicsUnwritten: an element of fresh memory is unwritten by itself, and so is an
// element of what is added.
func TestVectorAtomicsUnwritten(t *testing.T) {
	t.Parallel()
	const text = `.version 8.1
.target sm_90
.address_size 64
.visible .entry k(.param .u64 to, .param .u64 from)
{
	.reg .b64 %a, %b;
	.reg .f32 %f<9>;
	ld.param.u64 %a, [to];
	ld.param.u64 %b, [from];
	ld.global.v2.f32 {%f1, %f2}, [%b];
	red.global.add.v2.f32 [%a], {%f1, %f2};
	ret;
}
`
	for _, c := range []struct{ written, fresh, want string }{
		{"to", "from", "from[1]"}, {"from", "to", "to[1]"}, {"both", "", ""},
	} {
		b := loadModule(t, "vector.ptx", text)
		memory := map[string]uint64{"to": b.alloc(make([]float32, 2)), "from": b.alloc(make([]float32, 2))}
		o := Options{Init: &initcheck.Init{}}
		if c.fresh != "" {
			o.Init.Fresh(memory[c.fresh]+4, 4)
		}
		r := b.check("k", x(1), x(1), o, memory["to"], memory["from"])
		if c.want == "" && len(r.Findings) > 0 ||
			c.want != "" && (len(r.Findings) != 1 || r.Findings[0].Kind != uninit || !strings.Contains(r.String(), c.want)) {
			t.Errorf("only %s is written, want a finding of %q\n%v", c.written, c.want, r)
		}
	}
}

// TestVectorAtomicsCounted: an atomic on a vector is one instruction and one request.
func TestVectorAtomicsCounted(t *testing.T) {
	t.Parallel()
	text := strings.NewReplacer("BEFORE", "", "AFTER", "").Replace(vectorAtomics)
	b := loadModule(t, "vector.ptx", text)
	e := b.entry("sums")
	c := counters.New()
	l := sim.Launch{Grid: x(2), Block: x(64), Params: b.params(e, make([]float32, 4)), Observer: c, Steps: true}
	if _, err := b.m.Launch(t.Context(), e, l); err != nil {
		t.Fatal(err)
	}
	n := c.Profile("sums", &e.Kernel, l.Grid, l.Block, func(string, int) string { return "" }).Total
	if n.Atomics != 4 || n.GlobalRequests != 4 || n.GlobalSectors != 4 {
		t.Errorf("%d atomics, %d requests, %d sectors, want 4 of each", n.Atomics, n.GlobalRequests, n.GlobalSectors)
	}
}
