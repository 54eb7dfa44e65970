package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
)

// shuffleWide is shuffle with vectors of 16 lanes: one instruction takes the lanes of both.
func (b *builder) shuffleWide(in *code.Inst) {
	const low, high, lane, number, limit, segment, base, in31 = 0, 1, 2, 3, 4, 5, 6, 7
	b.Z2(VMOVDQU, low, slot(in.Args[0].Off))
	b.Z2(VMOVDQU, high, slot(in.Args[0].Off+64))
	b.Z2(VPBROADCASTD, in31, context(unsafe.Offsetof(Context{}.words)+uintptr(4*low5)))
	for i := range uint32(2) {
		b.Z2(VMOVDQU, lane, context(unsafe.Offsetof(Context{}.steps1)+uintptr(64*i)))
		b.Z3(VPAND, number, in31, slot(in.Args[1].Off+64*i))
		b.Z2(VMOVDQU, segment, slot(in.Args[2].Off+64*i))
		b.Z3(VPAND, limit, segment, Vec(in31))
		b.ZShift(VPSRLD, segment, segment, 8)
		b.Z3(VPAND, segment, segment, Vec(in31))
		b.Z3(VPAND, base, segment, Vec(lane))
		b.Z3(VPANDN, limit, segment, Vec(limit))
		b.Z3(VPOR, limit, limit, Vec(base))
		first, second := Vec(number), Vec(limit)
		switch in.Mode {
		case code.ShuffleUp:
			b.Z3(VPSUBD, number, lane, Vec(number))
			first, second = second, first
		case code.ShuffleDown:
			b.Z3(VPADDD, number, lane, Vec(number))
		case code.ShuffleBfly:
			b.Z3(VPXOR, number, lane, Vec(number))
		case code.ShuffleIdx:
			b.Z3(VPANDN, number, segment, Vec(number))
			b.Z3(VPOR, number, number, Vec(base))
		}
		b.ZCompare(VPCMPD, K1+Mask(i), first, second, maskGreater)
		b.ZBlend(VPBLENDMD, number, number, Vec(lane), K1+Mask(i))
		b.Z3(VPERMI2D, number, low, Vec(high))
		b.ZStore(slot(in.Dst[0].Off+64*i), number)
	}
	b.Masks(KUNPCKWD, K1, K2, K1)
	b.StoreMask(32, RAX, K1)
	b.Not(RAX)
	b.Save(32, slot(in.Dst[1].Off), RAX)
}
