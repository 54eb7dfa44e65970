package vet

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/abi/directive"
)

// uniformity is the divergence analysis of one function: the dependences of its values, and of
// whether each of its blocks runs.
type uniformity struct {
	*flow
	fn     *ssa.Function
	kernel *directive.Kernel // nil for a device function
	sums   *summaries

	values  map[ssa.Value]parts
	tuples  map[ssa.Value][]parts // the results of calls with several
	blocks  []Dependence
	stores  map[int]Dependence // writes through parameters, by the number of the part
	changed bool
}

// newUniformity analyses a function. The result is the least solution: a walk over the blocks is
// repeated until nothing changes.
func newUniformity(fn *ssa.Function, k *directive.Kernel, sums *summaries) *uniformity {
	u := &uniformity{
		flow: newFlow(fn, k != nil), fn: fn, kernel: k, sums: sums,
		values: map[ssa.Value]parts{}, tuples: map[ssa.Value][]parts{}, blocks: make([]Dependence, len(fn.Blocks)),
		stores: map[int]Dependence{},
	}
	if k == nil { // the arguments of a kernel are the same for all threads
		number := 0
		for _, p := range parameters(fn) {
			for range partCount(p.Type()) {
				u.values[p] = append(u.values[p], parameter(number))
				number++
			}
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

// parameters are the parameters of a function, and the variables that a function literal shares
// with the function around it.
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
			u.write(in.Addr, u.parts(in.Val).plus(u.address(in.Addr).or(control)))
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
		return u.of(branch.Cond)
	}
	return Dependence{}
}

// parts are the parts of a value, as far as they are known.
func (u *uniformity) parts(v ssa.Value) parts {
	if p := u.values[v]; p != nil {
		return p
	}
	return make(parts, partCount(v.Type()))
}

// of is the dependence of a value as a whole.
func (u *uniformity) of(v ssa.Value) Dependence { return u.values[v].whole() }

// set adds to what is known of a value.
func (u *uniformity) set(v ssa.Value, p parts) {
	old := u.parts(v)
	if sum := old.or(p.fit(len(old))); !slices.Equal(sum, old) {
		u.values[v] = sum
		u.changed = true
	}
}

// merge is the dependence of a phi. It differs where an incoming value differs. It also differs
// where threads take different ways to it, by a branch that differs, and the ways bring different
// values.
func (u *uniformity) merge(phi *ssa.Phi) parts {
	sum := u.parts(phi)
	for _, v := range phi.Edges {
		sum = sum.or(u.parts(v).fit(len(sum)))
	}
	for _, j := range u.joins[phi.Block().Index] {
		other := func(i int) bool { return !sameValue(phi.Edges[i], phi.Edges[j.edges[0]]) }
		if j.rounds || slices.ContainsFunc(j.edges, other) {
			sum = sum.plus(u.branch(j.branch))
		}
	}
	return sum
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

// value is the dependence of an instruction: what differs in an operand differs in the result. The
// dependence of an address covers the memory there as well: write adds what is stored in a
// variable.
func (u *uniformity) value(v ssa.Value) parts {
	n := partCount(v.Type())
	switch v := v.(type) {
	case *ssa.FieldAddr:
		if name, field := register(v); name != "" {
			return alike(u.register(name, field), n)
		}
		return alike(u.parts(v.X).field(v.Field), n)
	case *ssa.Field:
		return alike(u.parts(v.X).field(v.Field), n)
	case *ssa.UnOp:
		if name, field := register(v.X); name != "" && field == "" {
			return alike(u.register(name, field), n)
		}
		return u.parts(v.X).fit(n)
	case *ssa.ChangeType:
		return u.parts(v.X).fit(n)
	case *ssa.BinOp:
		if u.clusterWide(v) {
			return parts{Dependence{Own: PerCluster}}
		}
		if d, ok := u.blockWide(v); ok {
			return parts{d}
		}
		if d, ok := u.warpWide(v); ok {
			return parts{d}
		}
	case *ssa.Extract:
		if t := u.tuples[v.Tuple]; t != nil {
			return t[v.Index].fit(n)
		}
	}
	var d Dependence
	for _, operand := range v.(ssa.Instruction).Operands(nil) {
		if *operand != nil {
			d = d.or(u.of(*operand))
		}
	}
	return alike(d, n)
}

// register is the dependence of a field of a special register, or of all of it.
func (u *uniformity) register(name, field string) Dependence {
	result := abi.FindRegister(name).Result
	switch {
	case result == abi.Uniform:
		return Dependence{}
	case result == abi.ByCluster:
		return Dependence{Own: PerCluster}
	case result == abi.ByBlock:
		return Dependence{Own: PerBlock}
	case field == "Y" || field == "Z":
		// Such kernels have rows of whole warps, or else the directive says that they do not.
		if u.kernel == nil || u.kernel.Block[0]%warpSize == 0 {
			return Dependence{Own: PerWarp}
		}
	}
	return Dependence{Own: PerLane | PerWarp}
}
