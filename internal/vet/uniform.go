package vet

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// uniformity is the divergence analysis of one function: the dependence of each of its values, and of whether each of its blocks runs.
type uniformity struct {
	*flow
	fn     *ssa.Function
	kernel *kernel // nil for a device function
	sums   *summaries

	values map[ssa.Value]Dependence
	// tuples are the results of calls with several.
	tuples map[ssa.Value][]Dependence
	blocks []Dependence
	// stores are what the function writes through its parameters, by number.
	stores  []Dependence
	changed bool
}

// newUniformity analyses a function, as the least solution that a walk over its blocks until nothing changes finds.
func newUniformity(fn *ssa.Function, k *kernel, sums *summaries) *uniformity {
	u := &uniformity{
		flow: newFlow(fn, k != nil), fn: fn, kernel: k, sums: sums,
		values: map[ssa.Value]Dependence{}, tuples: map[ssa.Value][]Dependence{}, blocks: make([]Dependence, len(fn.Blocks)),
	}
	if k == nil { // the arguments of a kernel are the same for all threads
		for i, p := range parameters(fn) {
			u.values[p] = parameter(i)
		}
	}
	for u.changed = true; u.changed; {
		u.changed = false
		for _, b := range fn.Blocks {
			u.block(b)
		}
	}
	return u
}

// parameters are the parameters of a function, and the variables that a function literal shares with the function around it.
func parameters(fn *ssa.Function) []ssa.Value {
	var list []ssa.Value
	for _, p := range fn.Params {
		list = append(list, p)
	}
	for _, v := range fn.FreeVars {
		list = append(list, v)
	}
	return list
}

func (u *uniformity) block(b *ssa.BasicBlock) {
	var control Dependence
	for _, c := range u.controls[b.Index] {
		control = control.or(u.branch(c)).or(u.blocks[c.Index])
	}
	if control != u.blocks[b.Index] {
		u.blocks[b.Index] = control
		u.changed = true
	}
	for _, in := range b.Instrs {
		switch in := in.(type) {
		case *ssa.Store:
			u.write(in.Addr, u.values[in.Addr].or(u.values[in.Val]).or(control))
		case *ssa.Phi:
			u.set(in, u.merge(in))
		case ssa.CallInstruction:
			u.call(in, control)
		case ssa.Value:
			u.set(in, u.value(in))
		}
	}
}

// branch is the dependence of the condition at a block's end.
func (u *uniformity) branch(b *ssa.BasicBlock) Dependence {
	if branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
		return u.values[branch.Cond]
	}
	return Dependence{}
}

func (u *uniformity) set(v ssa.Value, d Dependence) {
	if d = d.or(u.values[v]); d != u.values[v] {
		u.values[v] = d
		u.changed = true
	}
}

// merge is what a value is that comes from one of several blocks: different where one of those is, and where a branch that is
// different for the threads has it come by one way or by another with another value.
func (u *uniformity) merge(phi *ssa.Phi) Dependence {
	var d Dependence
	for _, v := range phi.Edges {
		d = d.or(u.values[v])
	}
	for _, j := range u.joins[phi.Block().Index] {
		other := func(i int) bool { return !sameValue(phi.Edges[i], phi.Edges[j.edges[0]]) }
		if j.rounds || slices.ContainsFunc(j.edges, other) {
			d = d.or(u.branch(j.branch))
		}
	}
	return d
}

// sameValue reports whether two values are one, or equal constants.
func sameValue(v, w ssa.Value) bool {
	x, ok := v.(*ssa.Const)
	y, ok2 := w.(*ssa.Const)
	if ok && ok2 && x.Value != nil && y.Value != nil {
		return types.Identical(x.Type(), y.Type()) && constant.Compare(x.Value, token.EQL, y.Value)
	}
	return v == w
}

