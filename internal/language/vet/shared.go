package vet

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/abi/directive"
)

// SharedAnalyzer finds shared memory that is of no use, and too much of it.
var SharedAnalyzer = &analysis.Analyzer{
	Name: "shared",
	Doc: `find shared memory that nobody uses, and more than a block can have

A variable of gpu.Shared that is never read costs a block shared memory for nothing, and one that is
never written holds nothing. All variables of a kernel and of the functions it calls take at most
227 KB together, with what a launch adds for gpu.DynamicShared, on the GPUs that have most.`,
	Requires:   []*analysis.Analyzer{summarize},
	ResultType: usedCommentsType,
	Run: func(pass *analysis.Pass) (any, error) {
		r := &reporter{pass: pass}
		s := pass.ResultOf[summarize].(*summaries)
		if s == nil {
			return r.used, nil
		}
		for _, fn := range s.funcs {
			for in := range calls(fn) {
				if call, ok := in.(*ssa.Call); ok && isShared(&call.Call) {
					r.unused(call)
				}
			}
			if k := s.kernels[fn]; k != nil {
				r.tooLarge(fn, k, s.of(fn).Shared)
			}
		}
		for _, fn := range slices.Concat(s.funcs, s.hosts) {
			r.tooDynamic(fn)
		}
		return r.used, nil
	},
}

// limits are the largest of all devices.
var limits = abi.AnyLimits()

// deviceSizes are the sizes of types on the device, whatever the host is.
var deviceSizes = types.SizesFor(abi.SizesCompiler, abi.SizesArch)

// use is the use of a shared variable.
type use uint8

const (
	reads use = 1 << iota
	writes
)

// unused reports a variable that is not both read and written.
func (r *reporter) unused(call *ssa.Call) {
	at := start(call.Parent(), call)
	switch usesOf(call, map[ssa.Value]bool{}) {
	case 0:
		r.report(at, "this shared memory is not used: remove it")
	case writes:
		r.report(at, "this shared memory is written and never read: remove it, or read what the threads left there")
	case reads:
		r.report(at, "this shared memory is read and never written: it holds nothing before a thread of the block "+
			"writes to it")
	}
}

// usesOf follows the address of a variable, or of a part of it, as far as its use is clear. If it
// is not clear, the variable counts as read and written.
func usesOf(v ssa.Value, seen map[ssa.Value]bool) use {
	if seen[v] {
		return 0
	}
	seen[v] = true
	var all use
	for _, in := range *v.Referrers() {
		switch in := in.(type) {
		case *ssa.DebugRef:
		case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice, *ssa.ChangeType, *ssa.Phi, *ssa.SliceToArrayPointer:
			if x, ok := in.(*ssa.IndexAddr); ok && x.Index == v {
				all |= reads
				continue
			}
			all |= usesOf(in.(ssa.Value), seen)
		case *ssa.UnOp:
			all |= reads
		case *ssa.Store:
			if in.Val == v {
				return reads | writes
			}
			all |= writes
		case *ssa.Call:
			all |= usedByCall(v, in)
		default:
			return reads | writes
		}
	}
	return all
}

func usedByCall(v ssa.Value, in *ssa.Call) use {
	if b, ok := in.Call.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "len", "cap":
			return 0
		case "clear":
			return writes
		case "copy":
			if in.Call.Args[1] == v {
				return reads
			}
			return writes
		}
	}
	isUsed := func(in ssa.Instruction) bool { _, debug := in.(*ssa.DebugRef); return !debug }
	if isAtomic(&in.Call) && !slices.ContainsFunc(*in.Referrers(), isUsed) {
		return writes
	}
	return reads | writes
}

// Shared is a variable in shared memory of a function or of one that it calls. Its size is Bytes
// and, for each of the function's type parameters, Count times the size of the type.
type Shared struct {
	ID    string // its position and, in a generic function, the type arguments: each instance has its own
	Bytes int64
	Count []int64
}

// shared collects the variables that a function needs.
func (s *summaries) shared(fn *ssa.Function) []Shared {
	var list []Shared
	add := func(v Shared) {
		if !slices.ContainsFunc(list, func(w Shared) bool { return w.ID == v.ID }) {
			list = append(list, v)
		}
	}
	for call := range calls(fn) {
		callee := call.Common().StaticCallee()
		if isShared(call.Common()) {
			v := Shared{Count: make([]int64, len(typeParams(fn)))}
			v.add(callee.TypeArgs()[0], 1, typeParams(fn))
			v.ID = fmt.Sprintf("%s %s%s", fn.Pkg.Pkg.Path(), s.fset.Position(call.Pos()), names(typeParams(fn)))
			add(v)
		} else if sum := s.of(callee); sum != nil && callee.Parent() == nil {
			for _, v := range sum.Shared {
				add(v.with(callee.TypeArgs(), typeParams(fn)))
			}
		}
	}
	for _, literal := range fn.AnonFuncs {
		if sum := s.of(literal); sum != nil {
			for _, v := range sum.Shared {
				add(v)
			}
		}
	}
	return list
}

