package ptx

import (
	"fmt"
	"strconv"
	"strings"
)

// String returns the module as PTX text. Parse of the text gives an equal module, except Pos and
// Source.
func (m *Module) String() string {
	var p printer
	fmt.Fprintf(&p, ".version %d.%d\n.target %s\n.address_size %d\n", m.Version.Major, m.Version.Minor,
		strings.Join(m.Target, ", "), m.AddressSize)
	for _, d := range m.Decls {
		p.decl(d)
	}
	return p.String()
}

// String returns the instruction as PTX text, with its guard and without the semicolon.
func (in *Instr) String() string {
	var p printer
	p.instr(in)
	return p.String()
}

// Opcode returns the opcode with its modifiers: "ld.global.v4.f32".
func (in *Instr) Opcode() string {
	if len(in.Mods) == 0 {
		return in.Op
	}
	return in.Op + "." + strings.Join(in.Mods, ".")
}

// OperandString returns an operand as PTX text.
func OperandString(o Operand) string {
	var p printer
	p.operand(o)
	return p.String()
}

// printer collects text. depth is the nesting of blocks.
type printer struct {
	strings.Builder
	depth int
}

func (p *printer) word(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

func (p *printer) int(n int64) { p.WriteString(strconv.FormatInt(n, 10)) }

// quote writes a string with the two escapes that the lexer knows.
func (p *printer) quote(s string) {
	p.word(`"`, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s), `"`)
}

func (p *printer) indent() {
	for range p.depth {
		p.WriteByte('\t')
	}
}

// decl prints a declaration of module scope.
func (p *printer) decl(d Decl) {
	switch d := d.(type) {
	case *File:
		fmt.Fprintf(p, ".file %d ", d.Index)
		p.quote(d.Name)
		if d.Time != 0 || d.Size != 0 {
			fmt.Fprintf(p, ", %d, %d", d.Time, d.Size)
		}
		p.WriteByte('\n')
	case *Var:
		p.variable(d)
		p.word(";")
		if s := d.Part; s != nil {
			fmt.Fprintf(p, " //"+partOf+partFormat, s.Kernel, s.Size, s.Offset, s.Name)
		}
		p.shape(d)
		p.WriteByte('\n')
	case *Func:
		p.function(d)
	case *Section:
		p.word(".section ", d.Name, "\n{\n")
		for _, line := range d.Lines {
			p.word("\t", line, "\n")
		}
		p.word("}\n")
	case *Pragma:
		p.pragma(d)
		p.WriteByte('\n')
	default:
		panic(fmt.Sprintf("BUG: unknown PTX declaration %T", d))
	}
}

func (p *printer) pragma(d *Pragma) {
	p.word(".pragma ")
	for i, s := range d.Text {
		if i > 0 {
			p.word(", ")
		}
		p.quote(s)
	}
	p.word(";")
}

// variable prints a declaration without its semicolon.
func (p *printer) variable(v *Var) {
	if v.Linkage != Local {
		p.word(".", string(v.Linkage), " ")
	}
	p.word(".", string(v.Space))
	if len(v.Attributes) > 0 {
		p.word(" .attribute(", strings.Join(v.Attributes, ", "), ")")
	}
	if v.Align != 0 {
		p.word(" .align ")
		p.int(int64(v.Align))
	}
	if v.Vector != 0 {
		p.word(" .v")
		p.int(int64(v.Vector))
	}
	p.word(" .", string(v.Type))
	if v.Ptr != nil {
		p.word(" .ptr")
		if v.Ptr.Space != GenericSpace {
			p.word(" .", string(v.Ptr.Space))
		}
		if v.Ptr.Align != 0 {
			p.word(" .align ")
			p.int(int64(v.Ptr.Align))
		}
	}
	p.word(" ", v.Name)
	for _, n := range v.Dims {
		if n < 0 {
			p.word("[]")
			continue
		}
		p.WriteByte('[')
		p.int(int64(n))
		p.WriteByte(']')
	}
	if v.Init != nil {
		p.word(" = ")
		p.initializer(v.Init)
	}
}

// shape prints the Go type of a variable, which ends the line.
func (p *printer) shape(v *Var) {
	if v.Shape != nil {
		p.word(" //", typeIs, v.Shape.String())
	}
}

// initializer prints a list in braces where a call would have parentheses.
func (p *printer) initializer(o Operand) {
	list, ok := o.(List)
	if !ok {
		p.operand(o)
		return
	}
	p.WriteByte('{')
	for i, x := range list {
		if i > 0 {
			p.word(", ")
		}
		p.initializer(x)
	}
	p.WriteByte('}')
}

// params prints parameters in parentheses, on one line.
func (p *printer) params(vars []*Var) {
	p.WriteByte('(')
	for i, v := range vars {
		if i > 0 {
			p.word(", ")
		}
		p.variable(v)
	}
	p.WriteByte(')')
}

// paramLines prints the parameters of a function, one a line.
func (p *printer) paramLines(vars []*Var) {
	if len(vars) == 0 {
		p.word("()")
		return
	}
	p.word("(")
	for i, v := range vars {
		p.word("\n\t")
		p.variable(v)
		if i < len(vars)-1 {
			p.WriteByte(',')
		}
		p.shape(v)
	}
	p.word("\n)")
}

func (p *printer) function(f *Func) {
	p.WriteByte('\n')
	if f.Linkage != Local {
		p.word(".", string(f.Linkage), " ")
	}
	if f.Entry {
		p.word(".entry ")
	} else {
		p.word(".func ")
		if len(f.Results) > 0 {
			p.params(f.Results)
			p.WriteByte(' ')
		}
	}
	p.word(f.Name)
	p.paramLines(f.Params)
	if f.NoRet {
		p.word("\n.noreturn")
	}
	for _, d := range f.Perf {
		p.word("\n.", d.Name)
		for i, n := range d.Args {
			if i > 0 {
				p.WriteByte(',')
			}
			p.WriteByte(' ')
			p.int(int64(n))
		}
	}
	if f.Body == nil {
		p.word(";\n")
		return
	}
	p.WriteByte('\n')
	p.block(f.Body)
}

