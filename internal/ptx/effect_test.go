package ptx

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestEffectsOfForms holds the effect table against the instruction table: every form, with each of
// its modifiers and with and without its optional operands, has one row, and that row gives its
// operands roles that fit their kinds.
func TestEffectsOfForms(t *testing.T) {
	t.Parallel()
	used := map[*Effects]bool{}
	n := 0
	all := forms()
	for _, op := range slices.Sorted(maps.Keys(all)) {
		for _, f := range all[op] {
			if op == "call" {
				continue
			}
			optional := slices.ContainsFunc(f.operands, func(o OperandForm) bool { return o.optional })
			samples := sampled(f.groups)
			if optional { // with those that take modifiers, and those that do not
				samples = append(samples, append(samples[1:], samples[0])...)
			}
			for i, mods := range samples {
				in, d := formInstr(t, f, mods, i%2 == 1)
				e := in.Effects()
				used[e] = true
				n++
				if e.Kind == NoKind {
					t.Errorf("%s has no row", in.Opcode())
					continue
				}
				if other := rival(e, in); other != nil {
					t.Errorf("%s has two rows: %s and %s", in.Opcode(), e, other)
				}
				for i, u := range e.Uses(in) {
					if why := unfit(d.Operands[i], u); why != "" {
						t.Errorf("%s: operand %d, %s: %s", in, i, u.Role, why)
					}
				}
			}
		}
	}
	for _, list := range effects() {
		for _, e := range list {
			if !used[e] && e.Kind != Calls {
				t.Errorf("no instruction has the row %s", e)
			}
		}
	}
	t.Logf("%d instructions", n)
	if n < 5000 {
		t.Errorf("only %d instructions", n)
	}
}

// sampled are sequences of modifiers that groups match: without and with all that is optional, and
// with each value of each group once, of long groups with some.
func sampled(groups []group) (list [][]string) {
	add := func(full bool, at, value int) {
		var mods []string
		for i, g := range groups {
			switch {
			case i == at:
				mods = append(mods, g.values[value])
			case full || !g.optional:
				mods = append(mods, g.values[0])
			}
		}
		list = append(list, mods)
	}
	add(false, -1, 0)
	add(true, -1, 0)
	for i, g := range groups {
		for v := 0; v < len(g.values); v += 1 + len(g.values)/16 {
			add(false, i, v)
			add(true, i, v)
		}
	}
	return list
}

// formInstr is an instruction of a form.
func formInstr(t *testing.T, f *Form, mods []string, full bool) (*Instr, *Decoded) {
	t.Helper()
	if f.Op == "brx" {
		in := &Instr{Op: f.Op, Mods: mods, Args: []Operand{Name("r1"), Name("ts")}}
		d, err := Decode(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		return in, d
	}
	line := tableLine(f, mods, full)
	in := parseInstr(t, strings.TrimSuffix(line, ";"))
	d := &Decoded{Form: f}
	if !f.match(mods, f.groups, d) {
		t.Fatal(line)
	}
	d.resolve()
	if err := d.arrange(in); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return in, d
}

// rival is another row that holds for an instruction and has as many modifiers as the first.
func rival(e *Effects, in *Instr) *Effects {
	for _, other := range effects()[in.Op] {
		if other != e && len(other.mods) == len(e.mods) && other.has(in.Mods) {
			return other
		}
	}
	return nil
}

// unfit says why an operand cannot be for what a row says.
func unfit(o OperandForm, u Uses) string {
	written := u.Role == Result || u.Role == Sum
	switch o.Kind {
	case TextureOperand:
		if u.Role != Handle {
			return "it is a texture"
		}
		return ""
	case AddressOperand, TensorOperand, HandleOperand:
		if u.Role != Address {
			return "it is an address"
		}
		if box := u.Touch.Size == BoxSize; o.Kind == TensorOperand && u.Touch.Size != NoSize && !box {
			return "it is a tensor's"
		}
		return ""
	case LabelOperand, TargetsOperand:
		if u.Role != Target {
			return "it is a label"
		}
		return ""
	case ImmOperand:
		switch u.Role {
		case Constant, Bytes, Field:
			return ""
		}
		return "it is a constant"
	}
	switch {
	case u.Role == Constant:
		return "it is no constant"
	case u.Role == NoRole:
		return "it has no role"
	case u.Role == Address:
		return "it is no address"
	case o.Write != written:
		return "written or not?"
	case (u.Role == Condition || u.Role == Chooser || u.Role == Predicate) && o.Type != Pred:
		return "it is no predicate"
	}
	return ""
}

// TestEffectsOfUnknown says nothing of what the table does not have.
func TestEffectsOfUnknown(t *testing.T) {
	t.Parallel()
	for _, in := range []*Instr{{}, {Op: "frobnicate"}, {Op: "mbarrier"}, {Op: "cp", Mods: []string{"bulk"}}, {Op: "bar", Mods: []string{"warp"}}} {
		if e := in.Effects(); e.Kind != NoKind || e.Meets != NoMeeting || len(e.Uses(in)) != 0 {
			t.Errorf("%s has effects: %s", in.Opcode(), e)
		}
	}
	in := &Instr{Op: "st", Mods: []string{"u32"}, Args: slices.Repeat([]Operand{Name("a")}, 9)}
	if got := in.Effects().Uses(in); len(got) != 9 || got[8].Role != NoRole {
		t.Errorf("nine operands of a store are for %v", got)
	}
}
