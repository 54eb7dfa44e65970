package frontend

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/gridstride/gridstride/internal/abi"
)

// maxParams is the number of bytes that the parameters of a kernel can have, less the hidden one.
const maxParams = abi.PortableParams - 8

// checkKernelDecl checks what the syntax of a kernel says about it.
func (l *loader) checkKernelDecl(k *kernelDecl) {
	fn, name := k.fn, k.fn.Name.Name
	if fn.Recv != nil {
		l.errorf(fn.Name.Pos(), "kernel %s is a method: make it a function that takes the receiver as a parameter",
			name)
	}
	if name == "_" || name == "init" || name == "main" && l.src.Name == "main" {
		l.errorf(fn.Name.Pos(), "a kernel cannot be called %s: it is launched by its name", name)
	}
	if fn.Body == nil {
		l.errorf(fn.Name.Pos(), "kernel %s has no body: write it in Go", name)
	}
	if fn.Type.Results.NumFields() > 0 {
		l.errorf(fn.Type.Results.Pos(), "kernel %s has a result: a kernel writes its results to a slice", name)
	}
	for i, f := range fn.Type.Params.List {
		if _, ok := f.Type.(*ast.Ellipsis); ok {
			l.errorf(f.Pos(), "kernel %s is variadic: take a slice", name)
		}
		if len(f.Names) == 0 {
			l.errorf(f.Pos(), "parameter %d of kernel %s has no name: the launcher needs one", i, name)
		}
		for _, id := range f.Names {
			if id.Name == "_" {
				l.errorf(id.Pos(), "a parameter of kernel %s has no name: the launcher needs one", name)
			}
		}
	}
}

// checkSignature checks the parameters of an instance of a kernel.
func (l *loader) checkSignature(k *kernelDecl, inst *Instance) {
	taken := map[string]string{abi.FaultParam: "a parameter of the compiler's own"}
	claim := func(pos token.Pos, ptx, what string) {
		if prev := taken[ptx]; prev != "" {
			l.errorf(pos, "%s and %s would have the same name %s in PTX: rename one of them", prev, what, ptx)
		}
		taken[ptx] = what
	}
	i := 0
	var block abi.ParamBlock
	for _, f := range k.fn.Type.Params.List {
		for _, id := range f.Names {
			t := inst.Signature.Params().At(i).Type()
			i++
			if _, ok := f.Type.(*ast.Ellipsis); ok {
				continue
			}
			claim(id.Pos(), id.Name, "parameter "+id.Name)
			_, slice := t.Underlying().(*types.Slice)
			if slice {
				claim(id.Pos(), abi.LengthParam(id.Name), "the length of "+id.Name)
			}
			if why := refuseParam(t); why != "" {
				l.errorf(f.Type.Pos(), "parameter %s of kernel %s: %s", id.Name, inst.Kernel.Name, why)
				continue
			}
			if slice { // passed without its capacity
				block.Add(8, 8)
				block.Add(8, 8)
				continue
			}
			block.Add(int(min(Sizes.Sizeof(t), 8*maxParams)), Align(t))
		}
	}
	if block.Size > maxParams {
		l.errorf(k.fn.Type.Params.Pos(), "the parameters of kernel %s take %d bytes, more than %d: pass large "+
			"arrays as slices", inst.Kernel.Name, block.Size, maxParams)
	}
}

// refuseParam says why a kernel cannot have a parameter of a type; "" if it can.
func refuseParam(t types.Type) string {
	if invalid(t) {
		return ""
	}
	if s, ok := t.Underlying().(*types.Slice); ok {
		if why := refusePlain(s.Elem()); why != "" {
			return "its elements cannot be passed: " + why
		}
		if !invalid(s.Elem()) && Sizes.Sizeof(s.Elem()) == 0 {
			return "its elements have no size"
		}
		return ""
	}
	if _, ok := t.Underlying().(*types.Pointer); ok {
		return "a kernel takes no pointers: pass a slice, of one element if need be"
	}
	if why := refusePlain(t); why != "" {
		return why
	}
	if Sizes.Sizeof(t) == 0 {
		return "it has no size"
	}
	return ""
}

// refusePlain says why a type is not plain data, which the host and the device see alike; "" if it
// is.
func refusePlain(t types.Type) string { return refuseParts(t, map[*types.Named]bool{}) }

// refuseParts is refusePlain. It looks into named types once.
func refuseParts(t types.Type, seen map[*types.Named]bool) string {
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if seen[named] {
			return ""
		}
		seen[named] = true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Kind() == types.Invalid || u.Info()&(types.IsNumeric|types.IsBoolean) != 0 &&
			u.Kind() != types.Uintptr {
			return ""
		}
		if u.Info()&types.IsString != 0 {
			return "a string cannot be passed to the device: pass its bytes as a []byte"
		}
	case *types.Array:
		return refuseParts(u.Elem(), seen)
	case *types.Struct:
		for i := range u.NumFields() {
			if why := refuseParts(u.Field(i).Type(), seen); why != "" {
				return "field " + u.Field(i).Name() + ": " + why
			}
		}
		return ""
	case *types.Slice:
		return "a slice inside another type cannot be passed: make it a parameter of its own, or pass one slice " +
			"and compute the index"
	case *types.Pointer:
		return "a pointer of the host means nothing on the device: pass a slice and an index into it"
	case *types.Signature:
		return "a function cannot be passed to the device: choose with a number and a switch, or make one kernel " +
			"for each"
	}
	return refuseType(t)
}

func invalid(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Invalid
}
