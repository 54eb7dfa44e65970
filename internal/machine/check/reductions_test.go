package check

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check/initcheck"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"
)

// reductionPTX has three kernels in which a block fills 32 words of shared memory and one thread
// combines them in bulk: with global memory, with a tensor, and with shared memory of the block.
const reductionPTX = `.version 8.0
.target sm_90
.address_size 64
.visible .entry plain(.param .u64 to)
{
	.reg .pred %p;
	.reg .b32 %t, %s, %v;
	.reg .b64 %a;
	.shared .align 128 .b8 tile[128];
	ld.param.u64 %a, [to];
	mov.u32 %t, %tid.x;
	mov.u32 %s, tile;
	mad.lo.u32 %s, %t, 4, %s;
	VALUE
	st.shared.b32 [%s], %v;
	fence.proxy.async.shared::cta;
	bar.sync 0;
	setp.ne.u32 %p, %t, 0;
	@%p bra END;
	BEFORE
	cp.reduce.async.bulk.global.shared::cta.bulk_group.OP [%a], [tile], 128;
	cp.async.bulk.commit_group;
	cp.async.bulk.wait_group 0;
END:
	AFTER
	ret;
}
.visible .entry tensor(.param .align 64 .b8 map[128])
{
	.reg .pred %p;
	.reg .b32 %t, %s, %v;
	.reg .b64 %a;
	.shared .align 128 .b8 tile[128];
	mov.b64 %a, map;
	cvta.param.u64 %a, %a;
	mov.u32 %t, %tid.x;
	mov.u32 %s, tile;
	mad.lo.u32 %s, %t, 4, %s;
	VALUE
	st.shared.b32 [%s], %v;
	fence.proxy.async.shared::cta;
	bar.sync 0;
	setp.ne.u32 %p, %t, 0;
	@%p bra END;
	cp.reduce.async.bulk.tensor.2d.global.shared::cta.TENSOR.tile.bulk_group [%a, {4, 1}], [tile];
	cp.async.bulk.commit_group;
	cp.async.bulk.wait_group 0;
END:
	ret;
}
.visible .entry shared(.param .u64 out)
{
	.reg .pred %p, %done;
	.reg .b32 %t, %s, %v;
	.reg .b64 %o;
	.shared .align 128 .b8 tile[128];
	.shared .align 128 .b8 sum[128];
	.shared .align 8 .b64 ready;
	ld.param.u64 %o, [out];
	mov.u32 %t, %tid.x;
	setp.ne.u32 %p, %t, 0;
	@!%p mbarrier.init.shared.b64 [ready], 1;
	@!%p fence.mbarrier_init.release.cluster;
	mov.u32 %s, tile;
	mad.lo.u32 %s, %t, 4, %s;
	st.shared.b32 [%s], %t;
	st.shared.b32 [%s+128], 5;
	fence.proxy.async.shared::cta;
	bar.sync 0;
	@%p bra WAIT;
	mbarrier.arrive.expect_tx.shared.b64 _, [ready], 256;
	cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [sum], [tile], 128, [ready];
	cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.max.u32 [sum], [tile], 128, [ready];
WAIT:
	WAITING
	mbarrier.try_wait.parity.shared.b64 %done, [ready], 0;
	@!%done bra WAIT;
PAST:
	ld.shared.b32 %v, [%s+128];
	mul.wide.u32 %o, %t, 4;
	{ .reg .b64 %b; ld.param.u64 %b, [out]; add.u64 %o, %o, %b; }
	st.global.b32 [%o], %v;
	ret;
}
`

func reduction(changes ...string) string {
	usual := []string{"VALUE", "mov.u32 %v, %t;", "BEFORE", "", "AFTER", "", "WAITING", "", "TENSOR", "add", "OP", "add.u32"}
	return strings.NewReplacer(append(changes, usual...)...).Replace(reductionPTX)
}

// words returns the words in memory from an address on.
func (b *bench) words(addr uint64, n int) []uint32 {
	b.tb.Helper()
	mem, err := b.m.Bytes(addr, int64(4*n))
	if err != nil {
		b.tb.Fatal(err)
	}
	got := make([]uint32, n)
	if _, err := binary.Decode(mem, binary.LittleEndian, got); err != nil {
		b.tb.Fatal(err)
	}
	return got
}

// TestReductions: three blocks combine 32 words with the same memory, in every order, and nothing
// races.
func TestReductions(t *testing.T) {
	t.Parallel()
	f := math.Float32bits
	for _, c := range []struct {
		op, value string
		at        uint32
		want      func(i uint32) uint32
	}{
		{"add.u32", "mov.u32 %v, %t;", 7, func(i uint32) uint32 { return 7 + 3*i }},
		{"min.s32", "sub.u32 %v, 5, %t;", 0, func(i uint32) uint32 { return uint32(min(0, 5-int32(i))) }},
		{"max.u32", "mov.u32 %v, %t;", 9, func(i uint32) uint32 { return max(9, i) }},
		{"xor.b32", "mov.u32 %v, %t;", 6, func(i uint32) uint32 { return 6 ^ i }},
		{"and.b32", "mov.u32 %v, %t;", 12, func(i uint32) uint32 { return 12 & i }},
		{"inc.u32", "mov.u32 %v, %t;", 1, func(i uint32) uint32 { return incremented(1, i, 3) }},
		{"add.f32", "cvt.rn.f32.u32 %v, %t;", f(0.5), func(i uint32) uint32 { return f(0.5 + 3*float32(i)) }},
		{"add.f32", "mov.u32 %v, 3;", 1, func(uint32) uint32 { return 10 }}, // subnormals stay
		{"add.noftz.f16", "mov.b32 %v, 0x3c004000;", 0x40003c00, func(uint32) uint32 { return 0x4500_4700 }},
		{"max.bf16", "mov.b32 %v, 0x3f80ff80;", 0x40003f00, func(uint32) uint32 { return 0x40003f00 }},
	} {
		b := loadModule(t, "reduction.ptx", reduction("OP", c.op, "VALUE", c.value))
		to := b.alloc(slices.Repeat([]uint32{c.at}, 32))
		r := b.check("plain", x(3), x(32), Options{}, to)
		if len(r.Findings) > 0 || len(r.Undone) > 0 {
			t.Errorf("%s: %v", c.op, r)
		}
		for i, got := range b.words(to, 32) {
			if want := c.want(uint32(i)); got != want {
				t.Errorf("%s: word %d is %#x, want %#x", c.op, i, got, want)
				break
			}
		}
	}
}

