package amd64

import "fmt"

func zmm(v Vec) string { return fmt.Sprint("zmm", v) }

func (k Mask) String() string { return fmt.Sprint("k", uint8(k)) }

// wides are the names of instructions in their forms of 512 bits, where AVX2 does not have them or has
// another name.
var wides = map[VecOp]string{
	VPMULLQ: "vpmullq", VPMINSQ: "vpminsq", VPMINUQ: "vpminuq", VPMAXSQ: "vpmaxsq", VPMAXUQ: "vpmaxuq", VPSRAVQ: "vpsravq", VPERMI2D: "vpermi2d",
	VPOPCNTD: "vpopcntd", VPOPCNTQ: "vpopcntq", VPLZCNTD: "vplzcntd", VPLZCNTQ: "vplzcntq", VPABSQ: "vpabsq",
	VCVTQQ2PD: "vcvtqq2pd", VCVTUQQ2PD: "vcvtuqq2pd", VCVTQQ2PS: "vcvtqq2ps", VCVTUQQ2PS: "vcvtuqq2ps",
	VCVTUDQ2PS: "vcvtudq2ps", VCVTUDQ2PD: "vcvtudq2pd", VCVTTPD2UDQ: "vcvttpd2udq",
	VPAND: "vpandd", VPANDN: "vpandnd", VPOR: "vpord", VPXOR: "vpxord", VMOVDQA: "vmovdqa32", VMOVDQU: "vmovdqu32",
	VPSRAQ: "vpsraq",
}

func (op VecOp) wide() string {
	if s, ok := wides[op]; ok {
		return s
	}
	return op.name()
}

// some calls f with each register in each place.
func some(f func(d, x, y Vec)) {
	for d := range Vec(32) {
		for x := d % 5; x < 32; x += 5 {
			f(d, x, (d*5+x*3+1)&31)
			f((d*7+x+3)&31, d, x)
		}
	}
}

// wideAddresses has distances that are multiples of the size of vectors too.
func wideAddresses() []Mem {
	list := addresses()
	for base := range RAX + 16 {
		for _, disp := range []int32{2, 4, 16, 32, 64, -64, 60, 127 * 4, 127 * 8, 127 * 16, 127 * 32, 127 * 64, 128 * 64, -128 * 64, -129 * 64} {
			list = append(list, Mem{Base: base, Disp: disp}, Mem{Base: base, Index: RCX, Scale: 2, Disp: disp})
		}
	}
	return list
}

// wide lists the instructions of AVX-512.
func (l *lister) wide() {
	for _, op := range []VecOp{
		VADDPS, VADDPD, VMULPS, VMULPD, VSUBPS, VSUBPD, VMINPS, VMINPD, VDIVPS, VDIVPD, VMAXPS, VMAXPD, VFMADD231PS, VFMADD231PD,
		VPADDD, VPADDQ, VPSUBD, VPSUBQ, VPMULLD, VPMULUDQ, VPMULDQ, VPAND, VPANDN, VPOR, VPXOR, VPSLLVD, VPSLLVQ, VPSRLVD,
		VPSRLVQ, VPSRAVD, VPMINSD, VPMINUD, VPMAXSD, VPMAXUD, VPERMD,
		VPMULLQ, VPMINSQ, VPMINUQ, VPMAXSQ, VPMAXUQ, VPSRAVQ, VPERMI2D,
	} {
		some(func(d, x, y Vec) {
			l.add(func() { l.Z3(op, d, x, y) }, "%s %s,%s,%s", op.wide(), zmm(d), zmm(x), zmm(y))
		})
		for i, m := range wideAddresses() {
			d, x := Vec(i&31), Vec(i>>3&31)
			l.add(func() { l.Z3(op, d, x, m) }, "%s %s,%s,%v", op.wide(), zmm(d), zmm(x), m)
		}
	}
	l.wideOnes()
	l.masked()
	for _, op := range []VecOp{VPSLLD, VPSRLD, VPSRAD, VPSLLQ, VPSRLQ, VPSRAQ} {
		some(func(d, x, y Vec) {
			l.add(func() { l.ZShift(op, d, x, byte(y+1)) }, "%s %s,%s,%#x", op.wide(), zmm(d), zmm(x), y+1)
		})
	}
	some(func(d, x, y Vec) {
		l.add(func() { l.Z3i(VPTERNLOGD, d, x, y, 0x96) }, "vpternlogd %s,%s,%s,0x96", zmm(d), zmm(x), zmm(y))
		l.add(func() { l.Z3i(VINSERTI64X4, d, x, y, 1) }, "vinserti64x4 %s,%s,%s,0x1", zmm(d), zmm(x), ymm(y))
		l.add(func() { l.ZUpper(d, x) }, "vextracti64x4 %s,%s,0x1", ymm(d), zmm(x))
	})
	for i, m := range wideAddresses() {
		l.add(func() { l.ZStore(m, Vec(i&31)) }, "vmovdqu32 %v,zmm%d", m, i&31)
		l.add(func() { l.ZStoreWords(m, Vec(i&31)) }, "vpmovqd %v,zmm%d", m, i&31)
		l.add(func() { l.Z3i(VINSERTI64X4, Vec(i&31), 3, m, 1) }, "vinserti64x4 zmm%d,zmm3,%v,0x1", i&31, m)
		l.add(func() { l.Z3i(VPTERNLOGD, Vec(i&31), 3, m, 0x1b) }, "vpternlogd zmm%d,zmm3,%v,0x1b", i&31, m)
	}
}

