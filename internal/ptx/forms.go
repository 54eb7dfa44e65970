package ptx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gridstride/gridstride/internal/abi"
)

// Needs is the lowest PTX version and target that something needs. The zero Needs is met by all. A
// target with a letter, sm_90a, is needed by what there is for this architecture alone.
type Needs struct {
	Version Version
	Target  abi.Target
}

// Less reports whether v is lower than w.
func (v Version) Less(w Version) bool {
	return v.Major < w.Major || v.Major == w.Major && v.Minor < w.Minor
}

// String returns "7.0".
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// and returns what meets both needs, if anything does.
func (n Needs) and(m Needs) Needs {
	if n.Version.Less(m.Version) {
		n.Version = m.Version
	}
	if !n.Target.Has(m.Target) && (m.Target.Has(n.Target) || n.Target.Compare(m.Target) < 0) {
		n.Target = m.Target
	}
	return n
}

// Form is one line of the instruction table.
type Form struct {
	Op    string
	Needs Needs

	groups   []group
	operands []OperandForm
	alike    bool // another line of the table has the same modifiers
}

// group is one of the modifiers that a form has, in their sequence.
type group struct {
	name     string // the name that Mod takes; "T" and "U" for types; a lone modifier's own name
	values   []string
	optional bool
}

func (g group) equal(h group) bool {
	return g.name == h.name && g.optional == h.optional && slices.Equal(g.values, h.values)
}

// OperandKind says what an operand is.
type OperandKind uint8

// The kinds of operands.
const (
	ValueOperand   OperandKind = iota // a register or constant of OperandForm.Type
	AddressOperand                    // a memory address in OperandForm.Space
	TensorOperand                     // a Texel: the address of a tensor map, and coordinates
	TextureOperand                    // a Texel: the handle of a texture or surface, and coordinates
	HandleOperand                     // an Addr: the handle of a texture or surface
	SlopesOperand                     // slopes of the coordinates of a texture, a Vec of them unless there is one
	LabelOperand                      // a label
	TargetsOperand                    // the name of a .branchtargets table
	ImmOperand                        // an integer constant
	SourceOperand                     // what mov and cvta copy: also an address, a special register, a vector
	CallOperand                       // a part of a call: see Instr.Call
)

// OperandForm describes one operand of an instruction. In a Form its Type and Second may be "T",
// "U" and "W". In a Decoded they are types.
type OperandForm struct {
	Kind OperandKind
	Type Type
	// Write says that the instruction writes the operand: it is a register, or a Vec or Pair of
	// them.
	Write bool
	// Vector says that the operand is a Vec of Decoded.Lanes elements of Type.
	Vector bool
	// Count is the number of elements of Type if the operand is a Vec of fixed length, else 0.
	Count int
	// Wider says that a register may be wider than Type: a load extends into it, a store takes its
	// low bits.
	Wider bool
	// Second is the type of the second result after a '|', or "".
	Second Type
	// Space is the state space of an address.
	Space Space
	// Select says which selectors may follow a register: see Selected.
	Select string

	secondOptional bool
	sink           bool // "_" may replace the result
	special        bool // the operand may be a special register
	optional       bool
	byShape        bool   // Count follows from the columns of wgmma's shape: {n}
	ifMod          string // the operand is there when the instruction has this modifier, and only then
}

// forms are the lines of the instruction table by opcode.
var forms = sync.OnceValue(func() map[string][]*Form {
	table := map[string][]*Form{}
	for line := range strings.Lines(instructionTable) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		f := parseForm(line)
		for _, g := range table[f.Op] {
			if slices.EqualFunc(g.groups, f.groups, group.equal) {
				f.alike, g.alike = true, true
			}
		}
		table[f.Op] = append(table[f.Op], f)
	}
	return table
})

// parseForm reads one line of the table. A mistake in it is a bug.
func parseForm(line string) *Form {
	rest, needs, _ := strings.Cut(line, "@")
	mods, operands, ok := strings.Cut(rest, " :")
	if !ok {
		panic("BUG: instruction form without operands: " + line)
	}
	words := strings.Fields(mods)
	f := &Form{Op: words[0], Needs: parseNeeds(needs)}
	for _, w := range words[1:] {
		f.groups = append(f.groups, parseGroup(w))
	}
	if operands = strings.TrimSpace(operands); operands != "" {
		for o := range strings.SplitSeq(operands, ",") {
			f.operands = append(f.operands, parseOperandForm(strings.TrimSpace(o), line))
		}
	}
	return f
}

