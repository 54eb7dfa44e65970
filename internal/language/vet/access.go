package vet

import (
	"go/ast"
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// Launches is the fact about the Launch method of a kernel's launcher: the kernel's uses of its
// parameters.
type Launches struct {
	Kernel string
	Params []Param
	// Waits says that the kernel has a barrier. In a launch of one block, everything before the
	// barrier happens before everything after it.
	Waits bool
}

// AFact marks a Launches as a fact.
func (*Launches) AFact() {}

// Param is a kernel's use of a parameter.
type Param struct {
	Name          string
	Reads, Writes []Element
	// Unclear says that the kernel hands the parameter on to code that is not followed.
	Unclear bool
}

// Element is an element that a thread accesses: its index as a polynomial, in words, and its text
// as the author wrote it, "x[i-1]".
type Element struct{ Index, Text string }

// findLaunches is the prerequisite that finds out what kernels do with their parameters, and where
// they are launched. Its result is nil where deviceCode's is.
var findLaunches = &analysis.Analyzer{
	Name:       "devicelaunches",
	Doc:        "find launches, and the elements of its parameters that a kernel reads and writes",
	Requires:   []*analysis.Analyzer{summarize},
	FactTypes:  []analysis.Fact{new(Launches)},
	ResultType: reflect.TypeFor[[]launch](),
	Run: func(pass *analysis.Pass) (any, error) {
		s := pass.ResultOf[summarize].(*summaries)
		if s == nil {
			return []launch(nil), nil
		}
		for fn := range s.kernels {
			if method := launchMethod(pass.Pkg, fn.Name()); method != nil {
				pass.ExportObjectFact(method, s.launches(fn))
			}
		}
		return s.launchCalls(pass), nil
	},
}

// launch is a call of the Launch method of a kernel's launcher.
type launch struct {
	kernel *Launches
	fn     *ssa.Function // that calls it
	call   ssa.CallInstruction
}

// firstArg is the number of the first argument of the kernel in a call of Launch, after the
// receiver, the stream and the configuration.
const firstArg = 3

func (s *summaries) launchCalls(pass *analysis.Pass) []launch {
	var list []launch
	for _, fn := range slices.Concat(s.funcs, s.hosts) {
		for call := range calls(fn) {
			callee := call.Common().StaticCallee()
			if callee == nil || callee.Name() != "Launch" || origin(callee).Object() == nil {
				continue
			}
			obj := origin(callee).Object()
			if obj.Pkg().Path() == pass.Pkg.Path() {
				obj = s.object(origin(callee))
			}
			kernel := new(Launches)
			if pass.ImportObjectFact(obj, kernel) && len(call.Common().Args) == firstArg+len(kernel.Params) {
				list = append(list, launch{kernel, fn, call})
			}
		}
	}
	return list
}

// launchMethod finds the method that gridstride build made to launch a kernel. It is nil if
// gridstride build was not run.
func launchMethod(pkg *types.Package, kernel string) *types.Func {
	name, ok := pkg.Scope().Lookup(kernel + "Kernel").(*types.TypeName)
	if !ok {
		return nil
	}
	method, _, _ := types.LookupFieldOrMethod(types.NewPointer(name.Type()), true, pkg, "Launch")
	launch, _ := method.(*types.Func)
	if launch == nil || launch.Pkg() != pkg {
		return nil
	}
	return launch
}

// launches looks at a kernel.
func (s *summaries) launches(fn *ssa.Function) *Launches {
	l := &Launches{Kernel: fn.Name()}
	for _, p := range fn.Params {
		c := &accesses{device: s.device, polys: &polys{map[ssa.Value]poly{}}, param: Param{Name: p.Name()}}
		c.slice(p, poly{})
		l.Params = append(l.Params, c.param)
	}
	isBarrier := func(e Effect) bool { return e.Kind == Barrier }
	for call := range calls(fn) {
		l.Waits = l.Waits || slices.ContainsFunc(s.callEffects(s.flows[fn], call), isBarrier)
	}
	return l
}

// accesses collects the accesses to one parameter.
type accesses struct {
	*device
	polys *polys
	param Param
}

// slice follows a slice of the parameter that begins at an element of it.
func (c *accesses) slice(v ssa.Value, at poly) {
	if _, ok := v.Type().Underlying().(*types.Slice); !ok {
		return // a number is no memory
	}
	for _, in := range *v.Referrers() {
		switch in := in.(type) {
		case *ssa.DebugRef:
		case *ssa.IndexAddr:
			c.element(in, Element{at.plus(c.polys.of(in.Index), 1).String(), c.textAt(in)})
		case *ssa.Slice:
			low := poly{}
			if in.Low != nil {
				low = c.polys.of(in.Low)
			}
			c.slice(in, at.plus(low, 1))
		case *ssa.Call:
			b, ok := in.Call.Value.(*ssa.Builtin)
			c.param.Unclear = c.param.Unclear || !ok || b.Name() != "len" && b.Name() != "cap"
		default:
			c.param.Unclear = true
		}
	}
}

// element follows the address of an element, or of a part of it.
func (c *accesses) element(addr ssa.Value, e Element) {
	for _, in := range *addr.Referrers() {
		switch in := in.(type) {
		case *ssa.DebugRef:
		case *ssa.FieldAddr, *ssa.IndexAddr:
			c.element(in.(ssa.Value), e)
		case *ssa.UnOp:
			c.param.Reads = append(c.param.Reads, e)
		case *ssa.Store:
			if in.Addr != addr {
				c.param.Unclear = true
				continue
			}
			c.param.Writes = append(c.param.Writes, e)
		case *ssa.Call:
			if !isAtomic(&in.Call) {
				c.param.Unclear = true
				continue
			}
			name := gpuFunc(&in.Call).Name
			if name != "AtomicStore" {
				c.param.Reads = append(c.param.Reads, e)
			}
			if name != "AtomicLoad" {
				c.param.Writes = append(c.param.Writes, e)
			}
		default:
			c.param.Unclear = true
		}
	}
}

// textAt is the source text of an element, or "" if a loop accesses it without naming it.
func (d *device) textAt(at *ssa.IndexAddr) string {
	if !at.Pos().IsValid() {
		return ""
	}
	for _, n := range enclosing(at.Parent().Syntax(), at.Pos()) {
		if x, ok := n.(*ast.IndexExpr); ok && x.Lbrack == at.Pos() {
			return d.text(x)
		}
	}
	return ""
}
