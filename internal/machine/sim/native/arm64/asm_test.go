package arm64

import (
	"encoding/binary"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// instruction is one that was encoded, and how LLVM writes it.
type instruction struct {
	word uint32
	text string
}

// lister encodes instructions and notes how they are written.
type lister struct {
	Asm
	list []instruction
}

// add notes the text of the instructions, one a line, that emit appends.
func (l *lister) add(emit func(), format string, args ...any) {
	at := len(l.Code)
	emit()
	lines := strings.Split(fmt.Sprintf(format, args...), "\n")
	for i, line := range lines {
		w := ^uint32(0)
		if at+4*i < len(l.Code) {
			w = binary.LittleEndian.Uint32(l.Code[at+4*i:])
		}
		l.list = append(l.list, instruction{w, line})
	}
	if got := (len(l.Code) - at) / 4; got != len(lines) {
		l.list = append(l.list, instruction{0, fmt.Sprintf("%d instructions for %q", got, lines)})
	}
}

// TestEncoding holds every instruction to LLVM's assembler.
func TestEncoding(t *testing.T) {
	t.Parallel()
	l := &lister{}
	l.integers()
	l.constants()
	l.memories()
	l.vectors()
	l.moves()
	compare(t, l.list)
}

// TestJumps holds jumps, near and far, forwards and backwards, to LLVM's assembler.
func TestJumps(t *testing.T) {
	t.Parallel()
	for _, far := range []bool{false, true} {
		l := &lister{}
		l.Far = far
		back, ahead := l.Label(), l.Label()
		l.Place(back)
		l.Zero(0)
		var texts []string
		jumps := func(to Label) {
			target := func() int { return map[Label]int{back: 0, ahead: 4096}[to] - len(texts)*4 - 4 }
			add := func(text, inverse string) {
				if far && inverse != "" {
					texts = append(texts, inverse+"#8")
					text = "b "
				}
				texts = append(texts, fmt.Sprintf("%s#%d", text, target()))
			}
			l.Goto(to)
			add("b ", "")
			l.Call(to)
			add("bl ", "")
			for c := range Cond(len(conditions)) {
				l.Jump(c, to)
				add("b."+conditions[c]+" ", "b."+conditions[c^1]+" ")
			}
			for _, bits := range []int{32, 64} {
				l.JumpZero(bits, 9, to)
				add("cbz "+reg(bits, 9)+", ", "cbnz "+reg(bits, 9)+", ")
				l.JumpNotZero(bits, 9, to)
				add("cbnz "+reg(bits, 9)+", ", "cbz "+reg(bits, 9)+", ")
			}
		}
		jumps(back)
		jumps(ahead)
		l.OffsetOf(3, ahead)
		texts = append(texts, "movz x3, #4096", "movk x3, #0, lsl #16")
		for len(l.Code) < 4096 {
			l.Zero(0)
		}
		l.Place(ahead)
		if !l.Link() {
			t.Fatal("a jump does not reach its label")
		}
		for i, text := range texts {
			l.list = append(l.list, instruction{binary.LittleEndian.Uint32(l.Code[4+4*i:]), text})
		}
		compare(t, l.list)
	}
}

// TestTable has the words of a table.
func TestTable(t *testing.T) {
	t.Parallel()
	var a Asm
	ahead := a.Label()
	a.OffsetWord(ahead)
	a.Word(1 << 31)
	a.Place(ahead)
	if !a.Link() || string(a.Code) != "\x08\x00\x00\x00\x00\x00\x00\x80" {
		t.Errorf("the table is % x", a.Code)
	}
}

// TestFar has a conditional jump of more than a megabyte, which only Far can do.
func TestFar(t *testing.T) {
	t.Parallel()
	for _, far := range []bool{false, true} {
		var a Asm
		a.Far = far
		to := a.Label()
		a.Jump(NE, to)
		a.Code = append(a.Code, make([]byte, 1<<20)...)
		a.Place(to)
		if a.Link() != far {
			t.Errorf("far is %v, and Link is the other", far)
		}
	}
}

// compare assembles the texts.
func compare(t *testing.T, list []instruction) {
	t.Helper()
	assembler, err := exec.LookPath("llvm-mc")
	if err != nil {
		t.Skip("llvm-mc of Debian's package llvm is not installed: no encoding was tested")
	}
	var text strings.Builder
	for _, in := range list {
		text.WriteString(in.text + "\n")
	}
	cmd := exec.CommandContext(t.Context(), assembler, "-triple=aarch64", "-show-encoding")
	cmd.Stdin = strings.NewReader(text.String())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %.3000s", err, out)
	}
	var words []uint32
	for line := range strings.Lines(string(out)) {
		_, code, ok := strings.Cut(line, "encoding: [")
		if !ok {
			continue
		}
		var w uint32
		for i, b := range strings.Split(strings.Trim(code, "]\n"), ",") {
			v, err := strconv.ParseUint(b, 0, 8)
			if err != nil {
				t.Fatalf("cannot read %q", line)
			}
			w |= uint32(v) << (8 * i)
		}
		words = append(words, w)
	}
	if len(words) != len(list) {
		t.Fatalf("%d instructions were assembled of %d", len(words), len(list))
	}
	wrong := 0
	for i, in := range list {
		if words[i] != in.word {
			t.Errorf("%q is %#08x; LLVM has %#08x", in.text, in.word, words[i])
			if wrong++; wrong > 30 {
				t.FailNow()
			}
		}
	}
	t.Logf("%d instructions", len(list))
}