// typeParams are the type parameters in a function, including the type parameters of the function
// around a literal and of a method's receiver.
func typeParams(fn *ssa.Function) []*types.TypeParam {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	fn = origin(fn)
	var list []*types.TypeParam
	for _, l := range []*types.TypeParamList{fn.Signature.RecvTypeParams(), fn.Signature.TypeParams()} {
		for p := range l.TypeParams() {
			list = append(list, p)
		}
	}
	return list
}

// names are the type parameters by number, as in an ID until their types are known.
func names(params []*types.TypeParam) string {
	var b strings.Builder
	for i := range params {
		fmt.Fprintf(&b, " [%d]", i)
	}
	return b.String()
}

// add adds n values of a type. It ignores padding between fields of types that are not known yet.
func (v *Shared) add(t types.Type, n int64, params []*types.TypeParam) {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		if i := slices.Index(params, p); i >= 0 {
			v.Count[i] += n
		}
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		v.add(u.Elem(), n*u.Len(), params)
	case *types.Struct:
		if !hasTypeParam(t) {
			v.Bytes += n * deviceSizes.Sizeof(t)
			return
		}
		for f := range u.Fields() {
			v.add(f.Type(), n, params)
		}
	default:
		v.Bytes += n * deviceSizes.Sizeof(t)
	}
}

func hasTypeParam(t types.Type) bool {
	switch u := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		return slices.ContainsFunc(slices.Collect(u.TypeArgs().Types()), hasTypeParam) || hasTypeParam(u.Underlying())
	case *types.Array:
		return hasTypeParam(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if hasTypeParam(f.Type()) {
				return true
			}
		}
	}
	return false
}

// with is the variable of an instance, seen from a function with other type parameters.
func (v Shared) with(args []types.Type, params []*types.TypeParam) Shared {
	w := Shared{Bytes: v.Bytes, Count: make([]int64, len(params))}
	var renamed []string
	for i, arg := range args {
		renamed = append(renamed, fmt.Sprintf("[%d]", i), "["+argName(arg, params)+"]")
		if n := v.Count[i]; n > 0 {
			w.add(arg, n, params)
		}
	}
	w.ID = strings.NewReplacer(renamed...).Replace(v.ID)
	return w
}

func argName(t types.Type, params []*types.TypeParam) string {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		return fmt.Sprint(slices.Index(params, p))
	}
	return t.String()
}

// tooLarge looks at the largest instance of a kernel: for each type parameter it takes the largest
// of the types that the directive lists.
func (r *reporter) tooLarge(fn *ssa.Function, k *directive.Kernel, shared []Shared) {
	var sizes []int64
	instance := ""
	for _, p := range typeParams(fn) {
		name, size := largest(r.pass, fn.Pos(), k.TypesOf(p.Obj().Name()))
		sizes = append(sizes, size)
		instance += ", " + name
	}
	var total int64
	for _, v := range shared {
		total += v.Bytes
		for i, n := range v.Count {
			total += n * sizes[i]
		}
	}
	if total > int64(limits.Shared) {
		r.report(fn.Pos(), "kernel %s declares %d bytes of shared memory%s: no block has more than %d",
			fn.Name(), total, strings.Replace(instance, ", ", " for ", 1), limits.Shared)
	}
}

// largest is the largest of some types, by name, and its size. A type that does not exist has no
// size. The compiler reports it.
func largest(pass *analysis.Pass, pos token.Pos, names []string) (largest string, size int64) {
	for _, name := range names {
		tv, err := types.Eval(pass.Fset, pass.Pkg, pos, name)
		if err == nil && tv.IsType() && deviceSizes.Sizeof(tv.Type) > size {
			largest, size = name, deviceSizes.Sizeof(tv.Type)
		}
	}
	return largest, size
}

// tooDynamic finds launches with more dynamic shared memory than any block can have:
// cfg.Shared(300000).
func (r *reporter) tooDynamic(fn *ssa.Function) {
	for in := range calls(fn) {
		call := in.Common()
		if callee := call.StaticCallee(); callee == nil || callee.RelString(nil) != "("+hostPath+".Config).Shared" {
			continue
		}
		if n, known := constInt(call.Args[1]); known && n > int64(limits.Shared) {
			r.report(start(fn, in), "a launch with %d bytes of shared memory: no block has more than %d", n,
				limits.Shared)
		}
	}
}