// wideOnes lists the instructions of one source.
func (l *lister) wideOnes() {
	for _, op := range []struct {
		VecOp
		to, from func(Vec) string
	}{
		{VMOVDQU, zmm, zmm}, {VMOVDQA, zmm, zmm}, {VPABSD, zmm, zmm}, {VPABSQ, zmm, zmm}, {VSQRTPS, zmm, zmm}, {VSQRTPD, zmm, zmm}, {VCVTDQ2PS, zmm, zmm},
		{VPOPCNTD, zmm, zmm}, {VPOPCNTQ, zmm, zmm}, {VPLZCNTD, zmm, zmm}, {VPLZCNTQ, zmm, zmm},
		{VCVTQQ2PD, zmm, zmm}, {VCVTUQQ2PD, zmm, zmm}, {VCVTQQ2PS, ymm, zmm}, {VCVTUQQ2PS, ymm, zmm}, {VCVTUDQ2PS, zmm, zmm},
		{VCVTUDQ2PD, zmm, ymm}, {VCVTTPD2UDQ, ymm, zmm}, {VCVTTPD2DQ, ymm, zmm}, {VCVTTPS2DQ, zmm, zmm}, {VCVTPD2PS, ymm, zmm},
		{VCVTPS2PD, zmm, ymm}, {VCVTDQ2PD, zmm, ymm}, {VPBROADCASTD, zmm, xmm}, {VPBROADCASTQ, zmm, xmm},
		{VPMOVZXDQ, zmm, ymm}, {VPMOVSXDQ, zmm, ymm}, {VPMOVZXWD, zmm, ymm}, {VPMOVSXWD, zmm, ymm}, {VPMOVZXBD, zmm, xmm}, {VPMOVSXBD, zmm, xmm},
	} {
		some(func(d, _, y Vec) {
			l.add(func() { l.Z2(op.VecOp, d, y) }, "%s %s,%s", op.wide(), op.to(d), op.from(y))
		})
		for i, m := range wideAddresses() {
			l.add(func() { l.Z2(op.VecOp, Vec(i&31), m) }, "%s %s,%v", op.wide(), op.to(Vec(i&31)), m)
		}
	}
	some(func(d, _, y Vec) {
		l.add(func() { l.Z2i(VROUNDPD, d, y, 3) }, "vrndscalepd %s,%s,0x3", zmm(d), zmm(y))
		l.add(func() { l.Z2i(VROUNDPS, d, y, 1) }, "vrndscaleps %s,%s,0x1", zmm(d), zmm(y))
		for _, disp := range []int32{4, 8, 0x200, 0x1234, 0x1232} {
			if x, k := y&15, Mask(d&7)|1; x != d {
				at := "+" + fmt.Sprintf("%#x", disp)
				l.add(func() { l.ZGather(d, x, disp, k) }, "vpgatherdd %s{%v},[rax+%s*4%s]", zmm(d), k, zmm(x), at)
			}
		}
		l.add(func() { l.Z2i(VPSHUFD, d, y, 0x31) }, "vpshufd %s,%s,0x31", zmm(d), zmm(y))
	})
}

