// Package arm64 encodes the instructions of A64 that compiled kernels are made of: vectors of 128
// bits (Advanced SIMD, which ARM sells as NEON), and what addresses, counts and jumps need. It runs on
// any system, and its tests hold each encoding to LLVM's assembler.
//
// The methods of Asm append one instruction each, with exceptions that say so. The destination comes
// first:
//
//	a.V3(FADD4S, 0, 1, 2)                             fadd v0.4s, v1.4s, v2.4s
//	a.R3(ADD, 64, 0, 1, 2)                            add x0, x1, x2
//	a.Load(LDRQ, 3, Mem{Base: 1, Disp: 32})           ldr q3, [x1, #32]
//	a.Jump(NE, loop)                                  b.ne loop
//
// Asm takes X16 and X17 for constants and distances that have no room in an instruction.
package arm64

import (
	"encoding/binary"
	"fmt"
)

// Asm is code under construction. The zero Asm is empty.
type Asm struct {
	Code []byte
	// Far makes conditional jumps that reach 128 MiB, of two instructions, instead of 1 MiB.
	Far    bool
	labels []int // where each label is; -1 while it is not placed
	fixes  []fix
}

// fix is a distance or an offset that is not known yet.
type fix struct {
	at   int // where the instruction is in the code
	to   Label
	kind fixKind
}

type fixKind uint8

const (
	jump26   fixKind = iota // a distance of 26 bits
	jump19                  // a distance of 19 bits
	offset                  // an offset from the start, of two instructions
	offset32                // an offset from the start, of 32 bits
)

// Label is a place in the code, which Place decides.
type Label int

// Label makes a label without a place.
func (a *Asm) Label() Label {
	a.labels = append(a.labels, -1)
	return Label(len(a.labels) - 1)
}

// Place puts a label where the next instruction will be.
func (a *Asm) Place(l Label) { a.labels[l] = len(a.Code) }

// Offset is where a label is, in bytes from the start. The label must have its place.
func (a *Asm) Offset(l Label) int { return a.labels[l] }

// Link fills in all distances and offsets, once every label has its place. It returns false if a
// conditional jump does not reach its label: then the code must be made again, with Far.
func (a *Asm) Link() bool {
	for _, f := range a.fixes {
		to := a.labels[f.to]
		if to < 0 {
			panic(fmt.Sprintf("BUG: label %d has no place", f.to))
		}
		words := (to - f.at) / 4
		switch f.kind {
		case jump26:
			if words < -1<<25 || words >= 1<<25 {
				panic("BUG: the code has more than 128 MiB")
			}
			a.patch(f.at, uint32(words)&(1<<26-1))
		case jump19:
			if words < -1<<18 || words >= 1<<18 {
				return false
			}
			a.patch(f.at, uint32(words)&(1<<19-1)<<5)
		case offset:
			a.patch(f.at, uint32(to)&0xffff<<5)
			a.patch(f.at+4, uint32(to)>>16<<5)
		case offset32:
			a.patch(f.at, uint32(to))
		}
	}
	a.fixes = a.fixes[:0]
	return true
}

func (a *Asm) patch(at int, bits uint32) {
	p := a.Code[at:]
	binary.LittleEndian.PutUint32(p, binary.LittleEndian.Uint32(p)|bits)
}

// word appends an instruction.
func (a *Asm) word(w uint32) { a.Code = binary.LittleEndian.AppendUint32(a.Code, w) }

func (a *Asm) fix(to Label, kind fixKind) { a.fixes = append(a.fixes, fix{len(a.Code), to, kind}) }

// Cond is a condition of flags.
type Cond uint8

// The conditions: after a comparison of a and b, a == b and so on. LO, HS, HI and LS are of unsigned
// numbers.
const (
	EQ Cond = iota
	NE
	HS
	LO
	MI
	PL
	VS
	VC
	HI
	LS
	GE
	LT
	GT
	LE
)

// Goto jumps to a label.
func (a *Asm) Goto(to Label) {
	a.fix(to, jump26)
	a.word(0x14000000)
}

// Call jumps to a label and leaves the next instruction's address in X30.
func (a *Asm) Call(to Label) {
	a.fix(to, jump26)
	a.word(0x94000000)
}

// Jump jumps to a label where a condition holds.
func (a *Asm) Jump(c Cond, to Label) {
	if a.Far {
		a.word(0x54000040 | uint32(c^1))
		a.Goto(to)
		return
	}
	a.fix(to, jump19)
	a.word(0x54000000 | uint32(c))
}

// JumpZero and JumpNotZero jump to a label if r is zero, or if it is not.

func (a *Asm) JumpZero(bits int, r Reg, to Label)    { a.compareAndJump(0, bits, r, to) }
func (a *Asm) JumpNotZero(bits int, r Reg, to Label) { a.compareAndJump(1, bits, r, to) }

func (a *Asm) compareAndJump(not uint32, bits int, r Reg, to Label) {
	op := 0x34000000 | width(bits) | uint32(r)
	if a.Far {
		a.word(op | (not^1)<<24 | 2<<5)
		a.Goto(to)
		return
	}
	a.fix(to, jump19)
	a.word(op | not<<24)
}

// GotoReg jumps to the address in r, and Return returns to it.

func (a *Asm) GotoReg(r Reg) { a.word(0xd61f0000 | uint32(r)<<5) }
func (a *Asm) Return(r Reg)  { a.word(0xd65f0000 | uint32(r)<<5) }

// OffsetOf sets d to the offset of a label, in two instructions.
func (a *Asm) OffsetOf(d Reg, l Label) {
	a.fix(l, offset)
	a.word(0xd2800000 | uint32(d))
	a.word(0xf2a00000 | uint32(d))
}

// OffsetWord appends the offset of a label, and Word appends 32 bits: entries of a table, which no
// instruction runs into.

func (a *Asm) OffsetWord(l Label) {
	a.fix(l, offset32)
	a.word(0)
}

func (a *Asm) Word(w uint32) { a.word(w) }
