package lower

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// matrixAccess lowers ldmatrix and stmatrix, which take a fragment apart into matrices of eight
// lines. The lines of a matrix of PTX are rows of A and C and columns of B, or with .trans the
// others.
func (f *frame) matrixAccess(in *ssa.Call, how intrinsic) value {
	l, load := f.l, how.name[:2] == "Ld"
	t, count := in.Type(), 1
	if !load {
		t = in.Call.Args[1].Type()
	} else if array, ok := types.Unalias(t).(*types.Array); ok {
		t, count = array.Elem(), int(array.Len())
	}
	form, why := l.matrixForm(t, how.name, count)
	if why != "" {
		l.errorf(f.messagePos(in), "gpu.%s of a %s: %s", how.name, l.typeName(t), why)
		return l.undefined(in.Type())
	}
	p := f.value(in.Call.Args[0]).leaves[0]
	l.checkNil(p)
	args := []*ir.Value{p.v}
	if load {
		words := l.b.Machine(ir.MachineSub("Ld"+form), args...)
		if l.layout(in.Type()).size == 8 && count == 2 { // each has 8 lines, which its 16 lanes give twice
			words = []*ir.Value{words[0], words[2]}
		}
		if l.layout(t).scalars[0].typ == ir.F32 {
			for i, w := range words {
				words[i] = l.b.Emit(ir.Bitcast, ir.F32, w)
			}
		}
		return l.ofWords(in.Type(), words)
	}
	l.b.Machine(ir.MachineSub("St"+form), append(args, l.words(t, f.value(in.Call.Args[1]))...)...)
	return value{}
}

// matrixForm is the form of Machine for count fragments of a type, without its first two letters,
// or the reason if there is none.
func (l *lowerer) matrixForm(t types.Type, name string, count int) (form, why string) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != frontend.GPUPath {
		return "", "it is no fragment: give a type such as gpu.A16x16[gpu.Float16]"
	}
	array := t.Underlying().(*types.Array)
	size := int(l.layout(array.Elem()).size)
	matrix := named.Obj().Name()[0]
	trans := ""
	if byRows := name[len("LdMatrix"):][0] == 'R'; byRows == (matrix == 'B') {
		trans = "Trans"
	}
	registers := int(array.Len()) * size / 4
	switch {
	case size > 4:
		return "", "elements have at most 4 bytes"
	case size != 2 && name[:2] == "St":
		return "", "elements have 2 bytes"
	case size != 2 && matrix == 'C':
		return "", "elements of C have 2 bytes"
	case size != 2 && trans != "" && matrix == 'B':
		return "", "elements have 2 bytes, or store the matrix by columns: gpu.LdMatrixColumns"
	case size != 2 && trans != "":
		return "", "elements have 2 bytes, or store the matrix by rows: gpu.LdMatrixRows"
	case registers*count > 4:
		return "", "two of them have more than 32 lines"
	case count == 2: // lanes from 16 on give the lines of the second
		registers = 4
	}
	return fmt.Sprintf("Matrix%s%d", trans, registers), ""
}
