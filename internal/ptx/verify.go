package ptx

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
)

// Verify checks a module beyond its syntax: names are declared once and before their use,
// instructions are known, their modifiers, operands and types agree, and the module's .version and
// .target have them. What it accepts ptxas assembles, as far as tests can tell. The error is an
// ErrorList in the order of the text.
func Verify(m *Module) error { return verify(m, false) }

// VerifyKnown is Verify for one who has to do without some instructions: those that the table does
// not have are passed over. Decode refuses them.
func VerifyKnown(m *Module) error { return verify(m, true) }

func verify(m *Module, lenient bool) error {
	v := &verifier{m: m, scope: NewScope(m), target: m.MainTarget(), lenient: lenient}
	v.header()
	v.clashes(v.scope.root.clash)
	for i, d := range m.Decls {
		v.at = i
		switch d := d.(type) {
		case *Var:
			v.moduleVar(d)
			v.constant(d)
		case *Func:
			v.function(d)
		}
	}
	slices.SortStableFunc(v.errs, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return v.errs.err()
}

// verifier is the state of a check.
type verifier struct {
	m    *Module
	errs ErrorList

	target  abi.Target // of .target: sm_90a
	lenient bool       // unknown instructions are no errors

	at    int    // index of the current declaration in the module
	f     *Func  // the current function
	scope *Scope // of the current block
	order int    // how many declarations of the function have been passed
	// constants is the size of the .const variables so far.
	constants int64
	// files are the files of the module's .file directives, by number. It is nil until a .loc asks.
	files map[int]string
}

// errorAt records an error. For a module that was built, text returns what to quote.
func (v *verifier) errorAt(pos Pos, text func() string, format string, args ...any) {
	if len(v.errs) >= maxErrors {
		return
	}
	e := &Error{File: v.m.Source.Name, Line: pos.Line, Col: pos.Col, Msg: fmt.Sprintf(format, args...)}
	if pos.Line > 0 {
		e.Text = v.m.Source.line(pos.Line)
	} else if text != nil {
		e.Text = text()
	}
	v.errs = append(v.errs, e)
}

// instrError records an error of an instruction.
func (v *verifier) instrError(in *Instr, format string, args ...any) {
	v.errorAt(in.Pos, in.String, format, args...)
}

// varError records an error of a declaration.
func (v *verifier) varError(d *Var, format string, args ...any) {
	v.errorAt(d.Pos, func() string {
		var p printer
		p.variable(d)
		return p.String()
	}, format, args...)
}

func (v *verifier) header() {
	first := Pos{}
	if v.m.Version.Less(Version{1, 0}) {
		v.errorAt(first, nil, "module has no .version")
	}
	if v.target == (abi.Target{}) {
		v.errorAt(first, nil, "module has no .target of the form sm_70: %v", v.m.Target)
	}
	if n := (Needs{Target: v.target}); v.m.Version.Less(n.version()) {
		v.errorAt(first, nil, ".target %v needs .version %s, the module has %s", v.target, n.version(), v.m.Version)
	}
}

// needs checks that the module's version and target have what something needs.
func (v *verifier) needs(what string, n Needs, report func(format string, args ...any)) {
	if v.m.Version.Less(n.Version) {
		report("%s needs .version %s, the module has %s", what, n.Version, v.m.Version)
	}
	if v.target != (abi.Target{}) && !v.target.Has(n.Target) {
		report("%s needs .target %v, the module has %v", what, n.Target, v.target)
	}
}

// clashes reports names that were declared twice.
func (v *verifier) clashes(list []clash) {
	for _, c := range list {
		v.errorAt(c.pos, func() string { return c.name }, "%s is declared twice in one block, first as %s",
			c.name, c.kind)
	}
}

// function checks a function's head and body.
func (v *verifier) function(f *Func) {
	outer := v.scope
	v.f, v.scope = f, outer.Func(f)
	defer func() { v.f, v.scope = nil, outer }()
	v.signature(f)
	v.clashes(v.scope.root.clash)
	if f.Body == nil {
		return
	}
	v.order = len(f.Results) + len(f.Params)
	v.block(f.Body)
	v.ending(f)
}

func (v *verifier) signature(f *Func) {
	report := func(format string, args ...any) {
		v.errorAt(f.Pos, func() string { return f.Name }, format, args...)
	}
	if f.Entry && (len(f.Results) > 0 || f.NoRet) {
		report("kernel %s cannot return anything or be .noreturn", f.Name)
	}
	if sym, _ := v.scope.Lookup(f.Name); sym.Func != f && sym.Func != nil && !sameSignature(sym.Func, f) {
		report("%s is declared with other parameters than it is defined with", f.Name)
	}
	version := v.m.Version
	size, limit := f.paramBytes(), abi.ParamLimit(version.Major, version.Minor, v.target.SM)
	if f.Entry && size > limit {
		report("the parameters of kernel %s take %d bytes, the limit is %d with PTX %v for %v", f.Name, size,
			limit, version, v.target)
	}
	for _, p := range slices.Concat(f.Results, f.Params) {
		if f.Entry && p.Space != ParamSpace {
			v.varError(p, "parameter %s of a kernel is in .param space, not .%s", p.Name, p.Space)
		}
		v.checkVar(p)
	}
	threads := 0
	for _, d := range f.Perf {
		if !f.Entry && d.Name != "noreturn" && d.Name != "abi_preserve" && d.Name != "abi_preserve_control" {
			report(".%s is a directive of kernels; %s is a .func", d.Name, f.Name)
		}
		if d.Name == "maxntid" || d.Name == "reqntid" {
			threads++
		}
		least, most := directiveArgs(d.Name)
		if len(d.Args) < least || len(d.Args) > most || slices.Contains(d.Args, 0) {
			report(".%s has %d to %d numbers above 0", d.Name, least, most)
		}
	}
	if threads > 1 {
		report("%s has both .maxntid and .reqntid", f.Name)
	}
}

// directiveArgs returns how many numbers a performance directive has.
func directiveArgs(name string) (least, most int) {
	switch name {
	case "maxntid", "reqntid", "reqnctapercluster":
		return 1, 3
	case "explicitcluster", "blocksareclusters":
		return 0, 0
	}
	return 1, 1
}

// block checks the statements of a block, whose scope is current.
func (v *verifier) block(b *Block) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *Block:
			outer := v.scope
			v.scope = outer.Block(s)
			v.block(s)
			v.scope = outer
		case *Instr:
			v.instr(s)
		case *Regs:
			v.order += len(s.Names)
		case *Var:
			v.order++
			v.localVar(s)
		case *Label:
			v.order++
		case *BranchTargets:
			v.order++
			v.branchTargets(s)
		case *CallTargets:
			v.order++
			v.callTargets(s)
		case *CallPrototype:
			v.order++
		case *Loc:
			v.loc(s)
		}
	}
}