// parseNeeds reads "8.0 sm_90".
func parseNeeds(s string) Needs {
	var n Needs
	for w := range strings.FieldsSeq(s) {
		if t, ok := abi.ParseTarget(w); ok {
			n.Target = t
			continue
		}
		major, minor, _ := strings.Cut(w, ".")
		n.Version.Major, _ = strconv.Atoi(major)
		n.Version.Minor, _ = strconv.Atoi(minor)
	}
	return n
}

// parseGroup reads "ftz?", "rnd", "T=u32|s32" or "T=mem".
func parseGroup(word string) group {
	var g group
	word, g.optional = strings.CutSuffix(word, "?")
	name, values, written := strings.Cut(word, "=")
	if !written {
		values = name
	}
	if shared, ok := modifierGroups[values]; ok {
		values = shared
	}
	if renamed, ok := groupNames[name]; ok {
		name = renamed
	}
	g.name = name
	g.values = strings.Split(values, "|")
	return g
}

// parseOperandForm reads one operand of a line of the table.
func parseOperandForm(s, line string) OperandForm {
	var o OperandForm
	s, o.ifMod, _ = strings.Cut(s, "/")
	s, o.Write = strings.CutPrefix(s, ">")
	s, o.Wider = strings.CutPrefix(s, "~")
	s, o.Vector = strings.CutPrefix(s, "*")
	if s, count, ok := strings.Cut(s, "{"); ok {
		o.byShape = count == "n}"
		o.Count, _ = strconv.Atoi(strings.TrimSuffix(count, "}"))
		o.Type = Type(s)
		return o
	}
	s, second, _ := strings.Cut(s, "|")
	if second != "" {
		second, o.secondOptional = strings.CutSuffix(second, "?")
		o.Second = Type(second)
	}
	s, o.optional = strings.CutSuffix(s, "?")
	s, o.sink = strings.CutSuffix(s, "_")
	s, o.special = strings.CutSuffix(s, "%")
	s, o.Select, _ = strings.Cut(s, ".")
	switch s {
	case "[a]":
		o.Kind = AddressOperand
	case "[shared]", "[global]":
		o.Kind, o.Space = AddressOperand, Space(strings.Trim(s, "[]"))
	case "[tensor]":
		o.Kind = TensorOperand
	case "[texture]":
		o.Kind, o.Type = TextureOperand, "U"
	case "[surface]":
		o.Kind, o.Type = TextureOperand, S32
	case "[handle]":
		o.Kind = HandleOperand
	case "slopes":
		o.Kind, o.Type = SlopesOperand, F32
	case "label":
		o.Kind = LabelOperand
	case "targets":
		o.Kind = TargetsOperand
	case "imm":
		o.Kind = ImmOperand
	case "source":
		o.Kind, o.Type = SourceOperand, "T"
	case "call":
		o.Kind = CallOperand
	case "T", "U", "W":
		o.Type = Type(s)
	default:
		if _, ok := fundamental[Type(s)]; !ok {
			panic("BUG: unknown operand " + s + " in instruction form: " + line)
		}
		o.Type = Type(s)
	}
	return o
}

// Decoded is an instruction as the instruction table reads it: the meaning of its modifiers and
// operands without a scope. No other code depends on the places of modifiers and operands.
type Decoded struct {
	Form *Form
	// Type is the (first) type of the opcode. SrcType is the second type if there are two, else the
	// same: cvt.f32.s32 has Type F32 and SrcType S32. Both are "" for instructions without a type.
	Type, SrcType Type
	// Space is the state space of a memory instruction: SharedSpace for .shared::cta too
	// (Mod("space") tells them apart), GenericSpace if none is written.
	Space Space
	// Lanes is 2, 4 or 8 for .v2, .v4 and .v8, else 0.
	Lanes int
	// Operands describe the instruction's Args, one each. A call has none: see Instr.Call.
	Operands []OperandForm
	// Modifiers are the opcode's modifiers, in the order of the instruction table.
	Modifiers
}

// Modifiers are the modifiers of an instruction, types and state spaces among them, each with the
// group of the instruction table that it belongs to.
type Modifiers []Modifier

// Modifier is the modifier Value of a group. A modifier without a group has its own name as Group.
type Modifier struct{ Group, Value string }

// Mod returns the value of a group of modifiers, or "": for setp.lt.f32, Mod("cmp") is "lt". The
// groups are named in the instruction table.
func (m Modifiers) Mod(group string) string {
	for i := range m {
		if m[i].Group == group {
			return m[i].Value
		}
	}
	return ""
}

// Has reports whether the instruction has a modifier that is no group: Has("sat"), Has("ftz"),
// Has("volatile").
func (m Modifiers) Has(flag string) bool { return m.Mod(flag) == flag }

