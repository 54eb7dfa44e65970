package code

import (
	"fmt"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Bytes that a slot takes in a register file: 32 lanes of 32 bits, 32 lanes of 64 bits, and a
// predicate, which is a bit a lane.
const (
	Bytes32   = abi.WarpSize * 4
	Bytes64   = abi.WarpSize * 8
	bytesPred = 4
)

// Slot is the place of a register in a register file, and its width: 1 (a predicate), 32, 64 or 128
// bits a lane. Registers of 8 and 16 bits are in 32-bit slots, zero-extended. A slot of 128 bits is
// two of 64, the lower half first. The zero Slot is none.
type Slot struct {
	Off  uint32 // in bytes
	Bits int
}

// SlotBits is how wide a slot a register of a type needs.
func SlotBits(t ptx.Type) int {
	if n := t.Bits(); n > 1 && n < 32 {
		return 32
	}
	return t.Bits()
}

// Half is the i-th half of a 128-bit slot.
func (s Slot) Half(i int) Slot { return Slot{s.Off + uint32(i)*Bytes64, 64} }

// String names a slot by its width and its offset: "p4" a predicate, "w128" a word of 32 bits,
// "d256" a double word, "q512" four words.
func (s Slot) String() string {
	letter := map[int]string{1: "p", 32: "w", 64: "d", 128: "q"}[s.Bits]
	return fmt.Sprint(letter, s.Off)
}

// File is the layout of a function's registers: one file for every call of it.
type File struct {
	Size    uint32 // bytes
	Scratch Slot   // 64 bits; what an instruction writes for lanes that do not run it

	predFree  uint32 // rest of the slot in which predicates are packed
	constants map[constant]Slot
}

// Constant is a slot that holds a value in every lane from the start, and that nothing writes.
type Constant struct {
	Slot
	Value uint64
}

type constant struct {
	bits  int
	value uint64
}

// NewFile returns a layout without registers.
func NewFile() File {
	f := File{constants: map[constant]Slot{}}
	f.Scratch = f.Alloc(64)
	return f
}

// Alloc reserves a slot.
func (f *File) Alloc(bits int) Slot {
	s := Slot{Off: f.Size, Bits: bits}
	switch bits {
	case 1:
		if f.predFree == 0 {
			f.predFree = f.Size
			f.Size += Bytes32
		}
		s.Off = f.predFree
		if f.predFree += bytesPred; f.predFree%Bytes32 == 0 {
			f.predFree = 0
		}
		return s
	case 32:
		f.Size += Bytes32
	case 64:
		f.Size += Bytes64
	case 128:
		f.Size += 2 * Bytes64
	default:
		panic(fmt.Sprintf("BUG: register of %d bits", bits))
	}
	return s
}

// Constant returns the slot that holds a value. A value of 1 bit is 0 or 1.
func (f *File) Constant(bits int, value uint64) Slot {
	switch bits {
	case 32:
		value &= 1<<32 - 1
	case 1:
		value &= 1
	}
	key := constant{bits, value}
	s, ok := f.constants[key]
	if !ok {
		s = f.Alloc(bits)
		f.constants[key] = s
	}
	return s
}

// Constants lists the constants by their offset.
func (f *File) Constants() []Constant {
	var order []*Constant // pointers: code that sorts the struct takes 15 KB of every program
	for c, s := range f.constants {
		order = append(order, &Constant{s, c.value})
	}
	slices.SortFunc(order, func(a, b *Constant) int { return int(a.Off) - int(b.Off) })
	var list []Constant
	for _, c := range order {
		list = append(list, *c)
	}
	return list
}

// Value returns the value of a slot if it is a constant.
func (f *File) Value(s Slot) (value uint64, ok bool) {
	for c, at := range f.constants {
		if at == s {
			return c.value, true
		}
	}
	return 0, false
}
