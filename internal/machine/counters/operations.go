package counters

import (
	"math/bits"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Operations are arithmetic operations of lanes on floating-point numbers, by the unit that runs them,
// and operations of tensor cores by the type of the factors. A multiply-add is two. Additions,
// subtractions, multiplications, divisions, roots and reciprocals are one each, like PTX's
// instructions. Moves, comparisons and conversions are none.
type Operations struct {
	Float32    uint64 `json:"float32,omitempty"`
	Float64    uint64 `json:"float64,omitempty"`
	Half       uint64 `json:"half,omitempty"`       // float16 and bfloat16
	Tensor16   uint64 `json:"tensor16,omitempty"`   // factors of float16 and bfloat16
	TensorTF32 uint64 `json:"tensorTF32,omitempty"` // of TF32
	Tensor8    uint64 `json:"tensor8,omitempty"`    // of eight bits or fewer
	Tensor64   uint64 `json:"tensor64,omitempty"`   // of float64
}

// add adds n times what another has.
func (o *Operations) add(p *Operations, n uint64) {
	o.Float32 += n * p.Float32
	o.Float64 += n * p.Float64
	o.Half += n * p.Half
	o.Tensor16 += n * p.Tensor16
	o.TensorTF32 += n * p.TensorTF32
	o.Tensor8 += n * p.Tensor8
	o.Tensor64 += n * p.Tensor64
}

// Total is the number of all of them.
func (o *Operations) Total() uint64 {
	return o.Float32 + o.Float64 + o.Half + o.Tensor16 + o.TensorTF32 + o.Tensor8 + o.Tensor64
}

// laneOperations are the operations of each lane that runs an instruction.
func laneOperations(in *ptx.Instr) (o Operations) {
	if in == nil {
		return o
	}
	var n uint64
	switch in.Op {
	case "add", "sub", "mul", "div", "rcp", "sqrt", "rsqrt", "sin", "cos", "ex2", "lg2", "tanh":
		n = 1
	case "fma", "mad":
		n = 2
	}
	for _, mod := range in.Mods {
		switch mod {
		case "f32":
			o.Float32 = n
		case "f32x2":
			o.Float32 = 2 * n
		case "f64":
			o.Float64 = n
		case "f16", "bf16":
			o.Half = n
		case "f16x2", "bf16x2":
			o.Half = 2 * n
		}
	}
	return o
}

// tensorOperations are the operations of a warp that runs a product of matrices.
func tensorOperations(in *ptx.Instr) (o Operations) {
	if in == nil || in.Effects().Kind != ptx.Multiplies {
		return o
	}
	n := 2 * multiplyAdds(in)
	has := func(types ...string) bool {
		return slices.ContainsFunc(types, func(t string) bool { return slices.Contains(in.Mods, t) })
	}
	switch {
	case has("f64"):
		o.Tensor64 = n
	case has("tf32"):
		o.TensorTF32 = n
	case has("e4m3", "e5m2", "s8", "u8", "s4", "u4", "b1"):
		o.Tensor8 = n
	default:
		o.Tensor16 = n
	}
	return o
}

// page is the number of sectors of a page.
const page = 256

// touched has the sectors of global memory that a launch has read and written.
type touched struct {
	pages map[uint64]*sectors
	last  *sectors // the page that the last access was to
	at    uint64   // its number
}

// sectors has a bit for each sector of a page.
type sectors struct{ read, written [page / 64]uint64 }

// pageOf is the page with a number.
func (t *touched) pageOf(number uint64) *sectors {
	if t.last != nil && t.at == number {
		return t.last
	}
	p := t.pages[number]
	if p == nil {
		if t.pages == nil {
			t.pages = map[uint64]*sectors{}
		}
		p = &sectors{}
		t.pages[number] = p
	}
	t.last, t.at = p, number
	return p
}

// first counts the sectors of an access that memory must give or take, however large the caches
// are: those that the launch reads before it has written or read them, and those that it writes for the
// first time.
func (t *touched) first(kind event.AccessKind, lanes uint32, addrs *[abi.WarpSize]uint64, size int) (n uint64) {
	for m := lanes; m != 0; m &= m - 1 {
		at := addrs[bits.TrailingZeros32(m)]
		for sector := at / SectorSize; sector <= (at+uint64(max(size, 1))-1)/SectorSize; sector++ {
			p := t.pageOf(sector / page)
			word, bit := sector%page/64, uint64(1)<<(sector%64)
			switch {
			case kind == event.Load && (p.read[word]|p.written[word])&bit == 0:
				p.read[word] |= bit
				n++
			case kind != event.Load && p.written[word]&bit == 0:
				p.written[word] |= bit
				n++
			}
		}
	}
	return n
}