// String returns the modifiers as in an opcode, such as ".rn.f32", or "" if there are none.
func (m Modifiers) String() string {
	var b strings.Builder
	for i := range m {
		b.WriteString("." + m[i].Value)
	}
	return b.String()
}

// Needs is the version and target that the instruction needs, at least PTX 1.0.
func (d *Decoded) Needs() Needs {
	n := d.Form.Needs
	for _, m := range d.Modifiers {
		n = n.and(modifierNeeds[m.Value]).and(modifierNeeds[m.Group+"="+m.Value])
	}
	if d.Type == B128 && d.Mod("scope") == "sys" {
		n = n.and(Needs{Version: Version{8, 4}})
	}
	return n
}

// Decode reads an instruction by the instruction table. The scope, which may be nil, tells forms
// apart that differ in the types of operands alone. The error says what in the opcode or in the
// number of operands is wrong. Whether the operands are right is Verify's part.
func Decode(in *Instr, scope *Scope) (*Decoded, error) {
	candidates := forms()[in.Op]
	if candidates == nil {
		return nil, unknownOp(in)
	}
	d, err := decodeBy(in, scope, candidates, (*Form).match)
	if d == nil && err == nil {
		d, err = decodeBy(in, scope, candidates, (*Form).matchAnyOrder)
	}
	if d == nil && err == nil {
		err = unknownModifier(in, candidates)
	}
	return d, err
}

// decodeBy reads an instruction by the first form that matches, nil when none does. The error is of
// a form whose modifiers match and whose number of operands does not.
func decodeBy(in *Instr, scope *Scope, candidates []*Form,
	match func(f *Form, mods []string, groups []group, d *Decoded) bool) (*Decoded, error) {
	var first error
	var nearly *Decoded // whose operands are of other types
	for _, f := range candidates {
		d := &Decoded{Form: f}
		if !match(f, in.Mods, f.groups, d) {
			continue
		}
		d.resolve()
		switch err := d.arrange(in); {
		case err == nil && (!f.alike || d.standsAs(in, scope)):
			return d, nil
		case err == nil && nearly == nil:
			nearly = d
		case first == nil:
			first = err
		}
	}
	if nearly != nil {
		return nearly, nil
	}
	return nil, first
}

// standsAs reports whether the predicates and the vectors among the arguments are in the places
// that the form has for them.
func (d *Decoded) standsAs(in *Instr, scope *Scope) bool {
	for i, o := range d.Operands {
		switch _, isName := in.Args[i].(Name); {
		case isName && o.Count > 0:
			return false
		case isVec(in.Args[i]) && o.Count == 0 && !o.Vector && !o.Write && o.Kind == ValueOperand:
			return false
		}
		_, is := in.Args[i].(Not)
		if name, ok := in.Args[i].(Name); ok {
			sym, known := scope.Lookup(string(name))
			if !known {
				continue
			}
			is = sym.Kind == RegisterSymbol && sym.Type == Pred
		} else if !is {
			continue
		}
		if is != (o.Type == Pred) {
			return false
		}
	}
	return true
}

func isVec(o Operand) bool {
	_, ok := o.(Vec)
	return ok
}

// match assigns modifiers to groups in their order.
func (f *Form) match(mods []string, groups []group, d *Decoded) bool {
	if len(groups) == 0 {
		return len(mods) == 0
	}
	g := groups[0]
	if len(mods) > 0 && slices.Contains(g.values, mods[0]) {
		have := len(d.Modifiers)
		d.Modifiers = append(d.Modifiers, Modifier{g.name, mods[0]})
		if f.match(mods[1:], groups[1:], d) {
			return true
		}
		d.Modifiers = d.Modifiers[:have]
	}
	return g.optional && f.match(mods, groups[1:], d)
}

// matchAnyOrder assigns modifiers to groups whatever their order, as ptxas does: libcu++ writes
// atom.add.relaxed.gpu.u32. Only types must be in order, since the order tells them apart.
func (f *Form) matchAnyOrder(mods []string, groups []group, d *Decoded) bool {
	rest := slices.Clone(mods)
	typeAt := -1
	for _, g := range groups {
		i := slices.IndexFunc(rest, func(m string) bool { return slices.Contains(g.values, m) })
		switch {
		case i >= 0:
			if g.name == "T" || g.name == "U" {
				at := slices.Index(mods, rest[i])
				if at < typeAt {
					return false
				}
				typeAt = at
			}
			d.Modifiers = append(d.Modifiers, Modifier{g.name, rest[i]})
			rest = slices.Delete(rest, i, i+1)
		case !g.optional:
			return false
		}
	}
	return len(rest) == 0
}

