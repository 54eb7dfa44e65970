package vet

import (
	"go/constant"
	"iter"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi"
)

const (
	hostPath = "github.com/gridstride/gridstride"
	gpuPath  = hostPath + "/gpu"
)

// calls are the calls in a function, in order of its blocks.
func calls(fn *ssa.Function) iter.Seq[ssa.CallInstruction] {
	return func(yield func(ssa.CallInstruction) bool) {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if call, ok := in.(ssa.CallInstruction); ok && !yield(call) {
					return
				}
			}
		}
	}
}

// gpuFunc is the function of package gpu that a call calls, nil for other calls.
func gpuFunc(call *ssa.CallCommon) *abi.Intrinsic {
	fn := call.StaticCallee()
	if fn == nil {
		return nil
	}
	obj := origin(fn).Object()
	if obj == nil || obj.Pkg() == nil || obj.Pkg().Path() != gpuPath {
		return nil
	}
	return abi.FindIntrinsic(obj.Name())
}

// isShared reports whether a call is one of gpu.Shared, which makes a variable.
func isShared(call *ssa.CallCommon) bool {
	in := gpuFunc(call)
	return in != nil && in.Name == "Shared"
}

// isAtomic reports whether a call is one of an atomic, on what its first argument points to.
func isAtomic(call *ssa.CallCommon) bool {
	in := gpuFunc(call)
	return in != nil && in.Group == abi.Atomics
}

// origin is the generic function of an instance, or the function itself.
func origin(fn *ssa.Function) *ssa.Function {
	if o := fn.Origin(); o != nil {
		return o
	}
	return fn
}

// register is the special register that an address is of: "ThreadIdx" and its field X, Y or Z,
// which is "" for all of it.
func register(addr ssa.Value) (name, field string) {
	if f, ok := addr.(*ssa.FieldAddr); ok {
		name, _ = register(f.X)
		return name, []string{"X", "Y", "Z"}[min(f.Field, 2)]
	}
	if g, ok := addr.(*ssa.Global); ok && g.Pkg.Pkg.Path() == gpuPath && abi.FindRegister(g.Name()) != nil {
		return g.Name(), ""
	}
	return "", ""
}

// isFullMask reports whether a mask is the constant that names all lanes.
func isFullMask(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return false
	}
	mask, exact := constant.Uint64Val(c.Value)
	return exact && mask == 0xffffffff
}

// gpuResult says between which threads the result of a function of package gpu differs.
func gpuResult(in *abi.Intrinsic, args []Dependence) Dependence {
	switch in.Result {
	case abi.Uniform:
		return Dependence{}
	case abi.ByBlock:
		return Dependence{Own: PerBlock}
	case abi.ByLane:
		return Dependence{Own: PerLane}
	case abi.ByWarp:
		return Dependence{Own: PerWarp}
	case abi.ByThread:
		return Dependence{Own: PerLane | PerWarp}
	case abi.OfWarp:
		return anyOf(args).ofWarp()
	case abi.AsBroadcast:
		mask, v, lane := args[0], args[1], args[2]
		if lane.variesInWarp() && v.variesInWarp() {
			return mask.ofWarp().or(v).or(lane)
		}
		return mask.ofWarp().or(v.ofWarp()).or(lane.ofWarp())
	case abi.AsValue:
		return args[1]
	}
	return anyOf(args)
}

// anyOf is the dependence of what is computed from several values.
func anyOf(args []Dependence) (all Dependence) {
	for _, a := range args {
		all = all.or(a)
	}
	return all
}