// incremented is x after n times atom.inc by b.
func incremented(x, b uint32, n int) uint32 {
	for range n {
		if x >= b {
			x = 0
		} else {
			x++
		}
	}
	return x
}

// TestReductionOfTensor checks that a box is combined with the memory that it is stored to, and
// that an operation that a type does not have is an error.
func TestReductionOfTensor(t *testing.T) {
	t.Parallel()
	m := abi.TensorMap{Type: abi.TensorInt32, Dims: []uint64{32, 5}, Strides: []uint64{128}, Box: []uint32{8, 4}}
	b := loadModule(t, "reduction.ptx", reduction())
	m.Address = b.alloc(make([]uint32, 160))
	code := m.Encode()
	r := b.checkLaunch("tensor", sim.Launch{Grid: x(2), Block: x(32), Params: code[:]}, Options{})
	if len(r.Findings) > 0 {
		t.Fatal(r)
	}
	for i, got := range b.words(m.Address, 160) {
		want := uint32(0)
		if row, col := i/32-1, i%32-4; row >= 0 && row < 4 && col >= 0 && col < 8 {
			want = 2 * uint32(8*row+col)
		}
		if got != want {
			t.Errorf("word %d is %d, want %d", i, got, want)
		}
	}
	for _, c := range []struct {
		op   string
		t    abi.TensorType
		want bool
	}{{"xor", abi.TensorUint32, true}, {"xor", abi.TensorFloat32, false}, {"min", abi.TensorFloat32, false}, {"add", abi.TensorInt64, false}, {"max", abi.TensorInt32, true}, {"add", abi.TensorFloat16, true}} {
		m := m
		m.Type = c.t
		switch c.t.Size() {
		case 2:
			m.Box[0] = 16
		case 8:
			m.Box[0] = 4
		default:
			m.Box[0] = 8
		}
		b := loadModule(t, "reduction.ptx", strings.ReplaceAll(reduction("TENSOR", c.op), "{4, 1}", "{8, 1}"))
		r := b.check("tensor", x(1), x(32), Options{}, mapped{make([]uint64, 160), m})
		if (len(r.Findings) == 0) != c.want {
			t.Errorf("%s of type %d: %v", c.op, c.t, r)
		}
	}
}

// TestReductionInShared: reductions to shared memory complete at an mbarrier, and to read before is
// a race.
func TestReductionInShared(t *testing.T) {
	t.Parallel()
	b := loadModule(t, "reduction.ptx", reduction())
	out := b.alloc(make([]uint32, 32))
	r := b.check("shared", x(2), x(32), Options{}, out)
	got := b.words(out, 32)
	for i := range got {
		if got[i] != 5+uint32(i) {
			t.Fatalf("word %d is %d", i, got[i])
		}
	}
	if slices.Contains(kindsOf(r), race) {
		t.Error(r)
	}
	b = loadModule(t, "reduction.ptx", reduction("WAITING", "bra PAST;"))
	run := func(b *bench) result { return b.check("shared", x(1), x(32), Options{}, make([]uint32, 32)) }
	if r := advised(t, b, run); !slices.Contains(kindsOf(r), race) {
		t.Errorf("no race found: %v", r)
	}
}

func kindsOf(r result) (kinds []report.Kind) {
	for _, f := range r.Findings {
		kinds = append(kinds, f.Kind)
	}
	return kinds
}

// TestReductionsGoneWrong: what the checks find around a reduction.
func TestReductionsGoneWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		changes []string
		words   int
		fresh   bool
		want    report.Kind
	}{
		{"right", nil, 32, false, silent},
		{"atomics as well", []string{"AFTER", "red.global.add.u32 [%a], 1;"}, 32, false, silent},
		{"plain write as well", []string{"AFTER", "st.global.u32 [%a+64], 1;"}, 32, false, race},
		{"read at once", []string{"BEFORE", "ld.global.u32 %v, [%a];"}, 32, false, race},
		{"outside", nil, 31, false, outside},
		{"misaligned", []string{"BEFORE", "add.u64 %a, %a, 8;"}, 40, false, report.Misaligned},
		{"unwritten", nil, 32, true, uninit},
	} {
		b := loadModule(t, "reduction.ptx", reduction(c.changes...))
		r := advised(t, b, func(b *bench) result {
			to := b.alloc(make([]uint32, c.words))
			o := Options{Init: &initcheck.Init{}}
			if c.fresh {
				o.Init.Fresh(to+4, 4)
			}
			return b.check("plain", x(2), x(32), o, to)
		})
		kinds := kindsOf(r)
		if c.want == silent && len(kinds) > 0 || c.want != silent && (len(kinds) == 0 || kinds[0] != c.want) {
			t.Errorf("%s: found %q, want %q\n%v", c.name, kinds, c.want, fmt.Sprint(r))
		}
	}
}