// resolve fills in what the modifiers say.
func (d *Decoded) resolve() {
	d.Type = Type(d.Mod("T"))
	d.SrcType = Type(d.Mod("U"))
	if d.SrcType == "" {
		d.SrcType = d.Type
	}
	space, _, _ := strings.Cut(d.Mod("space"), "::")
	d.Space = Space(space)
	if vec := d.Mod("vec"); vec != "" {
		d.Lanes = int(vec[1] - '0')
	}
}

// arrange gives each argument its operand form.
func (d *Decoded) arrange(in *Instr) error {
	if len(d.Form.operands) == 1 && d.Form.operands[0].Kind == CallOperand {
		return nil // the parts of a call are lists
	}
	least, most := 0, 0
	for _, o := range d.Form.operands {
		if d.lacks(o) {
			continue
		}
		most++
		if !o.optional {
			least++
		}
	}
	if n := len(in.Args); n < least || n > most {
		return fmt.Errorf("%s has %s, not %d", in.Opcode(), operandCount(least, most), n)
	}
	spare := len(in.Args) - least // optional operands that are there, from the left
	for _, o := range d.Form.operands {
		switch {
		case d.lacks(o), o.optional && spare == 0:
			continue
		case o.optional:
			spare--
		}
		d.Operands = append(d.Operands, d.operand(o))
	}
	return nil
}

// lacks reports whether the instruction is without the modifier that an operand comes with.
func (d *Decoded) lacks(o OperandForm) bool { return o.ifMod != "" && d.Mod(o.ifMod) == "" }

// operand resolves the types and the state space of an operand.
func (d *Decoded) operand(o OperandForm) OperandForm {
	o.Type = d.typeOf(o.Type)
	o.Second = d.typeOf(o.Second)
	if o.Kind == AddressOperand && o.Space == "" {
		o.Space = d.Space
	}
	o.Vector = o.Vector && d.Lanes > 0
	if o.byShape { // a thread has 64*n/128 elements
		var columns int
		fmt.Sscanf(d.Mod("shape"), "m64n%d", &columns)
		o.Count = columns / 2
		if o.Type == F16x2 {
			o.Count /= 2
		}
	}
	return o
}

func (d *Decoded) typeOf(t Type) Type {
	switch t {
	case "T":
		return d.Type
	case "U":
		return d.SrcType
	case "W":
		return wide[d.Type]
	}
	return t
}

// wide maps the types of mul.wide to the types of its product.
var wide = map[Type]Type{U16: U32, S16: S32, U32: U64, S32: S64}

func operandCount(least, most int) string {
	switch {
	case most == 0:
		return "no operands"
	case least == most && most == 1:
		return "1 operand"
	case least == most:
		return fmt.Sprintf("%d operands", most)
	case least+1 == most:
		return fmt.Sprintf("%d or %d operands", least, most)
	}
	return fmt.Sprintf("%d to %d operands", least, most)
}

// Call is the parts of a call instruction: "call (results), target, (args), table;".
type Call struct {
	Uniform bool // call.uni
	Results []Operand
	Target  Operand // the name of a function, or a register for an indirect call
	Args    []Operand
	Table   string // the .callprototype or .calltargets of an indirect call, "" for a direct one
}

// Call takes a call instruction apart.
func (in *Instr) Call() (Call, error) {
	c := Call{Uniform: slices.Contains(in.Mods, "uni")}
	args := in.Args
	if len(args) > 0 {
		if results, ok := args[0].(List); ok {
			c.Results, args = results, args[1:]
		}
	}
	if len(args) == 0 {
		return c, fmt.Errorf("call names no function")
	}
	c.Target, args = args[0], args[1:]
	if _, ok := c.Target.(Name); !ok {
		return c, fmt.Errorf("call of %s, which is no function", OperandString(c.Target))
	}
	if len(args) > 0 {
		if list, ok := args[0].(List); ok {
			c.Args, args = list, args[1:]
		}
	}
	if len(args) > 0 {
		table, ok := args[0].(Name)
		if !ok || len(args) > 1 {
			return c, fmt.Errorf("call has operands after its arguments: %s", OperandString(args[0]))
		}
		c.Table = string(table)
	}
	return c, nil
}

// EndsBlock reports whether no instruction after in runs unless something branches to it: an
// unguarded branch, or the end of a function or a thread.
func (in *Instr) EndsBlock() bool { return in.Guard == nil && in.Effects().Leaves() }
