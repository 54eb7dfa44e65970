package sim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	"github.com/gridstride/gridstride/internal/ptx"
)

func TestAlloc(t *testing.T) {
	m := New(Config{Memory: 10000})
	var addrs []uint64
	for _, size := range []int64{0, 1, 511, 513, 4000} {
		a, err := m.Alloc(size)
		if err != nil {
			t.Fatal(err)
		}
		if a == 0 || a%memory.Align != 0 {
			t.Errorf("%d bytes at %#x", size, a)
		}
		for i, b := range addrs {
			if a < b+memory.GuardGap {
				t.Errorf("allocations %d and %d are %d bytes apart", i, len(addrs), a-b)
			}
		}
		addrs = append(addrs, a)
		b, err := m.Bytes(a, size)
		if err != nil || int64(len(b)) != size {
			t.Errorf("%d bytes: %d, %v", size, len(b), err)
		}
		if _, err := m.Bytes(a, size+1); !errors.Is(err, ErrNotAllocated) {
			t.Errorf("one byte more than %d: %v", size, err)
		}
	}
	if used, n := m.Used(); used != 5025 || n != 5 {
		t.Errorf("%d bytes in %d allocations", used, n)
	}
	if _, err := m.Alloc(4976); !errors.Is(err, ErrOutOfMemory) ||
		!strings.Contains(err.Error(), "4976 bytes: out of memory: 5025 of 10000 bytes in use") {
		t.Error(err)
	}
	if _, err := m.Alloc(-1); err == nil {
		t.Error("negative size")
	}
	for _, a := range addrs {
		if err := m.Free(a); err != nil {
			t.Error(err)
		}
	}
	if _, err := m.Alloc(10000); err != nil {
		t.Error(err)
	}
	if _, err := m.Bytes(64, 4); !errors.Is(err, ErrNotAllocated) {
		t.Error(err)
	}
}