var conditions = [...]string{"eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"}

// reg is the name of a register of a number of bits.
func reg(bits int, r Reg) string {
	letter := map[int]string{32: "w", 64: "x"}[bits]
	if r == ZR {
		return letter + "zr"
	}
	return letter + fmt.Sprint(r)
}

// registers are some of each kind of registers.
var registers = [][3]Reg{{0, 1, 2}, {30, 15, 16}, {16, 30, 17}, {7, 8, 30}, {21, 0, 9}}

func (l *lister) integers() {
	names := map[Arith]string{ADD: "add", SUB: "sub", SUBS: "subs", AND: "and", ORR: "orr", EOR: "eor", ANDS: "ands", ORN: "orn", MUL: "mul", UDIV: "udiv", SDIV: "sdiv"}
	for _, bits := range []int{32, 64} {
		for _, r := range registers {
			d, x, y := reg(bits, r[0]), reg(bits, r[1]), reg(bits, r[2])
			for op, name := range names {
				l.add(func() { l.R3(op, bits, r[0], r[1], r[2]) }, "%s %s, %s, %s", name, d, x, y)
			}
			l.add(func() { l.Move(bits, r[0], r[1]) }, "mov %s, %s", d, x)
			l.add(func() { l.Not(bits, r[0], r[1]) }, "mvn %s, %s", d, x)
			l.add(func() { l.Compare(bits, r[0], r[1]) }, "cmp %s, %s", d, x)
			l.add(func() { l.Test(bits, r[0], r[1]) }, "tst %s, %s", d, x)
			for _, by := range []int{0, 1, 3, 7, 31} {
				l.add(func() { l.ShiftLeft(bits, r[0], r[1], by) }, "lsl %s, %s, #%d", d, x, by)
				l.add(func() { l.ShiftRight(bits, r[0], r[1], by) }, "lsr %s, %s, #%d", d, x, by)
			}
			for c, name := range conditions {
				l.add(func() { l.Choose(bits, r[0], r[1], r[2], Cond(c)) }, "csel %s, %s, %s, %s", d, x, y, name)
			}
			base := reg(64, r[1])
			l.add(func() { l.LoadExclusive(bits, r[0], r[1]) }, "ldaxr %s, [%s]", d, base)
			l.add(func() { l.StoreExclusive(bits, r[0], r[2], r[1]) }, "stlxr %s, %s, [%s]", reg(32, r[0]), y, base)
		}
	}
	for _, r := range registers {
		d, x, y := reg(64, r[0]), reg(64, r[1]), reg(64, r[2])
		l.add(func() { l.R3(UMULH, 64, r[0], r[1], r[2]) }, "umulh %s, %s, %s", d, x, y)
		l.add(func() { l.R3(SMULH, 64, r[0], r[1], r[2]) }, "smulh %s, %s, %s", d, x, y)
		for by := range 4 {
			l.add(func() { l.AddScaled(r[0], r[1], r[2], by) }, "add %s, %s, %s, lsl #%d", d, x, y, by)
		}
		for _, n := range []int{1, 2, 5, 32, 63} {
			l.add(func() { l.TestOnes(r[1], n) }, "tst %s, #%#x", x, uint64(1)<<n-1)
		}
		l.add(func() { l.Lowest(r[0], r[1]) }, "rbit %s, %s\nclz %s, %s", reg(32, r[0]), reg(32, r[1]), reg(32, r[0]), reg(32, r[0]))
		l.add(func() { l.GotoReg(r[0]) }, "br %s", d)
		l.add(func() { l.Return(r[0]) }, "ret %s", d)
	}
}