// ending checks that control does not run off the end of a function.
func (v *verifier) ending(f *Func) {
	last := lastInstr(f.Body)
	switch {
	case last == nil:
		v.errorAt(f.Pos, func() string { return f.Name }, "%s has no instructions; it needs at least ret", f.Name)
	case !last.EndsBlock() && last.Effects().Kind != Calls: // a call at the end is of a function that does not return
		v.instrError(last, "%s ends without ret, exit, bra or trap", f.Name)
	}
}

// lastInstr returns the last instruction in the text of a block, nil if there is none.
func lastInstr(b *Block) *Instr {
	for _, s := range slices.Backward(b.Stmts) {
		switch s := s.(type) {
		case *Instr:
			return s
		case *Block:
			if in := lastInstr(s); in != nil {
				return in
			}
		}
	}
	return nil
}

func (v *verifier) loc(l *Loc) {
	if v.files == nil {
		v.files = v.m.Files()
	}
	for ; l != nil; l = l.InlinedAt {
		if _, ok := v.files[l.File]; !ok {
			v.errorAt(l.Pos, func() string { return fmt.Sprintf(".loc %d %d %d", l.File, l.Line, l.Col) },
				"file %d of .loc has no .file", l.File)
		}
	}
}

func (v *verifier) branchTargets(t *BranchTargets) {
	for _, name := range t.Labels {
		if sym, ok := v.scope.Lookup(name); !ok || sym.Kind != LabelSymbol {
			v.errorAt(t.Pos, func() string { return t.Name }, "branch target %s is not a label", name)
		}
	}
}

func (v *verifier) callTargets(t *CallTargets) {
	for _, name := range t.Funcs {
		if sym, ok := v.scope.Lookup(name); !ok || sym.Kind != FuncSymbol {
			v.errorAt(t.Pos, func() string { return t.Name }, "call target %s is not a function", name)
		}
	}
}

// lookup resolves a name of an instruction and checks that it was declared before.
func (v *verifier) lookup(in *Instr, name string) (Symbol, bool) {
	sym, ok := v.scope.Lookup(name)
	if !ok {
		v.instrError(in, "%s is not declared", name)
		return sym, false
	}
	late := false
	switch sym.Kind {
	case RegisterSymbol, VarSymbol, FuncSymbol:
		late = sym.global && sym.order > v.at || !sym.global && sym.order >= v.order
	}
	if late {
		v.instrError(in, "%s is used before its declaration", name)
	}
	return sym, !late
}
