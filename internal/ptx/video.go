package ptx

import "strings"

// This file has the operands of video instructions: registers with a selector, "%r1.b3" and
// "%r1.h10", and negated ones, "-%r1".

// Neg is a negated register of vmad: "-%r1".
type Neg struct {
	Reg string
}

func (Neg) operand() {}

// Selected takes a video instruction's operand apart: the operand without a selector, the selector,
// "" where none is written, and whether the register is negated.
func Selected(o Operand) (plain Operand, selector string, negated bool) {
	if neg, ok := o.(Neg); ok {
		o, negated = Name(neg.Reg), true
	}
	name, ok := o.(Name)
	if !ok {
		return o, "", negated
	}
	reg, selector, _ := strings.Cut(string(name), ".")
	return Name(reg), selector, negated
}

// selectorOf are the selectors that OperandForm.Select names, by what tells whether one is such.
var selectorOf = map[string]func(s string) bool{
	"part":    isPart,
	"negpart": isPart,
	"neg":     func(string) bool { return false },
	"halves":  func(s string) bool { return len(s) == 3 && s[0] == 'h' && digitsBelow(s[1:], '4') },
	"bytes":   func(s string) bool { return len(s) == 5 && s[0] == 'b' && digitsBelow(s[1:], '8') },
	"hmask":   func(s string) bool { return s[0] == 'h' && falls(s[1:], '2') },
	"bmask":   func(s string) bool { return s[0] == 'b' && falls(s[1:], '4') },
}

// isPart says whether a selector names a byte or a half word.
func isPart(s string) bool {
	return len(s) == 2 && (s[0] == 'b' && s[1] >= '0' && s[1] < '4' || s[0] == 'h' && s[1] >= '0' && s[1] < '2')
}

// digitsBelow says whether a text has digits below another alone.
func digitsBelow(s string, end byte) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] >= end {
			return false
		}
	}
	return true
}

// falls says whether each digit of a text is below the one before it, and the first below end.
func falls(s string, end byte) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] >= end {
			return false
		}
		end = s[i]
	}
	return s != ""
}

// selected checks an operand that may have a selector.
func (v *verifier) selected(in *Instr, o OperandForm, arg Operand) {
	plain, selector, negated := Selected(arg)
	switch name, _ := plain.(Name); {
	case selector != "" && !selectorOf[o.Select](selector):
		v.instrError(in, "%s has no selector .%s here", in.Opcode(), selector)
	case negated && o.Select != "neg" && o.Select != "negpart":
		v.instrError(in, "%s cannot negate %s", in.Opcode(), name)
	default:
		v.scalar(in, o, plain)
	}
}

// merged checks that a video instruction has a third input if it writes only a part of a register.
func (v *verifier) merged(in *Instr, d *Decoded) {
	_, selector, _ := Selected(in.Args[0])
	if d.Operands[0].Select == "part" && selector != "" && len(in.Args) < 4 {
		v.instrError(in, "%s needs a fourth operand if its result is a part of a register", in.Opcode())
	}
}
