package vet

import (
	"go/constant"
	"iter"
	"strings"

	"golang.org/x/tools/go/ssa"
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

// gpuFunc is the name of the function of package gpu that a call calls, "" for other calls.
func gpuFunc(call *ssa.CallCommon) string {
	fn := call.StaticCallee()
	if fn == nil {
		return ""
	}
	obj := origin(fn).Object()
	if obj == nil || obj.Pkg() == nil || obj.Pkg().Path() != gpuPath {
		return ""
	}
	return obj.Name()
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
	if g, ok := addr.(*ssa.Global); ok && g.Pkg.Pkg.Path() == gpuPath {
		return g.Name(), ""
	}
	return "", ""
}

// isWarpOp reports whether a function of package gpu is one that all lanes of its mask, the first
// argument, must call together.
func isWarpOp(name string) bool { return strings.HasSuffix(name, "Sync") || name == "SyncWarp" }

// isFullMask reports whether a mask is the constant that names all lanes.
func isFullMask(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return false
	}
	mask, exact := constant.Uint64Val(c.Value)
	return exact && mask == 0xffffffff
}

// gpuResult is how the result of a function of package gpu depends on the threads.
func gpuResult(name string, args []Dependence) Dependence {
	switch name {
	case "LaneID":
		return Dependence{Own: PerLane}
	case "WarpID", "ActiveMask":
		return Dependence{Own: PerWarp}
	case "Shared", "DynamicShared":
		return Dependence{}
	case "BallotSync", "AnySync", "AllSync":
		return args[0].or(args[1]).ofWarp()
	case "ShflSync":
		mask, v, lane := args[0], args[1], args[2]
		if lane.variesInWarp() && v.variesInWarp() {
			return mask.ofWarp().or(v).or(lane)
		}
		return mask.ofWarp().or(v.ofWarp()).or(lane.ofWarp())
	case "ShflUpSync", "ShflDownSync", "ShflXorSync":
		return args[1]
	}
	if strings.HasPrefix(name, "Atomic") { // each thread finds what the one before it left
		return Dependence{Own: PerLane | PerWarp}
	}
	var all Dependence
	for _, a := range args {
		all = all.or(a)
	}
	return all
}