// constants are additions and comparisons with constants that have room and that have none.
func (l *lister) constants() {
	for _, bits := range []int{32, 64} {
		d, x := reg(bits, 3), reg(bits, 4)
		for _, v := range []int64{0, 1, 4095, 4096, 4095 << 12} {
			l.add(func() { l.AddImm(bits, 3, 4, v) }, "add %s, %s, #%d", d, x, v)
			l.add(func() { l.CompareImm(bits, 4, v) }, "cmp %s, #%d", x, v)
			if v > 0 {
				l.add(func() { l.AddImm(bits, 3, 4, -v) }, "sub %s, %s, #%d", d, x, v)
				l.add(func() { l.CompareImm(bits, 4, -v) }, "cmn %s, #%d", x, v)
			}
		}
		c := reg(bits, constant)
		l.add(func() { l.AddImm(bits, 3, 4, 4097) }, "movz x17, #4097\nadd %s, %s, %s", d, x, c)
		l.add(func() { l.AddImm(bits, 3, 4, -4097) }, "movn x17, #4096\nadd %s, %s, %s", d, x, c)
		l.add(func() { l.CompareImm(bits, 4, 1<<31-1) }, "movz x17, #65535\nmovk x17, #32767, lsl #16\ncmp %s, %s", x, c)
	}
	for v, text := range map[uint64]string{
		0: "movz x5, #0", 1: "movz x5, #1", 1 << 63: "movz x5, #32768, lsl #48", 1<<64 - 1: "movn x5, #0", 1<<64 - 2: "movn x5, #1",
		1<<64 - 1 - 7<<32:  "movn x5, #7, lsl #32",
		0x12345678:         "movz x5, #0x5678\nmovk x5, #0x1234, lsl #16",
		0x123456789abcdef0: "movz x5, #0xdef0\nmovk x5, #0x9abc, lsl #16\nmovk x5, #0x5678, lsl #32\nmovk x5, #0x1234, lsl #48",
		0xffff1234ffff5678: "movn x5, #0xa987\nmovk x5, #0x1234, lsl #32",
		0x00001234ffff0000: "movz x5, #0xffff, lsl #16\nmovk x5, #0x1234, lsl #32",
	} {
		l.add(func() { l.Set(5, v) }, "%s", text)
	}
}

// memories are loads and stores by every kind of distance.
func (l *lister) memories() {
	for op, name := range map[MemOp]string{
		STRB: "strb w", LDRB: "ldrb w", LDRSBX: "ldrsb x", LDRSB: "ldrsb w", STRH: "strh w", LDRH: "ldrh w", LDRSHX: "ldrsh x", LDRSH: "ldrsh w",
		STRW: "str w", LDRW: "ldr w", LDRSW: "ldrsw x", STRX: "str x", LDRX: "ldr x",
		STRS: "str s", LDRS: "ldr s", STRD: "str d", LDRD: "ldr d", STRQ: "str q", LDRQ: "ldr q", prfm: "prfm ",
	} {
		for _, r := range [][2]byte{{0, 1}, {30, 2}, {9, 28}} {
			name := name + fmt.Sprint(r[0])
			if op == prfm {
				r[0], name = 0, "prfm pldl1keep"
			}
			m := Mem{Base: Reg(r[1])}
			short := name
			for _, d := range []int32{0, 1 << op.size(), 4095 << op.size()} {
				l.add(func() { l.memory(op, r[0], m.At(d)) }, "%s, [x%d, #%d]", short, r[1], d)
			}
			if op != prfm {
				unscaled := strings.Replace(strings.Replace(name, "ldr", "ldur", 1), "str", "stur", 1)
				for _, d := range []int32{-1, -256} {
					l.add(func() { l.memory(op, r[0], m.At(d)) }, "%s, [x%d, #%d]", unscaled, r[1], d)
				}
			}
			l.add(func() { l.memory(op, r[0], m.At(-257)) }, "movn x17, #256\n%s, [x%d, x17]", name, r[1])
			l.add(func() { l.memory(op, r[0], m.At(1<<20)) }, "movz x17, #16, lsl #16\n%s, [x%d, x17]", name, r[1])
			m.Index, m.Shift = 3, 2
			l.add(func() { l.memory(op, r[0], m.At(1<<20)) }, "add x17, x%d, x3, lsl #2\nmovz x16, #16, lsl #16\n%s, [x17, x16]", r[1], name)
			m.Disp = 16
			l.add(func() { l.memory(op, r[0], m) }, "add x17, x%d, x3, lsl #2\n%s, [x17, #16]", r[1], name)
		}
	}
	l.add(l.Barrier, "dmb ish")
	l.add(func() { l.Prefetch(Mem{Base: 3, Disp: 64}) }, "prfm pldl1keep, [x3, #64]")
	for lane := range 4 {
		l.add(func() { l.LoadLane(32, 7, lane, 9) }, "ld1 {v7.s}[%d], [x9]", lane)
		l.add(func() { l.LoadLane(64, 30, lane/2, 9) }, "ld1 {v30.d}[%d], [x9]", lane/2)
	}
	l.add(func() { l.LoadAll(32, 7, 9) }, "ld1r {v7.4s}, [x9]")
	l.add(func() { l.LoadAll(64, 31, 10) }, "ld1r {v31.2d}, [x10]")
}
