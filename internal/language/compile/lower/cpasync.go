package lower

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// asyncCopy lowers gpu.CpAsync and gpu.CpAsyncZeroFill.
func (f *frame) asyncCopy(in *ssa.Call, how intrinsic) value {
	l := f.l
	dst, src := f.value(in.Call.Args[0]).leaves[0], f.value(in.Call.Args[1])
	t := in.Call.Args[0].Type().Underlying().(*types.Pointer).Elem()
	size := l.layout(t).size
	if size != 4 && size != 8 && size != 16 || notPlain(t) != "" {
		l.errorf(f.messagePos(in), "gpu.%s copies 4, 8 or 16 bytes, a %s has %d", how.name, l.typeName(t), size)
		return value{}
	}
	if dst.v == nil || src.leaves[0].v == nil { // a special register's, which is reported
		return value{}
	}
	form, ok := f.copyForm(in, how, size)
	if !ok {
		return value{}
	}
	l.checkNil(dst)
	args := []*ir.Value{dst.v, src.leaves[0].v}
	if slice, ok := in.Call.Args[1].Type().Underlying().(*types.Slice); ok {
		elem := l.layout(slice.Elem()).size
		n := l.b.Emit(ir.MinS, ir.I64, src.leaves[1].v, l.b.Int(ir.I64, size/elem))
		args = append(args, l.b.Emit(ir.Trunc, ir.I32, l.b.Emit(ir.Mul, ir.I64, n, l.b.Int(ir.I64, elem))))
	} else {
		l.checkNil(src.leaves[0])
	}
	l.b.Machine(form, args...)
	return value{}
}

// copyForm is the form of Machine for a size and the caches that the last argument names.
func (f *frame) copyForm(in *ssa.Call, how intrinsic, size int64) (form ir.Sub, ok bool) {
	given, ok := f.qualifiers(in.Call.Args[len(in.Call.Args)-1])
	switch {
	case !ok || len(given) > 1:
		f.l.errorf(f.messagePos(in), "the caches of gpu.%s are one constant, gpu.CacheAll or gpu.CacheGlobal", how.name)
		return 0, false
	case len(given) == 0 || abi.CacheOp(given[0]) == abi.CacheAll:
		return ir.MachineSub(fmt.Sprint(how.name, size)), true
	case size != 16:
		f.l.errorf(f.messagePos(in), "gpu.%s with gpu.CacheGlobal copies 16 bytes, not %d", how.name, size)
		return 0, false
	}
	return ir.MachineSub(how.name + "Global16"), true
}
