package lower

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// product lowers a product of matrices of a warp. Fragments have the same order in registers as in
// memory.
func (f *frame) product(in *ssa.Call, how intrinsic) value {
	l, args := f.l, in.Call.Args
	p := productOf(args[0].Type(), args[1].Type(), args[2].Type())
	if p == nil {
		panic(fmt.Sprintf("BUG: no form of mma for gpu.%s of %v", how.name, args[0].Type()))
	}
	if f.lacks(in, how, needOf(p).Target) {
		return l.undefined(in.Type())
	}
	var registers []*ir.Value
	for _, a := range args {
		registers = append(registers, l.words(a.Type(), f.value(a))...)
	}
	return l.ofWords(in.Type(), l.b.MMA(p, registers...))
}

// productOf is the form for fragments of A, B and C.
func productOf(a, b, c types.Type) *ir.Product {
	n, first := fragment(a)
	_, second := fragment(b)
	_, sum := fragment(c)
	for i := range ir.Products {
		if p := &ir.Products[i]; p.A == first && p.B == second && p.Sum == sum && p.M*p.K/32 == n {
			return p
		}
	}
	return nil
}

// fragment is how many elements a fragment has, and their type in PTX.
func fragment(t types.Type) (n int, elem string) {
	array := t.Underlying().(*types.Array)
	switch t := types.Unalias(array.Elem()).(type) {
	case *types.Named:
		elem = map[string]string{
			"Float16": "f16", "BFloat16": "bf16", "TF32": "tf32", "E4M3": "e4m3", "E5M2": "e5m2",
		}[t.Obj().Name()]
	case *types.Basic:
		elem = map[types.BasicKind]string{
			types.Float32: "f32", types.Float64: "f64", types.Int8: "s8", types.Uint8: "u8", types.Int32: "s32",
		}[t.Kind()]
	}
	return int(array.Len()), elem
}

// needOf is the target's feature that a form needs.
func needOf(p *ir.Product) ptx.Needs {
	mods := strings.Split(p.Opcode(), ".")
	d, err := ptx.Decode(&ptx.Instr{Op: mods[0], Mods: mods[1:], Args: make([]ptx.Operand, 4)}, nil)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return d.Needs()
}
