package ptx

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestTableAgainstPtxas writes instructions from the forms of the table, with every combination of
// their modifiers up to a number, and assembles those that verify at their least version and
// target. It is skipped without ptxas.
func TestTableAgainstPtxas(t *testing.T) {
	p := findPtxas(t)
	groups := map[string][]string{} // lines by what they need
	n := 0
	for _, line := range tableLines() {
		m, err := check(tableModule("8.4", "sm_90a", line))
		if err != nil {
			continue // a rule that the table does not have: see refused.txt
		}
		version, target := MinVersion(m)
		key := version.String() + " " + target
		groups[key] = append(groups[key], line)
		n++
	}
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		version, target, _ := strings.Cut(key, " ")
		for chunk := range slices.Chunk(groups[key], 2000) {
			text := tableModule(version, target, strings.Join(chunk, "\n"))
			if err := p.assemble(t, text, target); err != nil {
				s := err.Error()
				t.Errorf("not all that should need no more than %s assembles: %s", key, s[:min(len(s), 2000)])
			}
		}
	}
	t.Logf("%d instructions", n)
	if n < 12000 {
		t.Errorf("only %d instructions of the table were assembled", n)
	}
}

// tableModule is instrModule with registers of 128 bits.
func tableModule(version, target, lines string) string {
	if strings.Contains(lines, "q1") {
		lines = ".reg .b128 q<8>;\n" + lines
	}
	return instrModule(version, target, ".param .align 16 .b8 lp[64];\n"+lines)
}

// tableLines writes instructions for the forms of the table, at most 300 a form, with and without
// optional parts.
func tableLines() []string {
	rng := rand.New(rand.NewPCG(1, 2))
	lines := map[string]bool{}
	all := forms()
	for _, op := range slices.Sorted(maps.Keys(all)) {
		if op == "call" || op == "brx" {
			continue // they need more than a line
		}
		for _, f := range all[op] {
			combinations := expand(f.groups)
			rng.Shuffle(len(combinations), func(i, j int) {
				combinations[i], combinations[j] = combinations[j], combinations[i]
			})
			for _, mods := range combinations[:min(len(combinations), 300)] {
				lines[tableLine(f, mods, false)] = true
				lines[tableLine(f, mods, true)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(lines))
}

// tableLine writes one instruction of a form.
func tableLine(f *Form, mods []string, full bool) string {
	d := &Decoded{Form: f}
	if !f.match(mods, f.groups, d) {
		panic("expand made what match does not take")
	}
	d.resolve()
	var args []string
	for i, o := range f.operands {
		if !d.lacks(o) && (full || !o.optional) {
			args = append(args, tableOperand(d, d.operand(o), i, full))
		}
	}
	in := Instr{Op: f.Op, Mods: mods}
	return in.Opcode() + " " + strings.Join(args, ", ") + ";"
}

// tableOperand writes an operand that fits.
func tableOperand(d *Decoded, o OperandForm, i int, full bool) string {
	switch o.Kind {
	case AddressOperand:
		if o.Space == ParamSpace && d.Form.Op == "st" {
			return "[lp]"
		}
		return map[Space]string{GenericSpace: "[rd7]", GlobalSpace: "[rd7]", SharedSpace: "[sv]", LocalSpace: "[lv]",
			ConstSpace: "[cv]", ParamSpace: "[pv]"}[o.Space]
	case LabelOperand:
		return "L"
	case ImmOperand:
		if n, ok := map[string]string{"discard": "128", "applypriority": "128", "pmevent": "7", "setmaxnreg": "24"}[d.Form.Op]; ok {
			return n
		}
		switch {
		case d.Has("replace"):
			return "0"
		case d.Has("tensormap::generic"):
			return "128"
		case d.Has("mma_async"):
			return "1"
		}
		return "16"
	}
	form := texelForms[d.Mod("dim")]
	switch o.Kind {
	case HandleOperand:
		return "[rd7]"
	case SlopesOperand:
		return "{" + strings.Join([]string{"f1", "f2", "f3", "f4"}[:form.slopes], ", ") + "}"
	case TextureOperand:
		var elements []string
		for k := range form.written {
			t := o.Type
			if k == 0 && form.layered {
				t = B32
			}
			elements = append(elements, tableReg(t, k))
		}
		return "[rd7, {" + strings.Join(elements, ", ") + "}]"
	}
	if o.Count > 0 {
		var elements []string
		for k := range o.Count {
			elements = append(elements, tableReg(o.Type, (i+k)%7))
		}
		return "{" + strings.Join(elements, ", ") + "}"
	}
	if o.Vector {
		var elements []string
		for lane := range d.Lanes {
			elements = append(elements, tableReg(o.Type, lane))
		}
		return "{" + strings.Join(elements, ", ") + "}"
	}
	reg := tableReg(o.Type, i)
	if o.Second != "" && (full || !o.secondOptional) {
		reg += "|p6"
	}
	return reg
}

// tableReg is register number i of a type.
func tableReg(t Type, i int) string {
	prefix := map[Type]string{Pred: "p", F32: "f", F64: "fd", B128: "q"}[t]
	if prefix == "" {
		prefix = map[int]string{8: "h", 16: "h", 32: "r", 64: "rd"}[t.Bits()]
	}
	return fmt.Sprint(prefix, i+1)
}
