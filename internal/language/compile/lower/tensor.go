package lower

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// tensorCopy lowers gpu.CpAsyncBulkTensor and its like. Their last argument is the coordinates, as
// many as the map has dimensions.
func (f *frame) tensorCopy(in *ssa.Call, how intrinsic) value {
	l, last := f.l, len(in.Call.Args)-1
	var box, tensor, rest []*ir.Value
	for _, a := range in.Call.Args[:last] {
		v := f.value(a)
		switch a.Type().Underlying().(type) {
		case *types.Slice:
			box = []*ir.Value{l.tile(v)}
		case *types.Pointer: // the mbarrier
			l.checkNil(v.leaves[0])
			rest = append(rest, v.leaves[0].v)
		case *types.Struct:
			tensor = []*ir.Value{v.one()}
		default:
			rest = append(rest, v.one())
		}
	}
	at := f.value(in.Call.Args[last])
	n, known := at.len().IntConst()
	if !known || n < 1 || n > abi.MaxTensorDims {
		l.errorf(f.messagePos(in), "gpu.%s needs the coordinates one by one, 1 to %d of them", how.name, abi.MaxTensorDims)
		return value{}
	}
	args := append(append(box, tensor...), rest...)
	for i := range n {
		x := l.b.Load(ir.I64, ir.B64, l.at(at.one(), 8*i))
		args = append(args, l.b.Emit(ir.Trunc, ir.I32, x))
	}
	l.b.Machine(ir.MachineSub(fmt.Sprint(how.name, n)), args...)
	return value{}
}

// bulkCopy lowers gpu.CpAsyncBulk and its like: as many bytes as the source has.
func (f *frame) bulkCopy(in *ssa.Call, how intrinsic) value {
	l := f.l
	var args, rest []*ir.Value
	var n *ir.Value
	var size int64
	for _, a := range in.Call.Args {
		v := f.value(a)
		switch t := a.Type().Underlying().(type) {
		case *types.Slice: // the destination, and then the source
			if n, size = v.len(), l.layout(t.Elem()).size; notPlain(t.Elem()) != "" {
				l.errorf(f.messagePos(in), "gpu.%s of a %s: %s", how.name, l.typeName(t.Elem()), notPlain(t.Elem()))
				return value{}
			}
			args = append(args, v.leaves[0].v)
		case *types.Pointer: // the mbarrier
			l.checkNil(v.leaves[0])
			args = append(args, v.leaves[0].v)
		default:
			rest = append(rest, v.one())
		}
	}
	if how.name != "CpAsyncBulkPrefetch" {
		last := l.b.Emit(ir.Subtract, ir.I64, n, l.b.Int(ir.I64, 1))
		l.checkIndex(last, f.value(in.Call.Args[0]).len(), types.Typ[types.Int])
	}
	bytes := l.b.Emit(ir.Trunc, ir.I32, l.b.Emit(ir.Mul, ir.I64, n, l.b.Int(ir.I64, size)))
	l.b.Machine(how.sub, append(append(args, bytes), rest...)...)
	return value{}
}

// tile is the address of the first element of a slice of shared memory. The shared array that it is
// in is aligned as a swizzle wants it.
func (l *lowerer) tile(s value) *ir.Value {
	l.checkIndex(l.b.Int(ir.I64, 0), s.len(), types.Typ[types.Int])
	l.alignMatrix(s.leaves[0].v, map[*ir.Value]bool{})
	return s.leaves[0].v
}