// value is what an instruction makes of its operands: what differs in one of them differs in it. The value of an address stands for
// the memory there as well: what is stored in a variable is added to it (write).
func (u *uniformity) value(v ssa.Value) Dependence {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		if name, field := register(v); name != "" {
			return u.register(name, field)
		}
	case *ssa.UnOp:
		if name, _ := register(v.X); v.Op == token.MUL && name != "" {
			_, field := register(v.X)
			return u.register(name, field)
		}
	case *ssa.BinOp:
		if d, ok := u.warpWide(v); ok {
			return d
		}
	case *ssa.Extract:
		if t := u.tuples[v.Tuple]; t != nil {
			return t[v.Index]
		}
	}
	var d Dependence
	for _, operand := range v.(ssa.Instruction).Operands(nil) {
		if *operand != nil {
			d = d.or(u.values[*operand])
		}
	}
	return d
}

// register is the dependence of a field of a special register, or of all of it.
func (u *uniformity) register(name, field string) Dependence {
	switch {
	case name != "ThreadIdx":
		return Dependence{}
	case field == "Y" || field == "Z":
		// Such kernels have rows of whole warps, or else the directive says that they do not.
		if u.kernel == nil || u.kernel.block[0]%warpSize == 0 {
			return Dependence{Own: PerWarp}
		}
	}
	return Dependence{Own: PerLane | PerWarp}
}

// write adds to a variable what is stored in it, or in a part of it.
func (u *uniformity) write(addr ssa.Value, d Dependence) {
	switch root := rootOf(addr).(type) {
	case *ssa.Alloc:
		u.set(root, d)
	case *ssa.Parameter, *ssa.FreeVar:
		if u.stores == nil {
			u.stores = make([]Dependence, len(parameters(u.fn)))
		}
		i := slices.Index(parameters(u.fn), root)
		if sum := u.stores[i].or(d); sum != u.stores[i] {
			u.stores[i] = sum
			u.changed = true
		}
		if _, shared := root.(*ssa.FreeVar); shared {
			u.set(root, d)
		}
	}
}

// rootOf is what an address, or a slice, is part of.
func rootOf(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		case *ssa.Slice:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.Convert:
			v = x.X
		case *ssa.SliceToArrayPointer:
			v = x.X
		default:
			return v
		}
	}
}

// call looks at a call: its results, and what it writes through its arguments.
func (u *uniformity) call(in ssa.CallInstruction, control Dependence) {
	call := in.Common()
	args := u.arguments(call)
	var all Dependence
	for _, a := range args {
		all = all.or(a)
	}
	results := []Dependence{all.or(u.values[call.Value])} // of a function that nothing is known of
	if name := gpuFunc(call); name != "" {
		results = []Dependence{gpuResult(name, args)}
	} else if sum := u.sums.of(call.StaticCallee()); sum != nil {
		results = nil
		for _, r := range sum.Results {
			results = append(results, r.with(args))
		}
		for i, d := range sum.Stores {
			if values := operandsOf(call); i < len(values) {
				u.write(values[i], d.with(args).or(control))
			}
		}
	} else if b, ok := call.Value.(*ssa.Builtin); ok && b.Name() == "copy" {
		u.write(call.Args[0], all.or(control))
	}
	v := in.Value()
	if v == nil {
		return
	}
	if len(results) > 1 && !slices.Equal(u.tuples[v], results) {
		u.tuples[v] = results
		u.changed = true
	}
	for _, r := range results {
		u.set(v, r)
	}
}

// operandsOf are the arguments of a call, and the variables shared with a function literal that is called.
func operandsOf(call *ssa.CallCommon) []ssa.Value {
	if literal, ok := call.Value.(*ssa.MakeClosure); ok {
		return append(slices.Clone(call.Args), literal.Bindings...)
	}
	return call.Args
}

func (u *uniformity) arguments(call *ssa.CallCommon) []Dependence {
	var args []Dependence
	for _, v := range operandsOf(call) {
		args = append(args, u.values[v])
	}
	return args
}
