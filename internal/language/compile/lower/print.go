package lower

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/language/message"
)

// print lowers gpu.Printf.
func (f *frame) print(in *ssa.Call) value {
	l := f.l
	if format, values := f.formatted(in, "gpu.Printf", 0, abi.PrintValues); format != nil {
		l.b.Emit(ir.Print, ir.Void, append([]*ir.Value{l.formatVar(*format)}, values...)...)
	}
	return value{}
}

// assert lowers gpu.Assert. A message without values is a whole text.
func (f *frame) assert(in *ssa.Call) value {
	l := f.l
	cond := f.value(in.Call.Args[0]).one()
	format, values := f.formatted(in, "gpu.Assert", 1, abi.AssertValues)
	switch {
	case format == nil:
	case len(values) == 0:
		l.b.Check(ir.CheckAssert, cond, l.text(message.Sprint(*format, nil)))
	default:
		l.b.Check(ir.CheckAssert, append([]*ir.Value{cond, l.formatVar(*format)}, values...)...)
	}
	return value{}
}

// formatVar is the address of a variable that holds a format.
func (l *lowerer) formatVar(f abi.Format) *ir.Value {
	mem := f.Bytes()
	v := l.formats[f]
	if v == nil {
		v = l.f.AddVar(&ir.Var{
			Name: l.f.VarName("format"), Space: ir.Global, Size: int64(len(mem)), Align: 1, Elem: ir.U8, Init: mem, Pos: l.b.Pos,
		})
		l.formats[f] = v
	}
	return l.b.VarAddr(v)
}

// formatted reads a call's format, argument i, and the values after it, most at most. Constant
// strings become part of the format. If something is wrong, it reports that and returns nil.
func (f *frame) formatted(in *ssa.Call, name string, i, most int) (*abi.Format, []*ir.Value) {
	l, pos := f.l, f.messagePos(in)
	text, ok := f.constString(in.Call.Args[i])
	if !ok {
		what := "format of gpu.Printf"
		if name == "gpu.Assert" {
			what = "message of gpu.Assert"
		}
		l.errorf(pos, "in a kernel the %s must be a constant string", what)
		return nil, nil
	}
	var args []argument
	if rest := in.Call.Args[i+1]; !isNil(rest) {
		if list := f.value(rest).leaves[0].list; list != nil {
			args = list.args
		} else {
			l.errorf(pos, "in a kernel the values of %s must be written in the call", name)
			return nil, nil
		}
	}
	p := printing{f: f, name: name, pos: pos, args: args}
	if !p.read(text, most) {
		return nil, nil
	}
	return &p.format, p.values
}

func isNil(x ssa.Value) bool {
	c, ok := x.(*ssa.Const)
	return ok && c.IsNil()
}

// printing is a call whose format is being read.
type printing struct {
	f      *frame
	name   string
	pos    token.Pos
	args   []argument
	used   int
	count  int64 // of numbers and bools in the values so far
	format abi.Format
	values []*ir.Value
}

// refuse reports what is wrong with the call.
func (p *printing) refuse(format string, args ...any) bool {
	p.f.l.errorf(p.pos, p.name+": "+format, args...)
	return false
}

// read compares the format with the values. most is the number of parts that they may have.
func (p *printing) read(text string, most int) bool {
	for {
		before, rest, found := strings.Cut(text, "%")
		p.format.Text += before
		if !found {
			break
		}
		n := 0
		for n < len(rest) && strings.IndexByte("+-# 0123456789.", rest[n]) >= 0 {
			n++
		}
		if n == len(rest) {
			return p.refuse("the format ends within a verb: %q", "%"+rest)
		}
		spec, verb := rest[:n], rest[n]
		text = rest[n+1:]
		if verb == '%' {
			p.format.Text += "%%"
			continue
		}
		if !p.verb(spec, verb, most) {
			return false
		}
	}
	switch {
	case p.used < len(p.args):
		return p.refuse("the format has a place for %d of %d values", p.used, len(p.args))
	case p.count > int64(most):
		return p.refuse("%d values: it takes at most %d", p.count, most)
	}
	return true
}

// verbs are package fmt's verbs for each kind of value.
var verbs = map[byte]string{
	abi.PrintBool: "tv", abi.PrintFloat32: "beEfFgGxXv", abi.PrintFloat64: "beEfFgGxXv", 's': "sqvxX",
	abi.PrintFloat16: "beEfFgGxXvsq", abi.PrintBFloat16: "beEfFgGxXvsq", abi.PrintE4M3: "beEfFgGxXvsq", abi.PrintE5M2: "beEfFgGxXvsq",
}

// verb takes the next value for a verb. It counts the parts of values that are too many, and no
// more.
func (p *printing) verb(spec string, verb byte, most int) bool {
	whole := "%" + spec + string(verb)
	if strings.IndexByte("bcdeEfFgGoOqstUvxX", verb) < 0 {
		return p.refuse("%s: a kernel has the verbs of package fmt for numbers, bools and constant strings, without * and [n]", whole)
	}
	if p.used == len(p.args) {
		return p.refuse("%s has no value: the call has %d", whole, len(p.args))
	}
	arg := p.args[p.used]
	p.used++
	t := arg.from.Type()
	if constant, ok := p.f.constString(arg.from); ok {
		if strings.IndexByte(verbs['s'], verb) < 0 {
			return p.refuse("%s is no verb for a value of type %s", whole, p.f.l.typeName(t))
		}
		p.format.Text += strings.ReplaceAll(fmt.Sprintf(whole, constant), "%", "%%")
		return true
	}
	if p.count += countScalars(t); p.count > int64(most) {
		return true
	}
	return p.value(fmtVerb{spec, verb, ""}, t, arg.v)
}

