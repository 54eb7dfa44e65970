package difftest

import (
	"encoding/binary"
	"fmt"
	"go/types"
	"math"
	"math/rand/v2"

	"github.com/gridstride/gridstride/internal/proof/difftest/host"
)

// Call is the launch with its arguments, the same at every call.
func (p *Program) Call() host.Call {
	c := host.Call{Grid: p.Grid, Block: p.Block, Cluster: p.Cluster}
	for i, q := range p.Params {
		a := host.Arg{Slice: q.Slice, Len: q.Len, Alias: q.Alias}
		if q.Alias < 0 {
			n := 1
			if q.Slice {
				n = q.Len
			}
			a.Data = q.random(rand.New(rand.NewPCG(p.Seed, uint64(i))), n)
		}
		c.Args = append(c.Args, a)
	}
	return c
}

// random fills n values. Padding stays zero.
func (q *Param) random(r *rand.Rand, n int) []byte {
	data := make([]byte, n*q.Size)
	for i := range n {
		for _, l := range q.Leaves {
			l.put(data[i*q.Size+l.Offset:], r)
		}
	}
	return data
}

// put writes a random scalar of a kind that makes trouble: limits, powers of two, small numbers,
// infinities, NaNs, denormals.
func (l Leaf) put(b []byte, r *rand.Rand) {
	switch size := sizes.Sizeof(types.Typ[l.Kind]); {
	case l.Kind == types.Bool:
		b[0] = byte(r.IntN(2))
	case l.Half && size == 1:
		b[0] = byte(r.Uint32())
	case l.Half:
		binary.LittleEndian.PutUint16(b, halfBits(r))
	case l.Kind == types.Float32:
		binary.LittleEndian.PutUint32(b, float32Bits(r))
	case l.Kind == types.Float64:
		binary.LittleEndian.PutUint64(b, float64Bits(r))
	default:
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], integer(r, int(size)*8))
		copy(b[:size], word[:])
	}
}

// integer is a random integer in its low bits.
func integer(r *rand.Rand, bits int) uint64 {
	switch r.IntN(8) {
	case 0:
		return 1<<(bits-1) - 2 + r.Uint64N(4) // the signed limits
	case 1:
		return ^uint64(0) - r.Uint64N(3)
	case 2:
		return r.Uint64()
	case 3:
		return 1 << r.IntN(bits)
	}
	return r.Uint64N(20) - 4
}

func float64Bits(r *rand.Rand) uint64 {
	special := []float64{
		0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, math.SmallestNonzeroFloat64,
		-0x1p-1030, 0x1p-1022, 0x1p63, -0x1p63, 0x1p64, 0x1p31, 0x1p32, 0x1p53 + 2, 0.5, 1.5, 2.5, 0x1.fffffffffffffp-1,
	}
	switch r.IntN(6) {
	case 0:
		return math.Float64bits(special[r.IntN(len(special))])
	case 1:
		return r.Uint64()
	case 2:
		return math.Float64bits(r.NormFloat64())
	}
	return math.Float64bits(float64(r.IntN(64)-24) / 4)
}

func float32Bits(r *rand.Rand) uint32 {
	special := []float32{
		0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), math.MaxFloat32,
		math.SmallestNonzeroFloat32, -0x1p-130, 0x1p-126, 0x1p63, -0x1p63, 0x1p64, 0x1p31, 0x1p32, 0x1p24 + 2, 0.5, 1.5, 2.5, 0x1.fffffep-1,
	}
	switch r.IntN(6) {
	case 0:
		return math.Float32bits(special[r.IntN(len(special))])
	case 1:
		return r.Uint32()
	case 2:
		return math.Float32bits(float32(r.NormFloat64()))
	}
	return math.Float32bits(float32(r.IntN(64)-24) / 4)
}

// halfBits returns the bits of a number of 16 bits, which is sometimes special in one format or the
// other.
func halfBits(r *rand.Rand) uint16 {
	special := []uint16{
		0, 0x7c00, 0x7f80, 0x7fff, 0x7d00, 1, 0x03ff, 0x0400, 0x007f, 0x0080, 0x7bff, 0x7f7f, 0x3c00, 0x3f80, 0x3555, 0x6800,
	}
	switch r.IntN(4) {
	case 0:
		return special[r.IntN(len(special))] ^ uint16(r.IntN(2))<<15
	case 1:
		return uint16(r.Uint32())
	}
	return 0x3c00 + uint16(r.IntN(0x800)) - 0x400 ^ uint16(r.IntN(2))<<15
}

// format prints a scalar for people, floats with their bits.
func (l Leaf) format(bits uint64) string {
	size := int(sizes.Sizeof(types.Typ[l.Kind])) * 8
	switch info := types.Typ[l.Kind].Info(); {
	case l.Kind == types.Float32:
		return fmt.Sprintf("%v (%#08x)", math.Float32frombits(uint32(bits)), bits)
	case l.Kind == types.Float64:
		return fmt.Sprintf("%v (%#016x)", math.Float64frombits(bits), bits)
	case l.Half:
		return fmt.Sprintf("%#04x", bits)
	case info&types.IsUnsigned != 0 || l.Kind == types.Bool:
		return fmt.Sprint(bits)
	}
	return fmt.Sprint(int64(bits<<(64-size)) >> (64 - size))
}
