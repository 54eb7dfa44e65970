package vet

import (
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// Summary is the fact about a function: what a caller must know of it, in terms of its parameters.
type Summary struct {
	Results []Dependence
	Stores  []Dependence // what it writes through its parameters; nil when it does not
	Effects []Effect
	Shared  []Shared
}

// AFact marks a Summary as a fact.
func (*Summary) AFact() {}

// summarize is the prerequisite that analyses the functions of a package, callees first. Its result is nil where deviceCode's is.
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
		s := &summaries{device: d, pass: pass, known: map[*ssa.Function]*Summary{}, flows: map[*ssa.Function]*uniformity{}}
		for _, fn := range d.funcs {
			sum := s.of(fn)
			if obj := d.object(fn); obj != nil && !sum.empty() {
				pass.ExportObjectFact(obj, sum)
			}
		}
		return s, nil
	},
}

// summaries are those of a package's functions, and of the functions of others that they call.
type summaries struct {
	*device
	pass  *analysis.Pass
	known map[*ssa.Function]*Summary // nil while a function is analysed: kernels have no recursion
	flows map[*ssa.Function]*uniformity
	found []divergence
}

// of is the summary of a function, nil when nothing is known of it: its results are then made of its arguments, and it waits for nobody.
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
	if fn.Synthetic != "" && fn.Syntax() == nil { // wrappers
		return nil
	}
	u := newUniformity(fn, s.kernels[fn], s)
	s.flows[fn] = u
	s.known[fn] = &Summary{Results: u.results(), Stores: u.stores, Effects: s.effects(u), Shared: s.shared(fn)}
	return s.known[fn]
}

// empty reports whether a summary says no more than none does.
func (sum *Summary) empty() bool {
	return len(sum.Effects) == 0 && len(sum.Shared) == 0 && len(sum.Stores) == 0 &&
		!slices.ContainsFunc(sum.Results, func(d Dependence) bool { return d.Own != 0 || d.Warps != 0 || d.Params != 0 })
}

// results are the dependences of a function's results. Where it returns one value here and another there, which one tells the way that the
// thread came.
func (u *uniformity) results() []Dependence {
	results := make([]Dependence, u.fn.Signature.Results().Len())
	var ways Dependence
	var returns []*ssa.Return
	for _, b := range u.fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			returns = append(returns, ret)
			ways = ways.or(u.blocks[b.Index])
		}
	}
	for i := range results {
		for _, ret := range returns {
			results[i] = results[i].or(u.values[ret.Results[i]])
			if !sameValue(ret.Results[i], returns[0].Results[i]) {
				results[i] = results[i].or(ways)
			}
		}
	}
	return results
}
