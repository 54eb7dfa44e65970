package compile

import (
	"fmt"
	"go/token"
	"maps"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/emit"
	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/language/compile/lower"
	"github.com/gridstride/gridstride/internal/language/compile/pass"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Options choose how a package is compiled. gridstride build uses the zero value.
type Options struct {
	// Verify checks the IR of each kernel after lowering and after every pass. What it finds is a
	// fault of the compiler, not of the package. It takes about as long again as compiling.
	Verify bool
	// Remarks asks for Result.Remarks.
	Remarks bool
	// Passes are the passes that improve the kernels, for tests that leave some out. Nil means
	// pass.List.
	Passes []pass.Pass
}

// Compile compiles the kernels of a package. A package without kernels gives a Result without any.
// The error is an ErrorList of everything that is wrong with the package. The same source gives the
// same Result, to the letter.
//
// Compile may be called from several goroutines, if the importer may.
func Compile(src *Source, imp Importer, opts Options) (*Result, error) {
	if !mayHaveKernels(src) {
		return &Result{Path: src.Path, Name: src.Name, PTX: emit.Module(nil, abi.Target{})}, nil
	}
	prog, err := frontend.Load(src, imp)
	if err != nil {
		return nil, err
	}
	funcs, err := opts.lowerAll(prog)
	if err != nil {
		return nil, err
	}
	r := describe(prog)
	var errs ErrorList
	for _, f := range funcs {
		if err := opts.improve(f.Func); err != nil {
			return nil, err
		}
		r.addRemarks(src, f)
		if !f.again {
			r.addNotes(src, f.Func)
			refuseAccesses(src, f.Func, &errs)
		}
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	if err := r.emit(funcs); err != nil {
		return nil, err
	}
	r.markFaults()
	return r, nil
}

// emit makes the PTX of every target.
func (r *Result) emit(funcs []lowered) error {
	byTarget := map[abi.Target][]*ir.Func{{}: nil}
	for _, f := range funcs {
		byTarget[f.target] = append(byTarget[f.target], f.Func)
	}
	for _, target := range slices.SortedFunc(maps.Keys(byTarget), abi.Target.Compare) {
		pass.Place(byTarget[target], int64(abi.AnyLimits().Const))
		m := emit.Module(byTarget[target], target)
		if err := ptx.Verify(m); err != nil {
			return fmt.Errorf("BUG: gridstride made PTX that is wrong, please report it: %w", err)
		}
		if target == (abi.Target{}) {
			r.PTX = m
		} else {
			r.Targets = append(r.Targets, TargetPTX{target, m})
		}
	}
	return nil
}

// improve runs the passes.
func (o *Options) improve(f *ir.Func) error {
	list := o.Passes
	if list == nil {
		list = pass.List
	}
	if !o.Verify {
		pass.Run(f, list)
		return nil
	}
	if err := pass.RunVerified(f, list); err != nil {
		return fmt.Errorf("BUG: the IR of a kernel is wrong, please report it: %w", err)
	}
	return nil
}

// mayHaveKernels looks quickly at the text, so that packages without kernels cost nothing.
func mayHaveKernels(src *Source) bool {
	mentions := func(f File) bool { return frontend.MentionsKernel(f.Text) }
	return slices.ContainsFunc(src.Files, mentions) || slices.ContainsFunc(src.Excluded, mentions)
}

// lowered is an instance of a kernel in IR, for one of the kernel's targets.
type lowered struct {
	*ir.Func
	target abi.Target // zero where the kernel asks for none
	again  bool       // it is not for the kernel's first target
}

// lowerAll lowers every instance of every kernel, once for each of its targets. The error is an
// ErrorList of all of them.
func (o *Options) lowerAll(prog *frontend.Program) ([]lowered, error) {
	var funcs []lowered
	var errs ErrorList
	tables, err := lower.NewTables(prog)
	if err != nil {
		return nil, err
	}
	for _, k := range prog.Kernels {
		targets := k.Targets
		if len(targets) == 0 {
			targets = []abi.Target{{}}
		}
		for _, inst := range k.Instances {
			for i, target := range targets {
				var remarks *ir.Remarks
				if o.Remarks {
					remarks = &ir.Remarks{}
				}
				f, err := lower.Kernel(tables, inst, target, remarks)
				if list, ok := err.(ErrorList); ok {
					errs = append(errs, list...)
					break
				} else if err != nil {
					return nil, err
				}
				funcs = append(funcs, lowered{f, target, i > 0})
			}
		}
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return funcs, prog.CheckVariables()
}

// markFaults notes which kernels have the hidden parameter.
func (r *Result) markFaults() {
	has := map[string]bool{}
	for _, t := range r.Set() {
		for _, d := range t.PTX.Decls {
			if f, ok := d.(*ptx.Func); ok {
				n := len(f.Params)
				has[f.Name] = n > 0 && f.Params[n-1].Name == abi.FaultParam
			}
		}
	}
	for _, k := range r.Kernels {
		for i := range k.Instances {
			k.Instances[i].Fault = has[k.Instances[i].PTXName]
		}
	}
}

// addNotes takes over the notes of the passes, with the names of files that the sources have.
func (r *Result) addNotes(src *Source, f *ir.Func) {
	for _, n := range f.Notes {
		note := Note{Pos: position(src, f, n.Pos), Kernel: f.GoName, Text: n.Text}
		if n.At.Line > 0 {
			note.Text += fmt.Sprintf(", at %v", position(src, f, n.At))
		}
		r.Notes = append(r.Notes, note)
	}
}

// position is a position in the IR of f as users see it.
func position(src *Source, f *ir.Func, p ir.Pos) token.Position {
	pos := token.Position{Line: int(p.Line), Column: int(p.Col)}
	if p.Line > 0 {
		pos.Filename = src.ShownName(f.Files[p.File])
	}
	return pos
}