// TestAllocIsPoisoned looks at fresh memory, also where some was freed before.
func TestAllocIsPoisoned(t *testing.T) {
	m := New(Config{})
	for _, size := range []int64{0, 1, 31, 4096, 4097, 1 << 20} {
		for range 2 {
			a, err := m.Alloc(size)
			if err != nil {
				t.Fatal(err)
			}
			b, err := m.Bytes(a, size)
			if err != nil {
				t.Fatal(err)
			}
			for i := range b {
				if b[i] != 0xff {
					t.Fatalf("byte %d of %d is %#x", i, size, b[i])
				}
				b[i] = 0
			}
			if err := m.Free(a); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestVariablesTouchNothing declares far more than the test may use.
func TestVariablesTouchNothing(t *testing.T) {
	if !inFreshProcess(t) {
		return
	}
	mod, err := ptx.Parse("huge.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.global .b64 huge[1073741823];\n")
	if err != nil {
		t.Fatal(err)
	}
	before := resident(t)
	m := New(Config{Memory: 64 << 30})
	if _, err := m.Load(mod); err != nil {
		t.Fatal(err)
	}
	if grown := resident(t) - before; grown > 256<<20 {
		t.Errorf("8 GiB of device memory take %d MiB", grown>>20)
	}
}

// TestFreedMemoryIsGivenBack allocates, fills and frees again and again.
func TestFreedMemoryIsGivenBack(t *testing.T) {
	if !inFreshProcess(t) {
		return
	}
	const size = 256 << 20
	before := resident(t)
	m := New(Config{})
	for range 6 {
		a, err := m.Alloc(size)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := m.Bytes(a, size)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		if grown := resident(t) - before; grown > size*3/2 {
			t.Fatalf("%d MiB of device memory take %d MiB", size>>20, grown>>20)
		}
		if err := m.Free(a); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLaunchTakesLittle launches a dot product: besides the buffers the machine needs memory only
// for the blocks in flight.
func TestLaunchTakesLittle(t *testing.T) {
	if !inFreshProcess(t) {
		return
	}
	const n, grid = 8 << 20, 1000
	before := resident(t)
	r := newRig(t, dotPTX, Config{})
	var buffers [2]uint64
	for i := range buffers {
		addr, err := r.m.Alloc(4 * n)
		r.must(err)
		b, err := r.m.Bytes(addr, 4*n)
		r.must(err)
		clear(b) // touches it
		buffers[i] = addr
	}
	c := upload(r, make([]float32, grid))
	for range 3 {
		r.must(r.launch("dot", grid, 256, buffers[0], n, buffers[1], n, c))
	}
	const size = 2 * 4 * n
	if grown := resident(t) - before; grown < size*9/10 || grown > size*3/2 {
		t.Errorf("%d MiB of buffers take %d MiB, want at most half as much again", size>>20, grown>>20)
	}
}

// inFreshProcess runs the test in another process, whose memory shows no traces of other tests, and
// returns true there.
func inFreshProcess(t *testing.T) bool {
	resident(t)
	if os.Getenv("GRIDSTRIDE_FRESH") != "" {
		return true
	}
	cmd := osexec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "GRIDSTRIDE_FRESH=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// resident is the process's memory in bytes.
func resident(t *testing.T) int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil || raceEnabled {
		t.Skip("no way to see the process's memory", err)
	}
	var size, pages int64
	fmt.Sscan(string(text), &size, &pages)
	return pages * int64(os.Getpagesize())
}

func TestVariables(t *testing.T) {
	r := newRig(t, `
.global .align 4 .u32 words[4] = {1, 2, 3};
.global .align 2 .b8 bytes[2][3] = {{1, 2}, {4, 5, 6}};
.const .f64 pi = 0d400921FB54442D18;
.global .f32 ones[2] = {0f3F800000, 1.0};
.global .u64 pointers[2] = {words, words+8};
.global .v4 .f32 zero;
.visible .entry k(.param .u64 out)
{
	.reg .b32 %a;
	.reg .b64 %o, %x;
	ld.param.u64 %o, [out];
	mov.u64 %x, pointers;
	ld.global.u64 %x, [%x+8];
	ld.global.u32 %a, [%x];
	st.global.u32 [%o], %a;
	ld.const.u32 %a, [pi+4];
	st.global.u32 [%o+4], %a;
	ret;
}`, Config{})
	for name, want := range map[string]string{
		"words": "[1 0 0 0 2 0 0 0 3 0 0 0 0 0 0 0]", "bytes": "[1 2 0 4 5 6]", "pi": "[24 45 68 84 251 33 9 64]",
		"ones": "[0 0 128 63 0 0 128 63]", "zero": "[0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0]",
	} {
		addr, size, err := r.p.Global(name)
		r.must(err)
		if got := fmt.Sprint(view[uint8](r, addr, int(size))); got != want {
			t.Errorf("%s = %s, want %s", name, got, want)
		}
	}
	out := upload(r, make([]uint32, 2))
	r.must(r.launch("k", 1, 1, out))
	equalSlices(r, "out", view[uint32](r, out, 2), []uint32{3, 0x400921FB})
	if _, _, err := r.p.Global("no"); !errors.Is(err, ErrNoGlobal) {
		t.Error(err)
	}
	if used, n := r.m.Used(); used == 0 || n != 1 {
		t.Errorf("%d bytes, %d allocations", used, n)
	}
	addr, _, _ := r.p.Global("words")
	if err := r.m.Free(addr); !errors.Is(err, ErrNotAllocated) {
		t.Errorf("freeing a variable: %v", err)
	}
	r.p.Unload()
	if used, _ := r.m.Used(); used != 8 {
		t.Errorf("%d bytes after unloading", used)
	}
}

func TestVariablesOutOfMemory(t *testing.T) {
	m := New(Config{Memory: 1000})
	mod := parse(t, header+".global .b8 a[600];\n.global .b8 b[600];\n.visible .entry k() { ret; }")
	if _, err := m.Load(mod); !errors.Is(err, ErrOutOfMemory) || !strings.Contains(err.Error(), "variable b: ") {
		t.Error(err)
	}
	if used, _ := m.Used(); used != 0 {
		t.Errorf("%d bytes after a failed load", used)
	}
}

// accesses are loads and stores of every width and space: each thread stores its value and loads it
// back elsewhere.
func TestAccessWidths(t *testing.T) {
	for _, c := range []struct {
		body string
		want func(thread int) uint32
	}{
		{"st.shared.u8 [%c], %t;\nld.shared.u8 %d, [%c];", func(i int) uint32 { return uint32(uint8(i)) }},
		{"sub.u32 %a, 3, %t;\nst.shared.b8 [%c], %a;\nld.shared.s8 %d, [%c];",
			func(i int) uint32 { return uint32(int32(int8(3 - i))) }},
		{"sub.u32 %a, 3, %t;\nst.shared.u16 [%c], %a;\nld.shared.s16 %d, [%c];",
			func(i int) uint32 { return uint32(int32(int16(3 - i))) }},
		{".reg .b16 %h;\nsub.u32 %a, 3, %t;\nst.shared.u8 [%c], %a;\nld.shared.s8 %h, [%c];\ncvt.u32.u16 %d, %h;", func(i int) uint32 { return uint32(uint16(int8(3 - i))) }},
		{".reg .b16 %h;\nsub.u32 %a, 3, %t;\nst.shared.u16 [%c], %a;\nld.shared.s16 %h, [%c];\ncvt.u32.u16 %d, %h;", func(i int) uint32 { return uint32(uint16(3 - i)) }},
		{"mov.u64 %x, two;\nld.const.u32 %d, [%x];\nadd.u32 %d, %d, %t;", func(i int) uint32 { return uint32(i + 2) }},
		{"cvt.u64.u32 %x, %t;\nsub.u64 %x, 3, %x;\nst.shared.u64 [%c], %x;\nld.shared.s32 %y, [%c];\nshr.s64 %y, %y, 1;\ncvt.u32.u64 %d, %y;", func(i int) uint32 { return uint32((3 - i) >> 1) }},
		// An address of 32 bits is added in 32 bits: compilers split one into a register below 0
		// and a constant.
		{"sub.u32 %a, %c, 4096;\nst.shared.u32 [%a+4096], %t;\nld.shared.u32 %d, [%a+4096];",
			func(i int) uint32 { return uint32(i) }},
		{"sub.u32 %a, %c, 4096;\nst.shared.u32 [%c], %t;\natom.shared.add.u32 %b, [%a+4096], 7;\nld.shared.u32 %d, [%c];", func(i int) uint32 { return uint32(i + 7) }},
		{"st.shared.v2.u32 [%c], {%t, %n};\nld.shared.v2.u32 {%a, %d}, [%c];\nadd.u32 %d, %d, %a;",
			func(i int) uint32 { return uint32(i + 70) }},
		{"st.shared.v4.u32 [%c], {%t, %n, %b, 5};\nld.shared.v4.u32 {%a, _, %e, %d}, [%c];\nadd.u32 %d, %d, %a;", func(i int) uint32 { return uint32(i + 5) }},
		{".reg .v4 .b32 %v;\nst.shared.v4.u32 [%c], {1, 2, 3, %t};\nld.shared.v4.u32 %v, [%c];\nadd.u32 %d, %v.w, %v.x;", func(i int) uint32 { return uint32(i + 1) }},
		{"st.shared.v4.u8 [%c], {%t, 2, 3, 4};\nld.shared.v2.s16 {%a, %d}, [%c];\nadd.u32 %d, %d, %a;",
			func(i int) uint32 { return uint32(uint16(i&255|0x200)) + 0x403 }},
		{".local .align 8 .b8 l[16];\nst.local.u32 [l+4], %t;\nst.local.u32 [l+8], 9;\nld.local.u32 %d, [l+4];", func(i int) uint32 { return uint32(i) }},
		{".local .align 8 .b8 l[16];\nmov.u64 %x, l;\ncvta.local.u64 %x, %x;\nst.v2.u32 [%x+8], {%t, 7};\nld.local.v2.u32 {%d, %a}, [l+8];\nadd.u32 %d, %d, %a;", func(i int) uint32 { return uint32(i + 7) }},
		{"cvt.u64.u32 %x, %c;\ncvta.shared.u64 %x, %x;\nst.u32 [%x], %t;\nld.shared.u32 %d, [%c];",
			func(i int) uint32 { return uint32(i) }},
		{"st.u32 [%o], %t;\nld.global.u32 %d, [%o];", func(i int) uint32 { return uint32(i) }},
		{"st.volatile.shared.v2.u32 [%c], {%t, %n};\nld.volatile.shared.v2.u32 {%a, %d}, [%c];\nadd.u32 %d, %d, %a;", func(i int) uint32 { return uint32(i + 70) }},
		{".local .align 8 .b8 l[16];\nst.volatile.local.v2.u32 [l], {%t, %n};\nld.volatile.local.v2.u32 {%a, %d}, [l];\nadd.u32 %d, %d, %a;\nst.volatile.local.u8 [l+3], 0;", func(i int) uint32 { return uint32(i + 70) }},
		{"sub.u32 %a, 3, %t;\nst.volatile.shared.u8 [%c+1], %a;\nld.volatile.shared.s8 %d, [%c+1];",
			func(i int) uint32 { return uint32(int32(int8(3 - i))) }},
		{"sub.u32 %a, 3, %t;\nst.relaxed.gpu.shared.u16 [%c+2], %a;\nld.acquire.cta.shared.s16 %d, [%c+2];",
			func(i int) uint32 { return uint32(int32(int16(3 - i))) }},
		{"mov.u64 %x, out;\nld.param.u64 %y, [%x];\nsub.u64 %y, %o, %y;\ncvt.u32.u64 %d, %y;\nshr.u32 %d, %d, 2;\nmad.lo.u32 %a, %b, %n, 0;\nsub.u32 %d, %d, %a;", func(i int) uint32 { return uint32(i) }},
		{"mov.u64 %x, out;\ncvta.param.u64 %x, %x;\nld.u64 %y, [%x];\nsub.u64 %y, %o, %y;\ncvt.u32.u64 %d, %y;\nshr.u32 %d, %d, 2;\nmad.lo.u32 %a, %b, %n, 0;\nsub.u32 %d, %d, %a;", func(i int) uint32 { return uint32(i) }},
		{"cvt.u64.u32 %x, %c;\ncvta.shared.u64 %x, %x;\nisspacep.shared %p, %x;\nselp.u32 %d, 1, 0, %p;\nisspacep.global %p, %o;\nselp.u32 %a, 2, 0, %p;\nadd.u32 %d, %d, %a;\nisspacep.local %p, %o;\nselp.u32 %a, 4, 0, %p;\nadd.u32 %d, %d, %a;", func(int) uint32 { return 3 }},
		{"mov.u32 %a, 0x50007;\nst.global.u32 [%o], %a;\ncp.async.ca.shared.global [%c], [%o], 4, 2;\ncp.async.wait_all;\nld.shared.u32 %d, [%c];", func(int) uint32 { return 7 }},
	} {
		body := "\n.shared .align 16 .b8 s[1120];\nmov.u32 %e, s;\nmad.lo.u32 %c, %t, 16, %e;\n" + c.body
		text := strings.Replace(header, "8.0", "9.1", 1) + outKernel(".const .u32 two = 2;", body)
		runOut(t, text, 2, 70, func(_, thread int) uint32 { return c.want(thread) })
		if t.Failed() {
			t.Fatal(c.body)
		}
	}
}

// TestFreshMemory: what shared and local memory hold at first is the same in every block, and
// obvious.
func TestFreshMemory(t *testing.T) {
	runOut(t, outKernel("", `
	.shared .align 4 .b32 s[64];
	.local .align 4 .b32 l[2];
	mov.u32 %e, s;
	mad.lo.u32 %c, %t, 4, %e;
	ld.shared.u32 %d, [%c];
	ld.local.u32 %a, [l];
	and.b32 %d, %d, %a;
	st.shared.u32 [%c], 0;
	st.local.u32 [l], 0;`), 9, 64, func(int, int) uint32 { return 0xffffffff })
}

// TestMbarrier passes a phase twice: every thread arrives and then tests in a loop.
func TestMbarrier(t *testing.T) {
	runOut(t, outKernel("", `
	.shared .align 8 .b64 bar;
	.shared .align 4 .b32 s[64];
	mov.u64 %x, bar;
	setp.ne.u32 %p, %t, 0;
	@%p bra INIT;
	mbarrier.init.shared.b64 [%x], 64;
INIT:
	bar.sync 0;
	mov.u32 %e, s;
	mad.lo.u32 %c, %t, 4, %e;
	mov.u32 %d, 0;
	mov.u32 %a, 0;
LOOP:
	add.u32 %n, %t, %a;
	st.shared.u32 [%c], %n;
	mbarrier.arrive.shared.b64 %y, [%x];
WAIT:
	mbarrier.test_wait.shared.b64 %p, [%x], %y;
	@!%p bra WAIT;
	xor.b32 %n, %t, 63;
	mad.lo.u32 %n, %n, 4, %e;
	ld.shared.u32 %n, [%n];
	add.u32 %d, %d, %n;
	mbarrier.arrive.shared.b64 _, [%x];
PARITY:
	mbarrier.try_wait.parity.shared.b64 %p, [%x], 1;
	@!%p bra PARITY;
	add.u32 %a, %a, 1;
	setp.lt.u32 %p, %a, 3;
	@%p bra LOOP;`), 2, 64, func(_, thread int) uint32 { return uint32(3*(63-thread) + 3) })
}

// TestConcurrentLaunches shares memory between kernels that run at once.
func TestConcurrentLaunches(t *testing.T) {
	r := newRig(t, ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %o;\nld.param.u64 %o, [out];\nred.global.add.u32 [%o], 1;\nret;\n}", Config{Workers: 2})
	out := upload(r, make([]uint32, 1))
	e, _ := r.p.Entry("k")
	errs := make(chan error)
	for range 8 {
		go func() {
			_, err := r.m.Launch(context.Background(), e, Launch{Grid: x(10), Block: x(33), Params: r.params(e, out)})
			a, err2 := r.m.Alloc(100)
			errs <- errors.Join(err, err2, r.m.Free(a))
		}()
	}
	for range 8 {
		r.must(<-errs)
	}
	equalSlices(r, "out", view[uint32](r, out, 1), []uint32{8 * 330})
}

// TestManyAllocations makes and frees more buffers than a quadratic allocator could in a minute, in
// several orders, and finds what is there and what is not.
func TestManyAllocations(t *testing.T) {
	t.Parallel()
	const n = 100_000
	m := New(Config{Memory: 1 << 40})
	addrs := make([]uint64, n)
	for i := range addrs {
		var err error
		if addrs[i], err = m.Alloc(int64(i % 3)); err != nil {
			t.Fatal(err)
		}
	}
	order := rand.New(rand.NewPCG(1, 2)).Perm(n)
	for k, i := range order {
		if err := m.Free(addrs[i]); err != nil {
			t.Fatal(err)
		}
		if m.Find(addrs[i]) != nil {
			t.Fatalf("buffer %d is found after it was freed", i)
		}
		if k+1 < n {
			if s := m.Find(addrs[order[k+1]]); s == nil || s.Base != addrs[order[k+1]] {
				t.Fatalf("buffer %d is not found", order[k+1])
			}
		}
	}
	if bytes, left := m.Used(); bytes != 0 || left != 0 || len(m.Extents()) != 0 {
		t.Errorf("%d bytes in %d buffers are left", bytes, left)
	}
}

// TestVectorAtomics: each element of a vector is an atomic by itself, of every type and operation,
// also where a result replaces a later element's operand.
func TestVectorAtomics(t *testing.T) {
	t.Parallel()
	const nan, one, two, three = 0x7e00, 0x3c00, 0x4000, 0x4200 // as f16
	for _, c := range []struct {
		code      string
		at        [4]uint32
		want, old [4]uint32
	}{
		{"mov.b32 %f0, 0f3F800000; mov.b32 %f1, 0f40000000;\natom.global.add.v2.f32 {%f0, %f1}, [%a], {%f1, %f0};",
			[4]uint32{0x40400000, 0x40800000}, [4]uint32{0x40a00000, 0x40a00000}, [4]uint32{0x40400000, 0x40800000}},
		{"atom.relaxed.gpu.global.add.v4.f32 {%f3, _, %f1, %f0}, [%a], {0f3F800000, 0f3F800000, 0f3F800000, 0f00000001};",
			[4]uint32{0x3f800000, 0x3f800000, 0, 1}, [4]uint32{0x40000000, 0x40000000, 0x3f800000, 0}, [4]uint32{1, 0, 0, 0x3f800000}},
		{"atom.global.v2.f32.add _, [%a], {0f3F800000, 0fBF800000};",
			[4]uint32{0, 0x3f800000, 7, 7}, [4]uint32{0x3f800000, 0, 7, 7}, [4]uint32{}},
		{"mov.b16 %h0, 0x3c00; mov.b16 %h1, 0x4000;\nred.global.add.noftz.v8.f16 [%a], {%h0, %h1, %h0, %h1, %h0, %h1, %h0, %h1};",
			[4]uint32{two<<16 | two, 0, 0, 1}, [4]uint32{0x4400<<16 | three, two<<16 | one, two<<16 | one, two<<16 | one}, [4]uint32{}},
		{"mov.b32 %f0, 0x40004000;\nred.global.min.noftz.v4.f16x2 [%a], {%f0, %f0, %f0, %f0};",
			[4]uint32{three<<16 | one, nan<<16 | nan, 0xc000 << 16, two}, [4]uint32{two<<16 | one, two<<16 | two, 0xc000 << 16, two}, [4]uint32{}},
		{"mov.b16 %h0, 0x3f80; mov.b16 %h1, 0xbf80;\natom.global.max.noftz.v2.bf16 {%h2, %h3}, [%a], {%h0, %h1};\nmov.b32 %f0, {%h2, %h3};",
			[4]uint32{0xbf00 << 16, 7}, [4]uint32{0xbf00<<16 | 0x3f80, 7}, [4]uint32{0xbf00 << 16}},
	} {
		r := newRig(t, strings.Replace(`.version 8.1
.target sm_90
.address_size 64
.visible .entry k(.param .u64 to, .param .u64 out)
{
	.reg .b16 %h<4>;
	.reg .b32 %f<4>;
	.reg .b64 %a, %o;
	ld.param.u64 %a, [to];
	ld.param.u64 %o, [out];
	mov.b32 %f0, 0; mov.b32 %f1, 0; mov.b32 %f2, 0; mov.b32 %f3, 0;
	CODE
	st.global.v4.b32 [%o], {%f0, %f1, %f2, %f3};
	ret;
}`, "CODE", c.code, 1), Config{})
		at, out := upload(r, c.at[:]), upload(r, make([]uint32, 4))
		r.must(r.launch("k", 1, 1, at, out))
		got := [4]uint32(view[uint32](r, at, 4))
		if got != c.want {
			t.Errorf("%s\nleaves %#x, want %#x", c.code, got, c.want)
		}
		if old := [4]uint32(view[uint32](r, out, 4)); strings.Contains(c.code, "atom") && old != c.old {
			t.Errorf("%s\ngives %#x, want %#x", c.code, old, c.old)
		}
	}
}
