package ptx

import (
	"slices"
	"strings"
	"sync"
)

// Opcode is an operation with its modifiers: "add.rn.f32". Op.Of and OpcodeOf make opcodes that the
// instruction table has, and no others.
type Opcode struct {
	op   string
	mods []string
}

// Qualifier is a part of an opcode behind the operation: a Mod, a Space or a Type.
type Qualifier interface{ qualifier() string }

func (m Mod) qualifier() string   { return string(m) }
func (s Space) qualifier() string { return string(s) }
func (t Type) qualifier() string  { return string(t) }

// Of returns the opcode of an operation with modifiers, in PTX's order. Empty ones, such as
// GenericSpace, are left out. It panics for an opcode that the instruction table does not have.
func (op Op) Of(list ...Qualifier) Opcode {
	var mods []string
	for _, q := range list {
		if text := q.qualifier(); text != "" {
			mods = append(mods, text)
		}
	}
	return checkedOpcode(string(op), mods)
}

// OpcodeOf returns the opcode that a text says, such as
// "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64". It panics for one that the instruction table
// does not have.
func OpcodeOf(text string) Opcode {
	op, mods, found := strings.Cut(text, ".")
	if !found {
		return checkedOpcode(op, nil)
	}
	return checkedOpcode(op, strings.Split(mods, "."))
}

// As returns the opcode of another operation with the same modifiers.
func (o Opcode) As(op Op) Opcode { return checkedOpcode(string(op), o.mods) }

// Instr returns an instruction with the opcode.
func (o Opcode) Instr(args ...Operand) *Instr {
	return &Instr{Op: o.op, Mods: slices.Clip(o.mods), Args: args}
}

// String returns the opcode's text.
func (o Opcode) String() string { return strings.Join(append([]string{o.op}, o.mods...), ".") }

// knownOpcodes are the opcodes that checkedOpcode has found in the instruction table, by their text.
var knownOpcodes sync.Map

func checkedOpcode(op string, mods []string) Opcode {
	o := Opcode{op, mods}
	text := o.String()
	if known, ok := knownOpcodes.Load(text); ok {
		return known.(Opcode)
	}
	if !slices.ContainsFunc(forms()[op], func(f *Form) bool { return f.match(mods, f.groups, &Decoded{Form: f}) }) {
		panic("BUG: PTX has no opcode " + text)
	}
	knownOpcodes.Store(text, o)
	return o
}
