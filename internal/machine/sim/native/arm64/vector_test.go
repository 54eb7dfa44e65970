package arm64

import "fmt"

// form is how an instruction on vectors is written: its name, and the lanes of each operand.
type form struct{ name, lanes string }

// three are the forms of two sources. "4s" alone is the lanes of all operands.
var three = map[VecOp]form{
	ADD4S: {"add", "4s"}, ADD2D: {"add", "2d"}, SUB4S: {"sub", "4s"}, SUB2D: {"sub", "2d"}, MUL4S: {"mul", "4s"}, MLA4S: {"mla", "4s"},
	VAND: {"and", "16b"}, VBIC: {"bic", "16b"}, VORR: {"orr", "16b"}, VEOR: {"eor", "16b"}, BSL: {"bsl", "16b"}, BIT: {"bit", "16b"}, BIF: {"bif", "16b"},
	CMEQ4S: {"cmeq", "4s"}, CMEQ2D: {"cmeq", "2d"}, CMGT4S: {"cmgt", "4s"}, CMGT2D: {"cmgt", "2d"}, CMGE4S: {"cmge", "4s"}, CMGE2D: {"cmge", "2d"},
	CMHI4S: {"cmhi", "4s"}, CMHI2D: {"cmhi", "2d"}, CMHS4S: {"cmhs", "4s"}, CMHS2D: {"cmhs", "2d"}, CMTST4S: {"cmtst", "4s"}, CMTST2D: {"cmtst", "2d"},
	SMAX4S: {"smax", "4s"}, UMAX4S: {"umax", "4s"}, SMIN4S: {"smin", "4s"}, UMIN4S: {"umin", "4s"},
	SSHL4S: {"sshl", "4s"}, SSHL2D: {"sshl", "2d"}, USHL4S: {"ushl", "4s"}, USHL2D: {"ushl", "2d"},
	SMULL: {"smull", "2d 2s"}, SMULL2: {"smull2", "2d 4s"}, UMULL: {"umull", "2d 2s"}, UMULL2: {"umull2", "2d 4s"}, UMLAL: {"umlal", "2d 2s"},
	UZP14S: {"uzp1", "4s"}, UZP24S: {"uzp2", "4s"}, ZIP14S: {"zip1", "4s"}, ZIP24S: {"zip2", "4s"},
	FADD4S: {"fadd", "4s"}, FADD2D: {"fadd", "2d"}, FSUB4S: {"fsub", "4s"}, FSUB2D: {"fsub", "2d"}, FMUL4S: {"fmul", "4s"}, FMUL2D: {"fmul", "2d"},
	FDIV4S: {"fdiv", "4s"}, FDIV2D: {"fdiv", "2d"}, FMLA4S: {"fmla", "4s"}, FMLA2D: {"fmla", "2d"},
	FMAX4S: {"fmax", "4s"}, FMAX2D: {"fmax", "2d"}, FMIN4S: {"fmin", "4s"}, FMIN2D: {"fmin", "2d"},
	FCMEQ4S: {"fcmeq", "4s"}, FCMEQ2D: {"fcmeq", "2d"}, FCMGE4S: {"fcmge", "4s"}, FCMGE2D: {"fcmge", "2d"}, FCMGT4S: {"fcmgt", "4s"}, FCMGT2D: {"fcmgt", "2d"},
}

var two = map[VecOp]form{
	ABS4S: {"abs", "4s"}, NEG4S: {"neg", "4s"}, NEG2D: {"neg", "2d"}, VNOT: {"mvn", "16b"}, CNT16B: {"cnt", "16b"}, RBIT16B: {"rbit", "16b"},
	REV3216B: {"rev32", "16b"}, REV644S: {"rev64", "4s"}, CLZ4S: {"clz", "4s"},
	UADDLP16B: {"uaddlp", "8h 16b"}, UADDLP8H: {"uaddlp", "4s 8h"}, UADDLP4S: {"uaddlp", "2d 4s"}, XTN: {"xtn", "2s 2d"}, XTN2: {"xtn2", "4s 2d"},
	FABS4S: {"fabs", "4s"}, FABS2D: {"fabs", "2d"}, FNEG4S: {"fneg", "4s"}, FNEG2D: {"fneg", "2d"}, FSQRT4S: {"fsqrt", "4s"}, FSQRT2D: {"fsqrt", "2d"},
	SCVTF4S: {"scvtf", "4s"}, SCVTF2D: {"scvtf", "2d"}, UCVTF4S: {"ucvtf", "4s"}, UCVTF2D: {"ucvtf", "2d"}, FCVTZS2D: {"fcvtzs", "2d"}, FCVTZU2D: {"fcvtzu", "2d"},
	FCVTL: {"fcvtl", "2d 2s"}, FCVTL2: {"fcvtl2", "2d 4s"}, FCVTN: {"fcvtn", "2s 2d"}, FCVTN2: {"fcvtn2", "4s 2d"},
	UXTL: {"uxtl", "2d 2s"}, UXTL2: {"uxtl2", "2d 4s"}, SXTL: {"sxtl", "2d 2s"}, SXTL2: {"sxtl2", "2d 4s"},
	UXTL8B: {"uxtl", "8h 8b"}, SXTL8B: {"sxtl", "8h 8b"}, UXTL4H: {"uxtl", "4s 4h"}, SXTL4H: {"sxtl", "4s 4h"},
}

