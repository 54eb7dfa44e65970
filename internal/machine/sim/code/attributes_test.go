package code

import (
	"slices"
	"testing"

	"github.com/gridstride/gridstride/internal/ptx"
)

// ignored are the groups of modifiers that make no difference to the machine, besides types, vectors
// and spaces, which have fields of their own in Inst and Address.
var ignored = []string{
	"T", "U", "vec", "space", "f16", "bf16", "tf32", "f32", "f64", "s32", "b32", "b1024", // types of the opcode
	"sync", "aligned", "uni", "weak", "noftz", "cta", "abs", "idx", "row", "col", "to", "nc", // the only way there is
	"hint", "l1evict", "l2size", "cop", "L2", "L2::evict_normal", "fractional", "primary", "second", "mask", // hints
	"async", "global", "shared::cta", "shared::cluster", "bulk_group", "tile", "ca", "cg", "cp_fenceproxy", "replace", // said by operands
	"load", "store", "wait", "mma_async", "tensormap", "noComplete", "alayout", "blayout", "count", "mip",
}

// TestEveryModifier holds each modifier of the instruction table to be an attribute, or one of those
// that the machine ignores; and each value of a group to be read.
func TestEveryModifier(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, op := range ptx.Operations() {
		for _, mods := range ptx.Opcodes(op) {
			for _, m := range mods {
				seen[m.Group] = true
				if slices.Contains(ignored, m.Group) {
					continue
				}
				if AttributesOf(ptx.Modifiers{m}) == (Attributes{}) && !isDefault(m) {
					t.Errorf("%s%s: the modifier .%s of group %q is no attribute", op, mods, m.Value, m.Group)
				}
			}
		}
	}
	for _, group := range ignored {
		if !seen[group] {
			t.Errorf("the instruction table has no group %q", group)
		}
	}
}

// isDefault reports whether a modifier says what its absence says, or the other of two ways.
func isDefault(m ptx.Modifier) bool {
	return slices.Contains([]ptx.Modifier{
		{Group: "rnd", Value: "rn"}, {Group: "half", Value: "lo"}, {Group: "dir", Value: "r"}, {Group: "layout", Value: "col"},
		{Group: "channel", Value: "r"}, {Group: "shape", Value: "m8n8"}, {Group: "level", Value: "L1"}, {Group: "level", Value: "L2"},
		{Group: "level", Value: "L2::evict_last"}, {Group: "level", Value: "L2::evict_normal"},
	}, m)
}
