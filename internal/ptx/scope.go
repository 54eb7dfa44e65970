package ptx

import (
	"fmt"
	"strconv"
	"strings"
)

// SymbolKind says what a name denotes.
type SymbolKind uint8

// The kinds of symbols.
const (
	NoSymbol        SymbolKind = iota
	RegisterSymbol             // a register, or one component of a vector register ("v.x")
	SpecialSymbol              // a special register: "%tid.x"
	VarSymbol                  // a variable or parameter outside the register space
	LabelSymbol                // an instruction to branch to
	FuncSymbol                 // a function
	TargetsSymbol              // a .branchtargets table
	CallsSymbol                // a .calltargets table
	PrototypeSymbol            // a .callprototype
	SinkSymbol                 // "_": a result that is thrown away
)

var symbolKindNames = [...]string{
	"nothing", "a register", "a special register", "a variable", "a label", "a function", "a table of branch targets",
	"a table of call targets", "a call prototype", "'_'",
}

// String returns what an error message calls a symbol of this kind: "a register".
func (k SymbolKind) String() string { return symbolKindNames[k] }

// Symbol is what a name denotes in a scope.
type Symbol struct {
	Kind SymbolKind
	Name string
	// Type is the type of a register, special register or (element of a) variable.
	Type Type
	// Vector is 2 or 4 for a whole vector register, special ones such as %tid included; 0 for
	// everything else.
	Vector int
	// Reg is the number of a register in its function: declarations are numbered from 0, nested
	// blocks included, and a vector register takes as many numbers as it has components. Two
	// registers of one name in two blocks differ.
	Reg int

	// One of these is set, by Kind.
	Var       *Var
	Label     *Label
	Func      *Func // the definition where the module has one, else a prototype
	Targets   *BranchTargets
	Calls     *CallTargets
	Prototype *CallPrototype
	Special   *SpecialReg

	global bool // declared at module scope
	order  int  // the declaration's number among the declarations of its function, or its Decl's in the module
}

// Scope resolves names. There is one for a module, in it one for each function, in that one for
// each nested block. An inner scope sees the names of those around it. A name is known in the whole
// block that declares it: Verify reports uses before the declaration.
//
//	scope := ptx.NewScope(m).Func(f)
//	sym, ok := scope.Lookup("%r1")
//	…
//	inner := scope.Block(b) // b is a *Block among the statements of f.Body
//
// A Scope does not change after it was made and may be used by several goroutines. It stays valid
// while the module is not changed.
type Scope struct {
	parent *Scope
	names  map[string]Symbol
	ranges map[string]regRange
	blocks map[*Block]*Scope
	funcs  map[*Func]*Scope // module scope only
	root   *scopeRoot
}

// regRange is ".reg .b32 %r<10>".
type regRange struct {
	Symbol // of the first register
	count  int
}

// scopeRoot is shared by the scopes of a function.
type scopeRoot struct {
	regs   int
	order  int
	clash  []clash
	module bool
}

// clash is a name that was declared twice in one block.
type clash struct {
	pos  Pos
	name string
	kind SymbolKind // of the first declaration
}

// NewScope resolves the names of a module.
func NewScope(m *Module) *Scope {
	s := &Scope{names: map[string]Symbol{}, funcs: map[*Func]*Scope{}, root: &scopeRoot{module: true}}
	for i, d := range m.Decls {
		s.root.order = i
		switch d := d.(type) {
		case *Var:
			s.declareVar(d)
		case *Func:
			s.declareFunc(d)
		}
	}
	for _, d := range m.Decls {
		if f, ok := d.(*Func); ok {
			s.funcs[f] = newFuncScope(s, f)
		}
	}
	return s
}

// Func returns the scope of a function of the module: its parameters and its outermost block.
func (s *Scope) Func(f *Func) *Scope {
	fs, ok := s.funcs[f]
	if !ok {
		panic(fmt.Sprintf("BUG: function %s is not of this scope's module", f.Name))
	}
	return fs
}

// Block returns the scope of a nested block, which must be a statement of this scope's own block.
func (s *Scope) Block(b *Block) *Scope {
	bs, ok := s.blocks[b]
	if !ok {
		panic("BUG: block is not a statement of this scope's block")
	}
	return bs
}

// NumRegs returns how many registers the scope's function declares, nested blocks included:
// Symbol.Reg is below it. A function may declare many more than it uses.
func (s *Scope) NumRegs() int { return s.root.regs }

// Lookup returns what a name denotes in this scope.
func (s *Scope) Lookup(name string) (Symbol, bool) {
	for in := s; in != nil; in = in.parent {
		if sym, ok := in.lookupHere(name); ok {
			return sym, true
		}
	}
	if name == "_" {
		return Symbol{Kind: SinkSymbol, Name: name}, true
	}
	if sym, ok := lookupSpecial(name); ok {
		return sym, true
	}
	base, component, ok := strings.Cut(name, ".")
	if !ok {
		return Symbol{}, false
	}
	v, ok := s.Lookup(base)
	lane, isLane := lanes[component]
	if !ok || !isLane || v.Kind != RegisterSymbol || lane >= v.Vector {
		return Symbol{}, false
	}
	v.Name, v.Vector = name, 0
	v.Reg += lane
	return v, true
}

