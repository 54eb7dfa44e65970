package ptx

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// unknownOp says that an opcode is in no form of the table, and what is near.
func unknownOp(in *Instr) error {
	if family, ok := unsupported[in.Op]; ok {
		return fmt.Errorf("%s is not supported, as all %s", in.Opcode(), family)
	}
	if near := nearest(in.Op, slices.Sorted(maps.Keys(forms()))); near != "" {
		return fmt.Errorf("unknown instruction %s; did you mean %s?", in.Opcode(), near)
	}
	return fmt.Errorf("unknown instruction %s", in.Opcode())
}

// unsupported are the instructions that PTX has and the table leaves out.
var unsupported = func() map[string]string {
	table := map[string]string{}
	for family, ops := range map[string]string{
		"texture and surface instructions":  "istypep sured",
		"matrix instructions":               "mma movmatrix tcgen05",
		"tensor and multicast instructions": "multimem clusterlaunchcontrol",
	} {
		for op := range strings.FieldsSeq(ops) {
			table[op] = family
		}
	}
	return table
}()

// unsupportedForms are forms that PTX has of instructions in the table and that the table leaves out.
var unsupportedForms = func() (list []struct{ opcode, instead string }) {
	for opcodes, instead := range map[string]string{
		"sust.p": "a formatted store converts numbers to the surface's format; store the bytes of a texel by sust.b, as CUDA's surf2Dwrite does",
		"txq.channel_data_type txq.channel_order suq.channel_data_type suq.channel_order suq.memory_layout": "pass the format to the kernel",
		"txq.normalized_coords txq.filter_mode txq.addr_mode_0 txq.addr_mode_1 txq.addr_mode_2 txq.force_unnormalized_coords": "pass what the " +
			"kernel has to know of the sampler",
		"txq.num_mipmap_levels txq.level":    "there are no mipmaps, every texture has one level",
		"txq.num_samples tex.2dms tex.a2dms": "there are no textures of several samples",
		"tld4.r.a2dms tld4.r.2dms tex.base":  "there are no mipmaps and no textures of several samples",
	} {
		for opcode := range strings.FieldsSeq(opcodes) {
			list = append(list, struct{ opcode, instead string }{opcode, instead})
		}
	}
	return list
}()

// unknownModifier finds the form of an opcode that matches furthest. It says which modifier stops
// it, and which modifiers could be in that place.
func unknownModifier(in *Instr, candidates []*Form) error {
	for _, r := range unsupportedForms {
		if op := in.Opcode(); op == r.opcode || strings.HasPrefix(op, r.opcode+".") {
			return fmt.Errorf("%s is not supported: %s", op, r.instead)
		}
	}
	far, next := -1, []string(nil)
	for _, f := range candidates {
		at, could := f.reach(in.Mods, 0, f.groups)
		if at > far {
			far, next = at, nil
		}
		if at == far {
			next = append(next, could...)
		}
	}
	slices.Sort(next)
	next = slices.Compact(next)
	prefix := strings.Join(append([]string{in.Op}, in.Mods[:far]...), ".")
	if far == len(in.Mods) {
		return fmt.Errorf("%s is not complete: after %s comes %s", in.Opcode(), prefix, choice(next))
	}
	bad := in.Mods[far]
	if len(next) == 0 {
		return fmt.Errorf("unknown modifier .%s of %s: nothing comes after %s", bad, in.Opcode(), prefix)
	}
	if takes(candidates, bad) {
		return fmt.Errorf("%s is not possible: after %s comes %s, not .%s", in.Opcode(), prefix, choice(next), bad)
	}
	if near := nearest(bad, next); near != "" && len(bad) > 3 {
		return fmt.Errorf("unknown modifier .%s of %s; did you mean .%s?", bad, in.Opcode(), near)
	}
	return fmt.Errorf("unknown modifier .%s of %s: after %s comes %s", bad, in.Opcode(), prefix, choice(next))
}

// takes reports whether a modifier is known, if not here: a type, or one that some form of the
// opcode has.
func takes(candidates []*Form, mod string) bool {
	if _, isType := typeInfo[Type(mod)]; isType {
		return true
	}
	for _, f := range candidates {
		for _, g := range f.groups {
			if slices.Contains(g.values, mod) {
				return true
			}
		}
	}
	return false
}

// reach returns the number of modifiers that groups can match from index i on, and the modifiers
// that could be in the place of the first that they do not match.
func (f *Form) reach(mods []string, i int, groups []group) (int, []string) {
	if len(groups) == 0 {
		return i, nil
	}
	g := groups[0]
	far, next := -1, []string(nil)
	if i < len(mods) && slices.Contains(g.values, mods[i]) {
		far, next = f.reach(mods, i+1, groups[1:])
	}
	if !g.optional {
		if far < 0 {
			return i, g.values
		}
		return far, next
	}
	at, could := f.reach(mods, i, groups[1:])
	if far < i+1 && at == i {
		could = append(slices.Clone(g.values), could...)
	}
	switch {
	case at > far:
		return at, could
	case at == far:
		return at, append(slices.Clone(next), could...)
	}
	return far, next
}

// choice lists modifiers for a message: ".a, .b or .c".
func choice(values []string) string {
	const most = 12
	var b strings.Builder
	for i, v := range values {
		switch {
		case i == most:
			fmt.Fprintf(&b, " or another %d", len(values)-most)
			return b.String()
		case i > 0 && i == len(values)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteByte('.')
		b.WriteString(v)
	}
	return b.String()
}

// nearest returns the candidate at the smallest edit distance from word, if that is small; "" else.
func nearest(word string, candidates []string) string {
	best, at := "", 3
	if len(word) < 5 {
		at = 2
	}
	for _, c := range candidates {
		if d := editDistance(word, c); d < at {
			best, at = c, d
		}
	}
	return best
}

// editDistance is the Levenshtein distance of two words.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
