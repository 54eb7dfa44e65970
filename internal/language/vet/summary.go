package vet

import (
	"maps"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// Summary is the fact about a function: what a caller must know of it, in terms of its parameters.
type Summary struct {
	Results []Dependence // of the parts of the results, in order
	Stores  []Store
	Effects []Effect
	Shared  []Shared
}

// Store is a function's write through a part of a parameter.
type Store struct {
	Part int // by number, as in a Dependence
	Dependence
}

// AFact marks a Summary as a fact.
func (*Summary) AFact() {}

// summarize is the prerequisite that analyses the functions of a package, callees first. Its result
// is nil where deviceCode's is.
var summarize = &analysis.Analyzer{
	Name:       "devicesummaries",
	Doc:        "summarize device functions for their callers",
	Requires:   []*analysis.Analyzer{deviceCode},
	FactTypes:  []analysis.Fact{new(Summary)},
	ResultType: reflect.TypeFor[*summaries](),
	Run: func(pass *analysis.Pass) (any, error) {
		d := pass.ResultOf[deviceCode].(*device)
		if d == nil {
			return (*summaries)(nil), nil
		}
		s := &summaries{device: d, pass: pass, known: map[*ssa.Function]*Summary{},
			flows: map[*ssa.Function]*uniformity{}}
		for _, fn := range d.funcs {
			sum := s.of(fn)
			if obj := d.object(fn); obj != nil && !sum.empty() {
				pass.ExportObjectFact(obj, sum)
			}
		}
		return s, nil
	},
}

// summaries are the summaries of a package's functions, and of the functions of others that they
// call.
type summaries struct {
	*device
	pass  *analysis.Pass
	known map[*ssa.Function]*Summary // nil while a function is analysed: kernels have no recursion
	flows map[*ssa.Function]*uniformity
	found []divergence
}

// of is the summary of a function. It is nil when nothing is known of the function: then its
// results depend on its arguments, and it brings no threads together.
func (s *summaries) of(fn *ssa.Function) *Summary {
	if fn == nil {
		return nil
	}
	fn = origin(fn)
	if sum, ok := s.known[fn]; ok {
		return sum
	}
	s.known[fn] = nil
	if len(fn.Blocks) == 0 {
		imported := new(Summary)
		if obj := fn.Object(); obj != nil && s.pass.ImportObjectFact(obj, imported) {
			s.known[fn] = imported
		}
		return s.known[fn]
	}
	u := newUniformity(fn, s.kernels[fn], s)
	s.flows[fn] = u
	s.known[fn] = &Summary{Results: u.returned(), Stores: u.written(), Effects: s.effects(u), Shared: s.shared(fn)}
	return s.known[fn]
}

// empty reports whether there is nothing to say of a function.
func (sum *Summary) empty() bool {
	return len(sum.Results) == 0 && len(sum.Stores) == 0 && len(sum.Effects) == 0 && len(sum.Shared) == 0
}

// returned are the dependences of a function's results. Where a function returns different values
// at different returns, a result also tells which way the thread came.
func (u *uniformity) returned() []Dependence {
	var ways Dependence
	var returns []*ssa.Return
	for _, b := range u.fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			returns = append(returns, ret)
			ways = ways.or(u.blocks[b.Index])
		}
	}
	var row []Dependence
	for i, t := range resultTypes(u.fn) {
		sum := make(parts, partCount(t))
		for _, ret := range returns {
			sum = sum.or(u.parts(ret.Results[i]).fit(len(sum)))
			if !sameValue(ret.Results[i], returns[0].Results[i]) {
				sum = sum.plus(ways)
			}
		}
		row = append(row, sum...)
	}
	return row
}

// written is the function's writes through its parameters.
func (u *uniformity) written() []Store {
	var list []Store
	for _, number := range slices.Sorted(maps.Keys(u.stores)) {
		list = append(list, Store{number, u.stores[number]})
	}
	return list
}
