package native

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
)

// naming says which lanes the mask of an operation names that they do together.
type naming int

const (
	namesOther naming = iota // none, or some lanes by a constant
	namesAll                 // all 32, by a constant
	namesMaybe               // it is a register
)

func (p *plan) naming(in *code.Inst) naming {
	if in.Mask.Bits != 32 {
		return namesOther
	}
	switch mask, ok := p.constants[in.Mask.Off]; {
	case !ok:
		return namesMaybe
	case uint32(mask) == ^uint32(0):
		return namesAll
	}
	return namesOther
}

// wholeMask exits unless the mask in a register names all 32 lanes, in each lane.
func (b *builder) wholeMask(mask code.Slot, exit Label) {
	b.V2(VMOVDQU, 0, slot(mask.Off))
	for i := range uint32(strips - 1) {
		b.V3(VPAND, 0, 0, slot(mask.Off+32*(i+1)))
	}
	b.V3(VPCMPEQD, 1, 1, Vec(1))
	b.V3(VPCMPEQD, 0, 0, Vec(1))
	b.Signs32(RCX, 0)
	b.OpImm(CMP, 32, RCX, 255)
	b.Jump(NE, exit)
}
