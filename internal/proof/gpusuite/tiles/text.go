package tiles

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/ptx"
)

// This file and its neighbours write the PTX that multiplies. A kernel "product" has the parameters
// a, b, c and their transposed matrices at, bt, ct; d, and e for D once more; counts, of registers
// of D that another way to ask for the product gave other bits, by the number of the way; and how
// many products there are.

// writer writes PTX.
type writer struct {
	strings.Builder
	*Product
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// pointers are the parameters of "product" before the last, in their order.
var pointers = []string{"a", "at", "b", "bt", "c", "ct", "d", "e", "counts"}

// begin begins a kernel. %x0 is its last parameter, %x1 the thread, %x2 the block, and then the
// product; %x3 and %x4 are the row and the pair of columns at which a lane's part of D begins.
// Matrices have the registers %ra to %rd of 32 bits and %qa to %qd of 64.
func (w *writer) begin(name string, threads int, pointers []string) {
	w.line(".visible .entry %s(", name)
	for _, p := range pointers {
		w.line("\t.param .u64 .ptr .global .align 16 p_%s,", p)
	}
	w.line("\t.param .u32 p_n")
	w.line(")\n.reqntid %d\n{", threads)
	w.line(".reg .b32 %%x<16>;\n.reg .b64 %%y<8>;\n.reg .pred %%p<4>;")
	for _, matrix := range []string{"a", "b", "c", "d", "first"} {
		w.line(".reg .b32 %%r%s<128>;\n.reg .b64 %%q%s<8>;", matrix, matrix)
	}
	for _, p := range pointers {
		w.line(".reg .b64 %%%s;\nld.param.u64 %%%s, [p_%s];", p, p, p)
	}
	w.line("ld.param.u32 %%x0, [p_n];\nmov.u32 %%x1, %%tid.x;\nmov.u32 %%x2, %%ctaid.x;")
}

// header begins a module.
const header = ".version 8.7\n.target sm_90a\n.address_size 64\n"

// registers are n registers of a matrix.
func registers(name string, t ptx.Type, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%%%s%s%d", map[string]string{"b32": "r", "b64": "q"}[word(t)], name, i)
	}
	return list
}

// vector is registers as an operand.
func vector(list []string) string { return "{" + strings.Join(list, ", ") + "}" }

// word is the type of a register of elements of a type.
func word(t ptx.Type) string {
	if t.Bits() == 64 {
		return "b64"
	}
	return "b32"
}

// advance moves pointers to the matrices of product x2, by their sizes in bytes.
func (w *writer) advance(bytes map[string]int) {
	for _, name := range pointers {
		if n := bytes[name]; n > 0 {
			w.line("mad.wide.u32 %%%s, %%x2, %d, %%%s;", name, n, name)
		}
	}
}

// bytesOf is how many bytes a matrix has.
func bytesOf(lines, length int, t ptx.Type) int {
	return lines * lead(length, t.Bits()) * t.Bits() / 8
}
