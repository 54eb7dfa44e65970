package frontend

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

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
	c := signatureCheck{loader: l, inst: inst, taken: map[string]string{
		abi.FaultParam: "a parameter of the compiler's own",
	}}
	i := 0
	for _, f := range k.fn.Type.Params.List {
		_, variadic := f.Type.(*ast.Ellipsis) // reported already
		for _, id := range f.Names {
			if !variadic {
				c.param(id, f.Type.Pos(), i)
			}
			i++
		}
	}
	if c.block.Size > maxParams {
		l.errorf(k.fn.Type.Params.Pos(), "the parameters of kernel %s take %d bytes, more than %d: pass large "+
			"arrays as slices", inst.Kernel.Name, c.block.Size, maxParams)
	}
}

// signatureCheck checks one instance.
type signatureCheck struct {
	*loader
	inst  *Instance
	taken map[string]string // by the name of a PTX parameter, what it is
	block abi.ParamBlock
}

// param checks parameter i, called id, whose type is written at typePos.
func (c *signatureCheck) param(id *ast.Ident, typePos token.Pos, i int) {
	v := c.inst.Signature.Params().At(i)
	refuse := func(path, why string) {
		if path != "" {
			path = id.Name + path + ": "
		}
		if c.inst.Kernel.Origin != c.src.Path {
			typePos = c.inst.asked
		}
		c.errorf(typePos, "parameter %s of kernel %s: %s%s", id.Name, c.inst.Kernel.Name, path, why)
	}
	if size := Sizes.Sizeof(v.Type()); size < 0 || size > 8*maxParams { // too many parts, perhaps
		c.block.Add(8*maxParams, 1)
		return
	}
	parts := Parts(v)
	same := func(p, q Part) bool { return p.Path == q.Path && (p.Slice() == nil) == (q.Slice() == nil) }
	if !slices.EqualFunc(parts, Parts(c.inst.Kernel.Signature.Params().At(i)), same) {
		refuse("", "a type argument that holds slices cannot be a whole parameter: write the slices as []T in the parameter")
		return
	}
	for _, p := range parts {
		what := "parameter " + id.Name
		if p.Path != "" {
			what = id.Name + p.Path
		}
		c.claim(id.Pos(), p.Name, what)
		if p.Slice() != nil {
			c.claim(id.Pos(), abi.LengthParam(p.Name), "the length of "+id.Name+p.Path)
		}
		why := refuseParam(p.Type)
		if why == "" && p.Path != "" {
			why = c.refuseName(p.Type)
		}
		if why != "" {
			refuse(p.Path, why)
			continue
		}
		if p.Slice() != nil { // passed without its capacity
			c.block.Add(8, 8)
			c.block.Add(8, 8)
			continue
		}
		if IsTensorMap(p.Type) {
			c.block.Add(abi.TensorMapSize, abi.TensorMapAlign)
			continue
		}
		c.block.Add(int(Sizes.Sizeof(p.Type)), Align(p.Type))
	}
}

// claim takes a name for a PTX parameter.
func (c *signatureCheck) claim(pos token.Pos, name, what string) {
	if prev := c.taken[name]; prev != "" {
		c.errorf(pos, "%s and %s would have the same name %s in PTX: rename one of them", prev, what, name)
	}
	c.taken[name] = what
}

// refuseName says why a launcher cannot name the type of a field.
func (c *signatureCheck) refuseName(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if o := t.Obj(); o.Pkg() != nil && o.Pkg() != c.checked[c.src.Path].types && !o.Exported() {
			return fmt.Sprintf("its type %s.%s is not exported, and the launcher needs to name it", o.Pkg().Name(), o.Name())
		}
		for arg := range t.TypeArgs().Types() {
			if why := c.refuseName(arg); why != "" {
				return why
			}
		}
	case *types.Slice:
		return c.refuseName(t.Elem())
	case *types.Array:
		return c.refuseName(t.Elem())
	}
	return ""
}

// refuseParam says why a part of a kernel's parameter cannot have a type; "" if it can.
func refuseParam(t types.Type) string {
	if invalid(t) {
		return ""
	}
	if s, ok := t.Underlying().(*types.Slice); ok {
		if why := refusePlain(s.Elem()); why != "" {
			return "its elements cannot be passed: " + why
		}
		if why := RefuseSize(s.Elem()); why != "" {
			return why
		}
		if !invalid(s.Elem()) && Sizes.Sizeof(s.Elem()) == 0 {
			return "its elements have no size"
		}
		return ""
	}
	if IsTensorMap(t) {
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
	if IsTensorMap(t) {
		return "a slice of tensor maps cannot be passed: pass a struct or an array that holds them"
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
		return "a slice of slices cannot be passed: pass one slice and compute the index, or a struct or array that " +
			"holds the slices"
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