// masked lists the instructions with mask registers.
func (l *lister) masked() {
	integers := map[byte]string{0: "eq", 1: "lt", 2: "le", 4: "neq", 5: "nlt", 6: "nle"}
	some(func(d, x, y Vec) {
		k := Mask(d&7) | 1
		for code, how := range compares {
			l.add(func() { l.ZCompare(VCMPPS, k, x, y, code) }, "vcmp%sps %v,%s,%s", how, k, zmm(x), zmm(y))
			l.add(func() { l.ZCompare(VCMPPD, k, x, y, code) }, "vcmp%spd %v,%s,%s", how, k, zmm(x), zmm(y))
		}
		for code, how := range integers {
			for op, suffix := range map[VecOp]string{VPCMPD: "d", VPCMPUD: "ud", VPCMPQ: "q", VPCMPUQ: "uq"} {
				l.add(func() { l.ZCompare(op, k, x, y, code) }, "vpcmp%s%s %v,%s,%s", how, suffix, k, zmm(x), zmm(y))
			}
		}
		for op, text := range map[VecOp]string{VPBLENDMD: "vpblendmd", VPBLENDMQ: "vpblendmq"} {
			l.add(func() { l.ZBlend(op, d, x, y, k) }, "%s %s{%v},%s,%s", text, zmm(d), k, zmm(x), zmm(y))
		}
		l.add(func() { l.ZTest(k, x, y) }, "vptestmd %v,%s,%s", k, zmm(x), zmm(y))
		l.add(func() { l.ZTestOf(64, k, x, y) }, "vptestmq %v,%s,%s", k, zmm(x), zmm(y))
		for bits, suffix := range map[int]string{32: "d", 64: "q"} {
			l.add(func() { l.ZSigns(bits, k, x) }, "vpmov%s2m %v,%s", suffix, k, zmm(x))
			l.add(func() { l.ZSpread(bits, x, k) }, "vpmovm2%s %s,%v", suffix, zmm(x), k)
		}
	})
	for i, m := range wideAddresses() {
		k := Mask(i&7) | 1
		for bits, suffix := range map[int]string{8: "b", 16: "w", 32: "d"} {
			l.add(func() { l.LoadMask(bits, k, m) }, "kmov%s %v,%v", suffix, k, m)
		}
	}
	for k := range K7 + 1 {
		for r := range RAX + 16 {
			for bits, suffix := range map[int]string{8: "b", 16: "w", 32: "d"} {
				l.add(func() { l.LoadMask(bits, k, r) }, "kmov%s %v,%s", suffix, k, name(32, r))
				l.add(func() { l.StoreMask(bits, r, k) }, "kmov%s %s,%v", suffix, name(32, r), k)
			}
		}
		l.add(func() { l.TestMask(8, k) }, "kortestb %v,%v", k, k)
		l.add(func() { l.TestMask(16, k) }, "kortestw %v,%v", k, k)
		for x := range K7 + 1 {
			y := x ^ 5
			for op, text := range map[VecOp]string{KORW: "korw", KANDNW: "kandnw", KANDW: "kandw", KXORW: "kxorw", KXNORW: "kxnorw", KUNPCKBW: "kunpckbw", KUNPCKWD: "kunpckwd"} {
				l.add(func() { l.Masks(op, k, x, y) }, "%s %v,%v,%v", text, k, x, y)
			}
		}
	}
}