// lanes are the names of the components of a vector.
var lanes = map[string]int{"x": 0, "y": 1, "z": 2, "w": 3, "r": 0, "g": 1, "b": 2, "a": 3}

// lookupHere looks into one block: names as they are, then ranges, where "r15" may be number 5 of
// r1<10> as well as number 15 of r<20>.
func (s *Scope) lookupHere(name string) (Symbol, bool) {
	if sym, ok := s.names[name]; ok {
		return sym, true
	}
	if s.ranges == nil {
		return Symbol{}, false
	}
	for i := len(name) - 1; i > 0 && isDigit(name[i]); i-- {
		r, ok := s.ranges[name[:i]]
		if !ok || name[i] == '0' && i < len(name)-1 {
			continue
		}
		n, err := strconv.Atoi(name[i:])
		if err != nil || n >= r.count {
			continue
		}
		sym := r.Symbol
		sym.Name = name
		sym.Reg += n * max(r.Vector, 1)
		return sym, true
	}
	return Symbol{}, false
}

// declare adds a name, unless the block has it already.
func (s *Scope) declare(pos Pos, sym Symbol) {
	sym.global = s.root.module
	sym.order = s.root.order
	s.root.order++
	if sym.Name == "_" {
		return
	}
	if old, ok := s.lookupHere(sym.Name); ok {
		s.root.clash = append(s.root.clash, clash{pos: pos, name: sym.Name, kind: old.Kind})
		return
	}
	s.names[sym.Name] = sym
}

func (s *Scope) declareVar(v *Var) {
	if v.Space == RegSpace { // a parameter in a register
		s.declare(v.Pos, Symbol{Kind: RegisterSymbol, Name: v.Name, Type: v.Type, Vector: v.Vector, Reg: s.root.regs})
		s.root.regs += max(v.Vector, 1)
		return
	}
	old, ok := s.names[v.Name]
	if ok && old.Kind == VarSymbol && s.root.module && (old.Var.Linkage == Extern || v.Linkage == Extern) {
		if old.Var.Linkage == Extern { // an extern declaration and the definition
			old.Var, old.Type = v, v.Type
			s.names[v.Name] = old
		}
		return
	}
	s.declare(v.Pos, Symbol{Kind: VarSymbol, Name: v.Name, Type: v.Type, Var: v})
}

// declareFunc adds a function. A definition replaces its prototypes.
func (s *Scope) declareFunc(f *Func) {
	old, ok := s.names[f.Name]
	if ok && old.Kind == FuncSymbol && (old.Func.Body == nil || f.Body == nil) {
		if old.Func.Body == nil {
			old.Func = f
			s.names[f.Name] = old
		}
		return
	}
	s.declare(f.Pos, Symbol{Kind: FuncSymbol, Name: f.Name, Func: f})
}

// newFuncScope makes the scope of a function and of the blocks in it. Parameters and the outermost
// block share one scope.
func newFuncScope(module *Scope, f *Func) *Scope {
	s := &Scope{parent: module, names: map[string]Symbol{}, root: &scopeRoot{}}
	for _, v := range f.Results {
		s.declareVar(v)
	}
	for _, v := range f.Params {
		s.declareVar(v)
	}
	if f.Body != nil {
		s.declareBlock(f.Body)
	}
	return s
}

// declareBlock adds what the statements of a block declare, and makes the scopes of the blocks in
// it.
func (s *Scope) declareBlock(b *Block) {
	for _, stmt := range b.Stmts {
		switch d := stmt.(type) {
		case *Regs:
			s.declareRegs(d)
		case *Var:
			s.declareVar(d)
		case *Label:
			s.declare(d.Pos, Symbol{Kind: LabelSymbol, Name: d.Name, Label: d})
		case *BranchTargets:
			s.declare(d.Pos, Symbol{Kind: TargetsSymbol, Name: d.Name, Targets: d})
		case *CallTargets:
			s.declare(d.Pos, Symbol{Kind: CallsSymbol, Name: d.Name, Calls: d})
		case *CallPrototype:
			s.declare(d.Pos, Symbol{Kind: PrototypeSymbol, Name: d.Name, Prototype: d})
		case *Block:
			inner := &Scope{parent: s, names: map[string]Symbol{}, root: s.root}
			if s.blocks == nil {
				s.blocks = map[*Block]*Scope{}
			}
			s.blocks[d] = inner
			inner.declareBlock(d)
		}
	}
}

func (s *Scope) declareRegs(d *Regs) {
	for _, name := range d.Names {
		sym := Symbol{Kind: RegisterSymbol, Name: name, Type: d.Type, Vector: d.Vector, Reg: s.root.regs}
		if d.Count == 0 {
			s.declare(d.Pos, sym)
			s.root.regs += max(d.Vector, 1)
			continue
		}
		s.root.regs += d.Count * max(d.Vector, 1)
		sym.order = s.root.order
		s.root.order++
		if _, ok := s.ranges[name]; ok {
			s.root.clash = append(s.root.clash, clash{pos: d.Pos, name: name + "<>", kind: RegisterSymbol})
			continue
		}
		if s.ranges == nil {
			s.ranges = map[string]regRange{}
		}
		s.ranges[name] = regRange{Symbol: sym, count: d.Count}
	}
}
