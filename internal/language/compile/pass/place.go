package pass

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Place decides which constant data of the kernels of a module goes to constant memory, which has
// room for limit bytes: the smallest first. The rest goes to global memory. It runs after the
// passes of List, which drop what is folded away.
func Place(kernels []*ir.Func, limit int64) {
	type datum struct {
		size  int64
		users []*ir.Func
		vars  []*ir.Var
	}
	byData := map[string]*datum{}
	var all []*datum
	for _, f := range kernels {
		for _, v := range constantsOf(f) {
			key := dataKey(v)
			d := byData[key]
			if d == nil {
				d = &datum{size: (v.Size + 15) &^ 15}
				byData[key] = d
				all = append(all, d)
			}
			d.users, d.vars = append(d.users, f), append(d.vars, v)
		}
	}
	slices.SortStableFunc(all, func(a, b *datum) int { return cmp.Compare(a.size, b.size) })
	moved := map[*ir.Func]bool{}
	for _, d := range all {
		if limit -= d.size; limit >= 0 {
			continue
		}
		for i, v := range d.vars {
			v.Space = ir.Global
			moved[d.users[i]] = true
		}
	}
	for f := range moved {
		Spaces(f)
	}
}

// dataKey is the same for variables of equal data, which emission declares once.
func dataKey(v *ir.Var) string {
	refs := map[int64]string{}
	for _, r := range v.Refs {
		refs[r.Off] = dataKey(r.Var)
	}
	return fmt.Sprint(v.Align, v.Elem, refs, string(v.Init))
}

// constantsOf are the variables in constant memory whose addresses a kernel takes, and the
// variables whose addresses are in these.
func constantsOf(f *ir.Func) []*ir.Var {
	var vars []*ir.Var
	var add func(v *ir.Var)
	add = func(v *ir.Var) {
		if v.Space == ir.Constant && !slices.Contains(vars, v) {
			vars = append(vars, v)
			for _, r := range v.Refs {
				add(r.Var)
			}
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Instrs {
			if v.Op == ir.VarAddr {
				add(v.Var)
			}
		}
	}
	return vars
}