// fmtVerb is a verb of package fmt with its flags, for a value or a part of it.
type fmtVerb struct {
	spec  string
	verb  byte
	field string // the part: "", ", field a.b"
}

func (h fmtVerb) String() string { return "%" + h.spec + string(h.verb) }

// value prints a value: of a struct or an array the parts, as package fmt does.
func (p *printing) value(h fmtVerb, t types.Type, v value) bool {
	kind, ok := printKinds[basicKind(t)]
	switch {
	case ok:
		return p.scalar(h, kind, t, v.one())
	case shortKind(t) != 0:
		return p.scalar(h, shortKind(t), t, v.one())
	case !p.composite(h, t):
		return p.refuse("%s: a value of type %s%s: a kernel prints numbers, bools and constant strings, structs and arrays of them; print its parts",
			h, p.f.l.typeName(t), h.field)
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return p.structure(h, u, t, v)
	case *types.Array:
		p.format.Text += "["
		for i := range int(u.Len()) {
			if i > 0 {
				p.format.Text += " "
			}
			if !p.value(h, u.Elem(), p.f.l.part(v, t, i)) {
				return false
			}
		}
		p.format.Text += "]"
		return true
	}
	return p.complex(h, t, v)
}

// shortKinds are the kinds of package gpu's numbers of 8 and 16 bits.
var shortKinds = map[string]byte{
	"Float16": abi.PrintFloat16, "BFloat16": abi.PrintBFloat16, "E4M3": abi.PrintE4M3, "E5M2": abi.PrintE5M2,
}

// shortKind is the kind of such a type, 0 of others.
func shortKind(t types.Type) byte {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != frontend.GPUPath {
		return 0
	}
	return shortKinds[named.Obj().Name()]
}

// composite reports whether a value of a type is printed in parts: bytes that the verb makes one
// text of are not.
func (p *printing) composite(h fmtVerb, t types.Type) bool {
	if h.verb == 'v' && strings.Contains(h.spec, "#") {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return true
	case *types.Array:
		return basicKind(u.Elem()) != types.Uint8 || strings.IndexByte("sqxX", h.verb) < 0
	case *types.Basic:
		return u.Info()&types.IsComplex != 0
	}
	return false
}

// structure prints a struct, with the names of the fields for %+v.
func (p *printing) structure(h fmtVerb, u *types.Struct, t types.Type, v value) bool {
	names := h.verb == 'v' && strings.Contains(h.spec, "+")
	p.format.Text += "{"
	for i := range u.NumFields() {
		name := u.Field(i).Name()
		if i > 0 {
			p.format.Text += " "
		}
		if names {
			p.format.Text += name + ":"
		}
		part := h
		if part.field += "." + name; h.field == "" {
			part.field = ", field " + name
		}
		if !p.value(part, u.Field(i).Type(), p.f.l.part(v, t, i)) {
			return false
		}
	}
	p.format.Text += "}"
	return true
}

// complex prints a complex number: the imaginary part always has a sign.
func (p *printing) complex(h fmtVerb, t types.Type, v value) bool {
	kind := byte(abi.PrintFloat64)
	if t.Underlying().(*types.Basic).Kind() == types.Complex64 {
		kind = abi.PrintFloat32
	}
	p.format.Text += "("
	if !p.scalar(h, kind, t, v.leaves[0].v) {
		return false
	}
	if h.spec = "+" + h.spec; h.verb == 'v' {
		h.verb = 'g'
	}
	p.scalar(h, kind, t, v.leaves[1].v)
	p.format.Text += "i)"
	return true
}

// scalar prints a number or a bool. In %+v the + asks for the names of fields, and for no sign.
func (p *printing) scalar(h fmtVerb, kind byte, t types.Type, v *ir.Value) bool {
	allowed := verbs[kind]
	if allowed == "" {
		allowed = "bcdoOqxXUv"
	}
	if strings.IndexByte(allowed, h.verb) < 0 {
		return p.refuse("%s is no verb for a value of type %s%s", h, p.f.l.typeName(t), h.field)
	}
	p.format.Text += h.String()
	p.format.Kinds += string(kind)
	p.values = append(p.values, v)
	return true
}

// printKinds are the kinds of values that a kernel prints.
var printKinds = map[types.BasicKind]byte{
	types.Bool: abi.PrintBool, types.Int: abi.PrintInt, types.Int8: abi.PrintInt8, types.Int16: abi.PrintInt16,
	types.Int32: abi.PrintInt32, types.Int64: abi.PrintInt64, types.Uint: abi.PrintUint, types.Uint8: abi.PrintUint8,
	types.Uint16: abi.PrintUint16, types.Uint32: abi.PrintUint32, types.Uint64: abi.PrintUint64,
	types.Float32: abi.PrintFloat32, types.Float64: abi.PrintFloat64,
}

// basicKind is the kind of a basic type, types.Invalid of others.
func basicKind(t types.Type) types.BasicKind {
	if b, ok := t.Underlying().(*types.Basic); ok {
		return b.Kind()
	}
	return types.Invalid
}
