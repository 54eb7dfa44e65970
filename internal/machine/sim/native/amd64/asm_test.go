package amd64

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// instruction is one that was encoded, and how objdump writes it.
type instruction struct {
	at   int
	text string
}

// lister encodes instructions and notes how they are written.
type lister struct {
	Asm
	list []instruction
}

// add notes the text of the instruction that emit appends.
func (l *lister) add(emit func(), format string, args ...any) {
	l.list = append(l.list, instruction{len(l.Code), fmt.Sprintf(format, args...)})
	emit()
}

// TestEncoding holds every instruction, with every register in each place and with all forms of
// addresses, to what objdump of binutils reads.
func TestEncoding(t *testing.T) {
	t.Parallel()
	objdump, err := exec.LookPath("objdump")
	if err != nil {
		t.Skip("objdump of Debian's package binutils is not installed: no encoding was tested")
	}
	l := &lister{}
	l.vectors()
	l.wide()
	l.integers()
	l.jumps()
	l.Link()
	file := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(file, l.Code, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(objdump, "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "--no-show-raw-insn", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	read := map[int]string{}
	for line := range strings.Lines(string(out)) {
		var at int
		if n, _ := fmt.Sscanf(line, " %x:", &at); n == 1 && line[0] == ' ' {
			_, text, _ := strings.Cut(line, ":")
			read[at] = plain(text)
		}
	}
	wrong := 0
	for _, in := range l.list {
		if read[in.at] != plain(in.text) {
			t.Errorf("%q is read as %q", plain(in.text), read[in.at])
			if wrong++; wrong > 20 {
				t.FailNow()
			}
		}
	}
	if len(read) != len(l.list) {
		t.Errorf("%d instructions were read, %d written", len(read), len(l.list))
	}
	t.Logf("%d instructions", len(l.list))
}

var (
	sizes  = regexp.MustCompile(`(BYTE|WORD|DWORD|QWORD|XMMWORD|YMMWORD|ZMMWORD) PTR `)
	spaces = regexp.MustCompile(`\s+`)
)

// plain is the text of an instruction with one space, and without the sizes of operands in memory.
func plain(text string) string {
	return spaces.ReplaceAllString(strings.TrimSpace(sizes.ReplaceAllString(text, "")), " ")
}

// addresses are operands in memory: each base and each index, each kind of distance.
func addresses() (list []Mem) {
	for base := range RAX + 16 {
		for _, disp := range []int32{0, 8, -128, 127, 128, -4096, 1 << 20} {
			list = append(list, Mem{Base: base, Disp: disp})
		}
		for index := range RAX + 16 {
			if index != RSP {
				list = append(list, Mem{Base: base, Index: index, Scale: 1 << (index & 3), Disp: int32(base) * 16})
			}
		}
	}
	return list
}

func (m Mem) String() string {
	s := "[" + name(64, m.Base)
	if m.Scale != 0 {
		s += fmt.Sprintf("+%s*%d", name(64, m.Index), m.Scale)
	}
	switch {
	case m.Disp > 0, m.Disp == 0 && (m.Base&7 == RBP):
		s += fmt.Sprintf("+%#x", m.Disp)
	case m.Disp < 0:
		s += fmt.Sprintf("-%#x", -m.Disp)
	}
	return s + "]"
}

// name is the name of a register of a number of bits.
func name(bits int, r Reg) string {
	if r >= R8 {
		return fmt.Sprint("r", r) + map[int]string{8: "b", 16: "w", 32: "d"}[bits]
	}
	two := [...]string{"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"}[r]
	switch {
	case bits == 8 && r < RSP:
		return two[:1] + "l"
	case bits == 8:
		return two + "l"
	}
	return map[int]string{16: "", 32: "e", 64: "r"}[bits] + two
}

func ymm(v Vec) string { return fmt.Sprint("ymm", v) }
func xmm(v Vec) string { return fmt.Sprint("xmm", v) }

// mnemonics are the names of instructions.
var mnemonics = map[VecOp]string{
	VADDPS:       "vaddps",
	VADDPD:       "vaddpd",
	VMULPS:       "vmulps",
	VMULPD:       "vmulpd",
	VSUBPS:       "vsubps",
	VSUBPD:       "vsubpd",
	VMINPS:       "vminps",
	VMINPD:       "vminpd",
	VDIVPS:       "vdivps",
	VDIVPD:       "vdivpd",
	VMAXPS:       "vmaxps",
	VMAXPD:       "vmaxpd",
	VFMADD231PS:  "vfmadd231ps",
	VFMADD231PD:  "vfmadd231pd",
	VPADDD:       "vpaddd",
	VPADDQ:       "vpaddq",
	VPSUBD:       "vpsubd",
	VPSUBQ:       "vpsubq",
	VPMULLD:      "vpmulld",
	VPMULUDQ:     "vpmuludq",
	VPMULDQ:      "vpmuldq",
	VPAND:        "vpand",
	VPANDN:       "vpandn",
	VPOR:         "vpor",
	VPXOR:        "vpxor",
	VPSLLVD:      "vpsllvd",
	VPSLLVQ:      "vpsllvq",
	VPSRLVD:      "vpsrlvd",
	VPSRLVQ:      "vpsrlvq",
	VPSRAVD:      "vpsravd",
	VPMINSD:      "vpminsd",
	VPMINUD:      "vpminud",
	VPMAXSD:      "vpmaxsd",
	VPMAXUD:      "vpmaxud",
	VPCMPEQD:     "vpcmpeqd",
	VPCMPEQQ:     "vpcmpeqq",
	VPCMPGTD:     "vpcmpgtd",
	VPCMPGTQ:     "vpcmpgtq",
	VPUNPCKLDQ:   "vpunpckldq",
	VPUNPCKHDQ:   "vpunpckhdq",
	VPERMD:       "vpermd",
	VCMPPS:       "vcmpps",
	VCMPPD:       "vcmppd",
	VSHUFPS:      "vshufps",
	VPERM2I128:   "vperm2i128",
	VINSERTI128:  "vinserti128",
	VPINSRD:      "vpinsrd",
	VPINSRQ:      "vpinsrq",
	VMOVDQU:      "vmovdqu",
	VMOVDQA:      "vmovdqa",
	VMOVD:        "vmovd",
	VMOVQ:        "vmovq",
	VPBROADCASTD: "vpbroadcastd",
	VPBROADCASTQ: "vpbroadcastq",
	VPMOVZXBD:    "vpmovzxbd",
	VPMOVZXWD:    "vpmovzxwd",
	VPMOVSXBD:    "vpmovsxbd",
	VPMOVSXWD:    "vpmovsxwd",
	VPMOVZXDQ:    "vpmovzxdq",
	VPMOVSXDQ:    "vpmovsxdq",
	VPABSD:       "vpabsd",
	VSQRTPS:      "vsqrtps",
	VSQRTPD:      "vsqrtpd",
	VCVTDQ2PS:    "vcvtdq2ps",
	VCVTDQ2PD:    "vcvtdq2pd",
	VCVTPS2PD:    "vcvtps2pd",
	VCVTPD2PS:    "vcvtpd2ps",
	VCVTTPD2DQ:   "vcvttpd2dq",
	VCVTTPS2DQ:   "vcvttps2dq",
	VROUNDPD:     "vroundpd",
	VPTEST:       "vptest",
	VPERMQ:       "vpermq",
	VPSHUFD:      "vpshufd",
	VPSLLD:       "vpslld",
	VPSRLD:       "vpsrld",
	VPSRAD:       "vpsrad",
	VPSLLQ:       "vpsllq",
	VPSRLQ:       "vpsrlq",
}

func (op VecOp) name() string { return mnemonics[op] }

var all = []VecOp{
	VADDPS, VADDPD, VMULPS, VMULPD, VSUBPS, VSUBPD, VMINPS, VMINPD, VDIVPS, VDIVPD, VMAXPS, VMAXPD, VFMADD231PS, VFMADD231PD,
	VPADDD, VPADDQ, VPSUBD, VPSUBQ, VPMULLD, VPMULUDQ, VPMULDQ, VPAND, VPANDN, VPOR, VPXOR, VPSLLVD, VPSLLVQ, VPSRLVD,
	VPSRLVQ, VPSRAVD, VPMINSD, VPMINUD, VPMAXSD, VPMAXUD, VPCMPEQD, VPCMPEQQ, VPCMPGTD, VPCMPGTQ, VPUNPCKLDQ, VPUNPCKHDQ,
	VPERMD,
}

// compares are the suffixes of objdump for the constants of comparisons.
var compares = map[byte]string{
	0: "eq", 3: "unord", 4: "neq", 7: "ord", 8: "eq_uq", 0xc: "neq_oq", 0x11: "lt_oq", 0x12: "le_oq", 0x15: "nlt_uq", 0x16: "nle_uq",
	0x19: "nge_uq", 0x1a: "ngt_uq", 0x1d: "ge_oq", 0x1e: "gt_oq",
}

func (l *lister) vectors() {
	some := func(emit func(d, x Vec, y Vec)) {
		for d := range Y15 + 1 {
			for x := range Y15 + 1 {
				emit(d, x, (d*5+x*3+1)&15)
				emit((d*7+x+3)&15, d, x)
			}
		}
	}
	for _, op := range all {
		some(func(d, x, y Vec) {
			l.add(func() { l.V3(op, d, x, y) }, "%s %s,%s,%s", op.name(), ymm(d), ymm(x), ymm(y))
		})
		for i, m := range addresses() {
			d, x := Vec(i&15), Vec(i>>3&15)
			l.add(func() { l.V3(op, d, x, m) }, "%s %s,%s,%v", op.name(), ymm(d), ymm(x), m)
		}
	}
	for code, suffix := range compares {
		some(func(d, x, y Vec) {
			l.add(func() { l.V3i(VCMPPS, d, x, y, code) }, "vcmp%sps %s,%s,%s", suffix, ymm(d), ymm(x), ymm(y))
		})
		some(func(d, x, y Vec) {
			l.add(func() { l.V3i(VCMPPD, d, x, y, code) }, "vcmp%spd %s,%s,%s", suffix, ymm(d), ymm(x), ymm(y))
		})
	}
	some(func(d, x, y Vec) {
		l.add(func() { l.V3i(VSHUFPS, d, x, y, 0x88) }, "vshufps %s,%s,%s,0x88", ymm(d), ymm(x), ymm(y))
		l.add(func() { l.V3i(VPERM2I128, d, x, y, 0x31) }, "vperm2i128 %s,%s,%s,0x31", ymm(d), ymm(x), ymm(y))
		l.add(func() { l.V3i(VINSERTI128, d, x, y, 1) }, "vinserti128 %s,%s,%s,0x1", ymm(d), ymm(x), xmm(y))
		l.add(func() { l.V3i(VPINSRD, d, x, Reg(y), 3) }, "vpinsrd %s,%s,%s,0x3", xmm(d), xmm(x), name(32, Reg(y)))
		l.add(func() { l.V3i(VPINSRQ, d, x, Reg(y), 1) }, "vpinsrq %s,%s,%s,0x1", xmm(d), xmm(x), name(64, Reg(y)))
		l.add(func() { l.Blend(VBLENDVPS, d, x, y, (x+y)&15) }, "vblendvps %s,%s,%s,%s", ymm(d), ymm(x), ymm(y), ymm((x+y)&15))
		l.add(func() { l.Blend(VBLENDVPD, d, x, y, (x+y)&15) }, "vblendvpd %s,%s,%s,%s", ymm(d), ymm(x), ymm(y), ymm((x+y)&15))
		for _, op := range []VecOp{VPSLLD, VPSRLD, VPSRAD, VPSLLQ, VPSRLQ} {
			l.add(func() { l.Shift(op, d, x, byte(y+1)) }, "%s %s,%s,%#x", op.name(), ymm(d), ymm(x), y+1)
		}
	})
	l.ones()
	some(func(d, x, y Vec) {
		if d != x && d != y && x != y {
			l.add(func() { l.Gather(d, x, 0x1234, y) }, "vpgatherdd %s,[rax+%s*4+0x1234],%s", ymm(d), ymm(x), ymm(y))
		}
	})
	for i, m := range addresses() {
		l.add(func() { l.LoadControl(m) }, "vldmxcsr %v", m)
		d, x := Vec(i&15), Vec(i>>3&15)
		l.add(func() { l.Store(m, x) }, "vmovdqu %v,%s", m, ymm(x))
		l.add(func() { l.Blend(VBLENDVPS, d, x, m, 7) }, "vblendvps %s,%s,%v,ymm7", ymm(d), ymm(x), m)
		l.add(func() { l.V3i(VPINSRD, d, x, m, 2) }, "vpinsrd %s,%s,%v,0x2", xmm(d), xmm(x), m)
		l.add(func() { l.V3i(VPINSRQ, d, x, m, 1) }, "vpinsrq %s,%s,%v,0x1", xmm(d), xmm(x), m)
		l.add(func() { l.V3i(VINSERTI128, d, x, m, 1) }, "vinserti128 %s,%s,%v,0x1", ymm(d), ymm(x), m)
		l.add(func() { l.ClearLowest(Reg(x), m) }, "blsr %s,%v", name(32, Reg(x)), m)
	}
}

// ones lists the instructions of one source.
func (l *lister) ones() {
	type one struct {
		VecOp
		to, from func(Vec) string
	}
	half := []one{
		{VMOVDQU, ymm, ymm}, {VMOVDQA, ymm, ymm}, {VPABSD, ymm, ymm}, {VSQRTPS, ymm, ymm}, {VSQRTPD, ymm, ymm}, {VCVTDQ2PS, ymm, ymm}, {VPTEST, ymm, ymm},
		{VPBROADCASTD, ymm, xmm}, {VPBROADCASTQ, ymm, xmm}, {VPMOVZXDQ, ymm, xmm}, {VPMOVSXDQ, ymm, xmm},
		{VPMOVZXBD, ymm, xmm}, {VPMOVZXWD, ymm, xmm}, {VPMOVSXBD, ymm, xmm}, {VPMOVSXWD, ymm, xmm}, {VCVTDQ2PD, ymm, xmm},
		{VCVTPS2PD, ymm, xmm}, {VCVTPD2PS, xmm, ymm}, {VCVTTPD2DQ, xmm, ymm}, {VCVTTPS2DQ, ymm, ymm},
		{VMOVD, xmm, func(v Vec) string { return name(32, Reg(v)) }}, {VMOVQ, xmm, func(v Vec) string { return name(64, Reg(v)) }},
	}
	for _, op := range half {
		for d := range Y15 + 1 {
			for x := range Y15 + 1 {
				var from Operand = x
				if op.name() == "vmovd" || op.name() == "vmovq" {
					from = Reg(x)
				}
				l.add(func() { l.V2(op.VecOp, d, from) }, "%s %s,%s", op.name(), op.to(d), op.from(x))
			}
		}
		for i, m := range addresses() {
			d := Vec(i & 15)
			l.add(func() { l.V2(op.VecOp, d, m) }, "%s %s,%v", op.name(), op.to(d), m)
		}
	}
	for d := range Y15 + 1 {
		for x := range Y15 + 1 {
			l.add(func() { l.V2i(VPERMQ, d, x, 0xd8) }, "vpermq %s,%s,0xd8", ymm(d), ymm(x))
			l.add(func() { l.V2i(VPSHUFD, d, x, 0x31) }, "vpshufd %s,%s,0x31", ymm(d), ymm(x))
			l.add(func() { l.V2i(VROUNDPD, d, x, 3) }, "vroundpd %s,%s,0x3", ymm(d), ymm(x))
			l.add(func() { l.V2i(VROUNDPS, d, x, 1) }, "vroundps %s,%s,0x1", ymm(d), ymm(x))
			l.add(func() { l.Upper(d, x) }, "vextracti128 %s,%s,0x1", xmm(d), ymm(x))
			l.add(func() { l.Signs32(Reg(d), x) }, "vmovmskps %s,%s", name(32, Reg(d)), ymm(x))
			l.add(func() { l.Lowest32(Reg(d), x) }, "vmovd %s,%s", name(32, Reg(d)), xmm(x))
			l.add(func() { l.Lowest64(Reg(d), x) }, "vmovq %s,%s", name(64, Reg(d)), xmm(x))
			l.add(func() { l.Signs64(Reg(d), x) }, "vmovmskpd %s,%s", name(32, Reg(d)), ymm(x))
			l.add(func() { l.ClearLowest(Reg(d), Reg(x)) }, "blsr %s,%s", name(32, Reg(d)), name(32, Reg(x)))
		}
	}
	l.add(l.ZeroUpper, "vzeroupper")
}

func (l *lister) integers() {
	ops := map[Arith]string{ADD: "add", OR: "or", AND: "and", SUB: "sub", XOR: "xor", CMP: "cmp"}
	for d := range RAX + 16 {
		for _, bits := range []int{32, 64} {
			n := name(bits, d)
			for op, text := range ops {
				for x := range RAX + 16 {
					l.add(func() { l.Op(op, bits, d, x) }, "%s %s,%s", text, n, name(bits, x))
				}
				if d != RAX {
					l.add(func() { l.OpImm(op, bits, d, 0x1234567) }, "%s %s,0x1234567", text, n)
				}
				l.add(func() { l.OpImm(op, bits, d, 0x12) }, "%s %s,0x12", text, n)
			}
			for x := range RAX + 16 {
				l.add(func() { l.Load(bits, d, x) }, "mov %s,%s", n, name(bits, x))
				l.add(func() { l.Test(bits, d, x) }, "test %s,%s", n, name(bits, x))
			}
			l.add(func() { l.ShiftLeft(bits, d, 5) }, "shl %s,0x5", n)
			l.add(func() { l.ShiftRight(bits, d, 5) }, "shr %s,0x5", n)
		}
		for x := range RAX + 16 {
			l.add(func() { l.Lowest(d, x) }, "tzcnt %s,%s", name(32, d), name(32, x))
			l.add(func() { l.Count(d, x) }, "popcnt %s,%s", name(32, d), name(32, x))
			for _, bits := range []int{32, 64} {
				l.add(func() { l.Multiply(bits, d, x) }, "imul %s,%s", name(bits, d), name(bits, x))
			}
		}
		l.add(func() { l.Set(d, 0x1234567) }, "mov %s,0x1234567", name(32, d))
		l.add(func() { l.Set64(d, 0x123456789abcdef0) }, "movabs %s,0x123456789abcdef0", name(64, d))
		l.add(func() { l.Not(d) }, "not %s", name(32, d))
		for _, bits := range []int{32, 64} {
			l.add(func() { l.MultiplyDouble(bits, d, false) }, "mul %s", name(bits, d))
			l.add(func() { l.MultiplyDouble(bits, d, true) }, "imul %s", name(bits, d))
			l.add(func() { l.DivideDouble(bits, d, false) }, "div %s", name(bits, d))
			l.add(func() { l.DivideDouble(bits, d, true) }, "idiv %s", name(bits, d))
		}
		l.add(func() { l.GotoReg(d) }, "jmp %s", name(64, d))
	}
	for i, m := range addresses() {
		d := Reg(i & 15)
		for _, bits := range []int{32, 64} {
			for op, text := range ops {
				l.add(func() { l.Op(op, bits, d, m) }, "%s %s,%v", text, name(bits, d), m)
			}
			l.add(func() { l.Load(bits, d, m) }, "mov %s,%v", name(bits, d), m)
			l.add(func() { l.LockCompareExchange(bits, m, d) }, "lock cmpxchg %v,%s", m, name(bits, d))
			for _, from := range []int{8, 16} {
				l.add(func() { l.Extend(bits, d, m, from, true) }, "movsx %s,%v", name(bits, d), m)
				l.add(func() { l.Extend(bits, d, m, from, false) }, "movzx %s,%v", name(32, d), m)
			}
		}
		for _, bits := range []int{8, 16, 32, 64} {
			l.add(func() { l.Save(bits, m, d) }, "mov %v,%s", m, name(bits, d))
		}
		l.add(func() { l.Extend(64, d, m, 32, true) }, "movsxd %s,%v", name(64, d), m)
		l.add(func() { l.SaveImm(m, 0x1234567) }, "mov %v,0x1234567", m)
		l.add(func() { l.TestImm(m, 0x1234567) }, "test %v,0x1234567", m)
		l.add(func() { l.OpImm(SUB, 64, m, 16) }, "sub %v,0x10", m)
		l.add(func() { l.Address(d, m) }, "lea %s,%v", name(64, d), m)
		l.add(func() { l.Prefetch(m) }, "prefetcht0 %v", m)
		l.add(func() { l.Lowest(d, m) }, "tzcnt %s,%v", name(32, d), m)
		l.add(func() { l.Count(d, m) }, "popcnt %s,%v", name(32, d), m)
	}
}

// jumps lists the jumps, to the next instruction and back.
func (l *lister) jumps() {
	conds := map[Cond]string{B: "b", AE: "ae", E: "e", NE: "ne", BE: "be", A: "a", L: "l", GE: "ge", LE: "le", G: "g"}
	back := l.Label()
	l.Place(back)
	for c, suffix := range conds {
		next := l.Label()
		l.add(func() { l.Jump(c, next) }, "j%s %#x", suffix, len(l.Code)+6)
		l.Place(next)
		l.add(func() { l.Jump(c, back) }, "j%s %#x", suffix, l.Offset(back))
	}
	l.add(func() { l.Goto(back) }, "jmp %#x", l.Offset(back))
	l.add(func() { l.Call(back) }, "call %#x", l.Offset(back))
	for r := range RAX + 16 {
		l.add(func() { l.AddressOf(r, back) }, "lea %s,[rip+%#x] # %#x", name(64, r), uint64(int64(l.Offset(back)-len(l.Code)-7)), l.Offset(back))
	}
	l.add(l.Return, "ret")
	l.add(l.ExtendDouble, "cqo")
}