func (p *printer) block(b *Block) {
	p.indent()
	p.word("{\n")
	p.depth++
	for _, s := range b.Stmts {
		p.stmt(s)
	}
	p.depth--
	p.indent()
	p.word("}\n")
}

// stmt prints a statement on its own lines. Labels are indented one step less.
func (p *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *Block:
		p.block(s)
		return
	case *Label:
		p.depth--
		p.indent()
		p.depth++
		p.word(s.Name, ":\n")
		return
	}
	p.indent()
	switch s := s.(type) {
	case *Instr:
		p.instr(s)
		p.WriteByte(';')
		if s.Byte != "" {
			p.word(" //", byteAt, s.Byte)
		}
	case *Regs:
		p.regs(s)
	case *Var:
		p.variable(s)
		p.WriteByte(';')
		p.shape(s)
	case *Loc:
		p.loc(s)
	case *Pragma:
		p.pragma(s)
	case *BranchTargets:
		p.word(s.Name, ": .branchtargets ", strings.Join(s.Labels, ", "), ";")
	case *CallTargets:
		p.word(s.Name, ": .calltargets ", strings.Join(s.Funcs, ", "), ";")
	case *CallPrototype:
		p.callPrototype(s)
	default:
		panic(fmt.Sprintf("BUG: unknown PTX statement %T", s))
	}
	p.WriteByte('\n')
}

func (p *printer) regs(r *Regs) {
	p.word(".reg ")
	if r.Vector != 0 {
		p.word(".v")
		p.int(int64(r.Vector))
		p.WriteByte(' ')
	}
	p.word(".", string(r.Type), " ")
	for i, name := range r.Names {
		if i > 0 {
			p.word(", ")
		}
		p.word(name)
		if r.Count > 0 {
			p.WriteByte('<')
			p.int(int64(r.Count))
			p.WriteByte('>')
		}
	}
	p.WriteByte(';')
}

func (p *printer) loc(l *Loc) {
	p.word(".loc ")
	p.position(l)
	if l.Function != "" {
		p.word(", function_name ", l.Function)
		p.offset(l.FunctionOffset)
	}
	if l.InlinedAt != nil {
		if l.Function == "" {
			p.word(" //", inlinedAt)
		} else {
			p.word(",", inlinedAt)
		}
		p.position(l.InlinedAt)
	}
}

func (p *printer) position(l *Loc) {
	p.int(int64(l.File))
	p.WriteByte(' ')
	p.int(int64(l.Line))
	p.WriteByte(' ')
	p.int(int64(l.Col))
}

func (p *printer) callPrototype(c *CallPrototype) {
	p.word(c.Name, ": .callprototype ")
	if len(c.Results) > 0 {
		p.params(c.Results)
		p.WriteByte(' ')
	}
	p.word("_ ")
	p.params(c.Params)
	if c.NoRet {
		p.word(" .noreturn")
	}
	p.WriteByte(';')
}

func (p *printer) instr(in *Instr) {
	if g := in.Guard; g != nil {
		p.WriteByte('@')
		if g.Not {
			p.WriteByte('!')
		}
		p.word(g.Reg, " ")
	}
	p.word(in.Op)
	for _, m := range in.Mods {
		p.word(".", m)
	}
	for i, o := range in.Args {
		if i > 0 {
			p.WriteByte(',')
		}
		p.WriteByte(' ')
		p.operand(o)
	}
}

// offset prints "+4", "+-4" or nothing: ptxas reads no minus after a register.
func (p *printer) offset(n int64) {
	if n != 0 {
		p.WriteByte('+')
		p.int(n)
	}
}

func (p *printer) operand(o Operand) {
	switch o := o.(type) {
	case Name:
		p.word(string(o))
	case Int:
		p.intConst(o)
	case Float:
		if o.Single {
			fmt.Fprintf(p, "0f%08X", uint32(o.Bits))
		} else {
			fmt.Fprintf(p, "0d%016X", o.Bits)
		}
	case Addr:
		p.WriteByte('[')
		p.operand(o.Base)
		p.offset(o.Offset)
		p.WriteByte(']')
	case Offset:
		if o.Generic {
			p.word("generic(", o.Name, ")")
			p.offset(o.Offset)
			return
		}
		p.word(o.Name, "+")
		p.int(o.Offset)
	case Texel:
		p.list('[', o, ']')
	case Vec:
		p.list('{', o, '}')
	case List:
		p.list('(', o, ')')
	case Pair:
		p.operand(o.First)
		p.WriteByte('|')
		p.operand(o.Second)
	case Not:
		p.word("!", o.Reg)
	case Neg:
		p.word("-", o.Reg)
	default:
		panic(fmt.Sprintf("BUG: unknown PTX operand %T", o))
	}
}

func (p *printer) list(open byte, list []Operand, end byte) {
	p.WriteByte(open)
	for i, x := range list {
		if i > 0 {
			p.word(", ")
		}
		p.operand(x)
	}
	p.WriteByte(end)
}

// intConst prints a constant so that it parses to the same bits and the same signedness.
func (p *printer) intConst(n Int) {
	if !n.Unsigned {
		p.int(int64(n.Bits))
		return
	}
	p.WriteString(strconv.FormatUint(n.Bits, 10))
	if int64(n.Bits) >= 0 {
		p.WriteByte('U')
	}
}
