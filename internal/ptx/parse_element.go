package ptx

// element is the operand "cache[2]" while a module is parsed: the address of a variable's element.
// The index counts elements of the variable's type, whatever its dimensions and its vector are, as
// ptxas has it. The size of an element is known when the whole module is, so a parsed module has an
// Offset instead, or an Addr in an instruction that accesses memory.
type element struct {
	name  string
	index int64
}

func (element) operand() {}

// maxIndex bounds the index of an element, so that its offset is computed without overflow.
const maxIndex = 1 << 40

// elements replaces the elements in the functions of the module.
func (p *parser) elements() {
	scope := NewScope(p.module)
	for _, d := range p.module.Decls {
		if f, ok := d.(*Func); ok && f.Body != nil {
			p.elementsIn(scope.Func(f), f.Body)
		}
	}
}

func (p *parser) elementsIn(s *Scope, b *Block) {
	for _, stmt := range b.Stmts {
		switch stmt := stmt.(type) {
		case *Block:
			p.elementsIn(s.Block(stmt), stmt)
		case *Instr:
			for i, o := range stmt.Args {
				stmt.Args[i] = p.resolved(s, stmt, o)
			}
		}
	}
}

// accessesMemory are the instructions whose operand cache[2] is [cache+8].
var accessesMemory = map[string]bool{
	"ld": true, "ldu": true, "st": true, "atom": true, "red": true, "prefetch": true, "prefetchu": true,
}

// resolved is an operand of an instruction with the elements in it replaced.
func (p *parser) resolved(s *Scope, in *Instr, o Operand) Operand {
	switch o := o.(type) {
	case element:
		sym, ok := s.Lookup(o.name)
		p.failed = false // errors of several instructions are told
		switch {
		case !ok || sym.Kind != VarSymbol:
			p.errorAt(in.Pos, "%s[%d] is an element of no variable", o.name, o.index)
		case o.index < -maxIndex || o.index > maxIndex:
			p.errorAt(in.Pos, "the index of %s[%d] is out of range", o.name, o.index)
		case accessesMemory[in.Op]:
			return Addr{Base: Name(o.name), Offset: o.index * int64(sym.Type.Bytes())}
		default:
			return Offset{Name: o.name, Offset: o.index * int64(sym.Type.Bytes())}
		}
		return Name(o.name)
	case Vec:
		for i, x := range o {
			o[i] = p.resolved(s, in, x)
		}
	case List:
		for i, x := range o {
			o[i] = p.resolved(s, in, x)
		}
	case Texel:
		for i, x := range o {
			o[i] = p.resolved(s, in, x)
		}
	}
	return o
}