// across are the forms whose result is the lowest lane.
var across = map[VecOp]form{
	ADDV4S: {"addv s", "4s"}, ADDV8B: {"addv b", "8b"}, UMAXV4S: {"umaxv s", "4s"}, UMINV4S: {"uminv s", "4s"}, SMAXV4S: {"smaxv s", "4s"}, SMINV4S: {"sminv s", "4s"},
}

var shifts = map[VecOp]form{
	SHL4S: {"shl", "4s"}, SHL2D: {"shl", "2d"}, USHR4S: {"ushr", "4s"}, USHR2D: {"ushr", "2d"}, SSHR4S: {"sshr", "4s"}, SSHR2D: {"sshr", "2d"},
}

// parts are the lanes of the destination and of the sources.
func (f form) parts() (d, s string) {
	if n, _ := fmt.Sscan(f.lanes, &d, &s); n == 1 {
		s = d
	}
	return d, s
}

var vectors = [][3]Vec{{0, 1, 2}, {31, 15, 16}, {16, 31, 8}, {8, 4, 31}}

func (l *lister) vectors() {
	for _, v := range vectors {
		for op, f := range three {
			d, s := f.parts()
			l.add(func() { l.V3(op, v[0], v[1], v[2]) }, "%s v%d.%s, v%d.%s, v%d.%s", f.name, v[0], d, v[1], s, v[2], s)
		}
		for op, f := range two {
			d, s := f.parts()
			l.add(func() { l.V2(op, v[0], v[1]) }, "%s v%d.%s, v%d.%s", f.name, v[0], d, v[1], s)
		}
		for op, f := range across {
			l.add(func() { l.V2(op, v[0], v[1]) }, "%s%d, v%d.%s", f.name, v[0], v[1], f.lanes)
		}
		for op, f := range shifts {
			for _, by := range []int{1, 2, 15, 31} {
				l.add(func() { l.Shift(op, v[0], v[1], by) }, "%s v%d.%s, v%d.%s, #%d", f.name, v[0], f.lanes, v[1], f.lanes, by)
			}
		}
		l.add(func() { l.Shift(SHL4S, v[0], v[1], 0) }, "shl v%d.4s, v%d.4s, #0", v[0], v[1])
		l.add(func() { l.Shift(USHR4S, v[0], v[1], 32) }, "ushr v%d.4s, v%d.4s, #32", v[0], v[1])
		l.add(func() { l.Shift(SSHR2D, v[0], v[1], 64) }, "sshr v%d.2d, v%d.2d, #64", v[0], v[1])
	}
}

func (l *lister) moves() {
	for _, v := range vectors {
		d, x, r := v[0], v[1], Reg(v[2])
		l.add(func() { l.MoveVec(d, x) }, "mov v%d.16b, v%d.16b", d, x)
		l.add(func() { l.Zero(d) }, "movi v%d.16b, #0", d)
		l.add(func() { l.Ones(d) }, "movi v%d.16b, #255", d)
		l.add(func() { l.Spread(32, d, r) }, "dup v%d.4s, %s", d, reg(32, r))
		l.add(func() { l.Spread(64, d, r) }, "dup v%d.2d, %s", d, reg(64, r))
		for i := range 4 {
			l.add(func() { l.SpreadLane(32, d, x, i) }, "dup v%d.4s, v%d.s[%d]", d, x, i)
			l.add(func() { l.Insert(32, d, i, r) }, "mov v%d.s[%d], %s", d, i, reg(32, r))
			l.add(func() { l.Extract(32, r, x, i) }, "mov %s, v%d.s[%d]", reg(32, r), x, i)
			l.add(func() { l.InsertLowest(32, d, i, x) }, "mov v%d.s[%d], v%d.s[0]", d, i, x)
			l.add(func() { l.SpreadLane(64, d, x, i/2) }, "dup v%d.2d, v%d.d[%d]", d, x, i/2)
			l.add(func() { l.Insert(64, d, i/2, r) }, "mov v%d.d[%d], %s", d, i/2, reg(64, r))
			l.add(func() { l.Extract(64, r, x, i/2) }, "mov %s, v%d.d[%d]", reg(64, r), x, i/2)
			l.add(func() { l.InsertLowest(64, d, i/2, x) }, "mov v%d.d[%d], v%d.d[0]", d, i/2, x)
		}
		list := fmt.Sprintf("{v%d.16b, v%d.16b, v%d.16b, v%d.16b}", x, (x+1)%32, (x+2)%32, (x+3)%32)
		l.add(func() { l.Lookup(d, x, v[2], false) }, "tbl v%d.16b, %s, v%d.16b", d, list, v[2])
		l.add(func() { l.Lookup(d, x, v[2], true) }, "tbx v%d.16b, %s, v%d.16b", d, list, v[2])
		l.add(func() { l.FloatOfInteger(d, r, true) }, "scvtf s%d, %s", d, reg(64, r))
		l.add(func() { l.FloatOfInteger(d, r, false) }, "ucvtf s%d, %s", d, reg(64, r))
	}
}
