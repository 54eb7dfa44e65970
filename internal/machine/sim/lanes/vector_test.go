package lanes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// A register file for the tests: four slots of 64 bits, D, A, B and C.
type testFile [4][abi.WarpSize]uint64

func (f *testFile) warp() *Warp { return &Warp{Base: unsafe.Pointer(f), Exec: ^uint32(0)} }

const slotBytes = abi.WarpSize * 8

// special are the bit patterns where operations go wrong: zeros, infinities, NaNs with payloads,
// denormal numbers, the ends of the integers.
var special = []uint64{
	0, 1, 31, 32, 33, 63, 64, 65, 1 << 31, 1<<31 - 1, 1 << 63, 1<<63 - 1, math.MaxUint64, math.MaxUint32,
	0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f800001, 0xffc12345, 0x00000001, 0x807fffff, 0x7f7fffff,
	0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001, 0x7ff0000000000001,
	0xfff8123456789abc, 0x000fffffffffffff, 0x7fefffffffffffff, 0x7f800000_7f800000, 0x80000000_80000000,
}

// fill makes random registers: special values, small numbers, and any bits.
func (f *testFile) fill(r *rand.Rand, floats bool) {
	for s := range f {
		for i := range f[s] {
			switch r.IntN(4) {
			case 0:
				f[s][i] = special[r.IntN(len(special))]
			case 1:
				f[s][i] = uint64(r.IntN(80))
			default:
				f[s][i] = r.Uint64()
			}
			if floats && r.IntN(4) > 0 { // ordinary numbers, so that not every vector of float64 has a NaN
				f[s][i] = math.Float64bits(r.NormFloat64())
			}
		}
	}
}

// TestVectors compares each vector operation with the loop in Go that it replaces.
func TestVectors(t *testing.T) {
	if !hasVectors {
		t.Skip("this processor has no vector instructions that package lanes uses")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for key, vector := range vectorOps {
		in := &code.Inst{Op: key.op, Type: key.t}
		if key.wide {
			in.Flags = code.Wide
		}
		loop := operations[in.Op](in)
		for _, d := range []uint32{0, slotBytes, 2 * slotBytes, 3 * slotBytes} { // also in place
			shift := key.t.Bits() == 64 && (key.op == ptx.OpShl || key.op == ptx.OpShr)
			if key.wide && d == slotBytes || (key.wide || shift) && d == 2*slotBytes {
				continue // the destination is wider than this input, and never in its slot
			}
			for range 2000 {
				var got, want testFile
				got.fill(r, key.t == ptx.F64)
				want = got
				at := &Inst{D: d, A: slotBytes, B: 2 * slotBytes, C: 3 * slotBytes}
				before := got
				vector(got.warp(), at)
				loop(want.warp(), at)
				if got != want {
					t.Fatalf("%s.%s into slot %d of %x:\nvector %x\nloop   %x", key.op, key.t, d/slotBytes, before, got, want)
				}
			}
		}
	}
}

// TestVectorComparisons compares each vector comparison with the loop in Go that it replaces.
func TestVectorComparisons(t *testing.T) {
	if !hasVectors {
		t.Skip("this processor has no vector instructions that package lanes uses")
	}
	r := rand.New(rand.NewPCG(3, 4))
	for typ, vectors := range vectorLoops {
		for i, vector := range vectors {
			if vector == nil {
				continue
			}
			for range 5000 {
				var f testFile
				f.fill(r, typ == ptx.F64)
				for lane := range f[1] { // equal numbers are rare otherwise
					if r.IntN(3) == 0 {
						f[1][lane] = f[2][lane]
					}
				}
				if got, want := vector(f.warp(), slotBytes, 2*slotBytes), loops[typ][i](f.warp(), slotBytes, 2*slotBytes); got != want {
					t.Fatalf("comparison %d of .%s of %x and %x: %#x, the loop has %#x", i, typ, f[1], f[2], got, want)
				}
			}
		}
	}
}

// TestRows holds Consecutive and CopyRow to their comments.
func TestRows(t *testing.T) {
	var a [abi.WarpSize]uint64
	for _, step := range []uint64{4, 8} {
		for _, first := range []uint64{0, 0x7000_0000_0010, math.MaxUint64 - 20} {
			for i := range a {
				a[i] = first + uint64(i)*step
			}
			if !Consecutive(&a, step) {
				t.Errorf("%x is not consecutive in steps of %d", a, step)
			}
			for i := range a {
				for _, off := range []uint64{1, 1 << 31, 1 << 32, 1 << 63} {
					a[i] += off
					if Consecutive(&a, step) {
						t.Errorf("lane %d is off by %#x, and consecutive", i, off)
					}
					a[i] -= off
				}
			}
		}
	}
	for _, size := range []int{128, 256} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			from, to := make([]byte, size), make([]byte, size+2)
			for i := range from {
				from[i] = byte(i + 1)
			}
			CopyRow(unsafe.Pointer(&to[1]), unsafe.Pointer(&from[0]), 1, size) // nothing lies at address 1
			if string(to[1:size+1]) != string(from) || to[0] != 0 || to[size+1] != 0 {
				t.Errorf("copied %x, want %x", to, from)
			}
		})
	}
}

// TestGather compares Gather with a loop, on addresses inside, at both ends, outside and misaligned.
func TestGather(t *testing.T) {
	if !hasVectors {
		t.Skip("this processor has no vector instructions that package lanes uses")
	}
	t.Run("32 of 32", testGather[uint32, uint32])
	t.Run("32 of 64", testGather[uint32, uint64])
	t.Run("64 of 64", testGather[uint64, uint64])
}

func testGather[T, A uint32 | uint64](t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	value := uint64(unsafe.Sizeof(*new(T)))
	done := 0
	for range 20000 {
		mem := make([]T, 1+r.IntN(100))
		for i := range mem {
			mem[i] = T(r.Uint64())
		}
		size := uint64(len(mem)) * value
		base := A(r.Uint64())
		var a [abi.WarpSize]A
		inside := true
		for i := range a {
			off := r.Uint64N(uint64(len(mem))) * value
			switch r.IntN(200) {
			case 0:
				off = size
			case 1:
				off++
			case 2:
				off -= size
			case 3:
				off = r.Uint64()
			}
			a[i] = base + A(off)
			off = uint64(A(off))
			inside = inside && off < size && off%value == 0
		}
		var d [abi.WarpSize]T
		got := Gather(&d, &a, base, unsafe.Pointer(&mem[0]), size)
		if got != inside {
			t.Fatalf("Gather is %v for offsets %x in %d bytes", got, a, size)
		}
		for i := range d {
			want := T(0)
			if inside {
				want = mem[uint64(a[i]-base)/value]
			}
			if d[i] != want {
				t.Fatalf("lane %d got %x, want %x", i, d[i], want)
			}
		}
		if inside {
			done++
		}
	}
	if done < 1000 {
		t.Errorf("%d of 20000 gathers were inside, want 1000", done)
	}
	var a [abi.WarpSize]A // the destination may be the slot of the addresses
	mem := [abi.WarpSize]T{}
	for i := range a {
		a[i], mem[i] = A(uint64(abi.WarpSize-1-i)*value), T(i+1)
	}
	if value == uint64(unsafe.Sizeof(a[0])) {
		d := (*[abi.WarpSize]T)(unsafe.Pointer(&a))
		if !Gather(d, &a, 0, unsafe.Pointer(&mem), abi.WarpSize*value) || d[0] != abi.WarpSize || d[abi.WarpSize-1] != 1 {
			t.Errorf("into its own addresses: %x", *d)
		}
	}
}
