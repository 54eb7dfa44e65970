package main

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa is an instruction set: what its vectors are called and how many bytes they hold.
type isa struct {
	name    string
	bytes   int
	regs    []reg.VecPhysical
	opmasks bool // whether it has mask registers
}

var (
	avx2 = isa{"AVX2", 32, []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
	}, false}
	avx512 = isa{"AVX512", 64, []reg.VecPhysical{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
		reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
		reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
	}, true}
)

// half is AVX-512 with vectors of half its width. Some processors compute two of them at a time.
func half() isa {
	i := isa{avx512.name, 32, nil, true}
	for _, r := range avx512.regs {
		i.regs = append(i.regs, r.AsY().(reg.VecPhysical))
	}
	return i
}

// size is the size of an element in bytes.
func (f *file) size() int {
	if f.double {
		return 8
	}
	return 4
}

// elem is the Go name of the element type.
func (f *file) elem() string {
	return fmt.Sprintf("float%d", 8*f.size())
}

// op emits an instruction. A "?" in its name is S or D, for the element type.
func (f *file) op(name string, ops ...any) {
	letter := "S"
	if f.double {
		letter = "D"
	}
	name = strings.ReplaceAll(name, "?", letter)
	method := reflect.ValueOf(f.Context).MethodByName(name)
	if !method.IsValid() {
		panic("avo has no instruction " + name)
	}
	args := make([]reflect.Value, len(ops))
	for i, op := range ops {
		if n, ok := op.(int); ok {
			op = operand.Imm(uint64(n))
		}
		args[i] = reflect.ValueOf(op)
	}
	method.Call(args)
}

// text begins a function. The parameters are a Go parameter list of the generated declaration. avo
// knows pointers to our own types as *byte.
func (f *file) text(doc, name, params, result string) {
	f.Function(name)
	f.Attributes(attr.NOSPLIT)
	f.SignatureExpr("func(" + strings.ReplaceAll(params, "*Tile", "*byte") + ") " + result)
	fmt.Fprintf(&f.decls, "\n// %s %s\n//\n//go:noescape\nfunc %s(%s) %s\n", name, doc, name, params, result)
}

// at is the operand in memory at base + disp.
func at(base reg.Register, disp int) operand.Mem { return operand.Mem{Base: base, Disp: disp} }

// indexed is the operand in memory at base + index*scale.
func indexed(base, index reg.Register, scale uint8) operand.Mem {
	return operand.Mem{Base: base, Index: index, Scale: scale}
}

func (f *file) ptr(param string) reg.GPVirtual {
	r := f.GP64()
	f.Load(f.Param(param), r)
	return r
}

// defineMasks writes the table of masks: ones for a vector of 32 bytes and zeros for another. The
// mask for n bytes starts n before the middle.
func (f *file) defineMasks() {
	f.masks = f.StaticGlobal("masks")
	f.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 8 {
		f.AppendDatum(operand.U64(map[bool]uint64{true: 1<<64 - 1}[i < 4]))
	}
}

// mask loads the mask for a number of bytes. It overwrites bytes.
func (f *file) mask(bytes reg.GPVirtual, into reg.VecPhysical) {
	table := f.GP64()
	f.LEAQ(f.masks, table)
	f.SUBQ(bytes, table)
	f.VMOVDQU(at(table, 32), into)
}

// imm is a constant of the width that the instructions of arithmetic take.
func imm(n int) operand.Constant {
	if n == int(int8(n)) {
		return operand.I8(n)
	}
	return operand.I32(n)
}
