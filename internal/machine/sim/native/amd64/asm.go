// Package amd64 encodes the instructions of AMD64 that compiled kernels are made of: vectors of 256
// bits with AVX2 and FMA, vectors of 512 bits and masks with AVX-512, and what addresses, counts and
// jumps need. It runs on any system, and its tests hold each encoding to the disassembler of binutils.
//
// The methods of Asm append one instruction each. Operands are in Intel's order, the destination
// first:
//
//	a.V3(VADDPS, Y0, Y1, Y2)                          vaddps ymm0,ymm1,ymm2
//	a.V3(VPADDD, Y0, Y1, Mem{Base: RBX, Disp: 32})    vpaddd ymm0,ymm1,[rbx+0x20]
//	a.Op(ADD, 64, RAX, RCX)                           add rax,rcx
//	a.Jump(NE, loop)                                  jne loop
package amd64

import (
	"encoding/binary"
	"fmt"
)

// Asm is code under construction. The zero Asm is empty.
type Asm struct {
	Code   []byte
	labels []int // where each label is; -1 while it is not placed
	jumps  []jump
}

// jump is a distance of 32 bits that is not known yet.
type jump struct {
	at int // where the distance is in the code
	to Label
}

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

// Link fills in the distances of all jumps, once every label has its place.
func (a *Asm) Link() {
	for _, j := range a.jumps {
		to := a.labels[j.to]
		if to < 0 {
			panic(fmt.Sprintf("BUG: label %d has no place", j.to))
		}
		binary.LittleEndian.PutUint32(a.Code[j.at:], uint32(to-j.at-4))
	}
	a.jumps = a.jumps[:0]
}

// Mark is a place in the code.
type Mark struct{ code, jumps int }

// Mark is the end of the code so far, and Reset takes what follows a Mark back. Labels keep their places.

func (a *Asm) Mark() Mark { return Mark{len(a.Code), len(a.jumps)} }

func (a *Asm) Reset(m Mark) { a.Code, a.jumps = a.Code[:m.code], a.jumps[:m.jumps] }

func (a *Asm) bytes(b ...byte) { a.Code = append(a.Code, b...) }

func (a *Asm) imm32(v int32) { a.Code = binary.LittleEndian.AppendUint32(a.Code, uint32(v)) }

func (a *Asm) distance(to Label) {
	a.jumps = append(a.jumps, jump{len(a.Code), to})
	a.imm32(0)
}
