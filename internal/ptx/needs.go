package ptx

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
)

// Floor is the lowest version and target that MinVersion returns. sm_70 is where threads of a warp
// are scheduled independently: a module for an older target is compiled so that a warp runs in
// lockstep even on a newer GPU, and would not mean what the simulator does. PTX 6.0 is the first
// with sm_70, with the .sync forms of shuffles and votes, and with the memory model (.relaxed,
// .acquire, fence).
var Floor = Needs{Version{6, 0}, 70}

// targetVersions are the PTX versions that brought each target (PTX ISA, "Release Notes").
var targetVersions = []Needs{
	{Version{1, 0}, 10}, {Version{2, 0}, 20}, {Version{3, 0}, 30}, {Version{3, 1}, 35}, {Version{4, 0}, 50},
	{Version{4, 1}, 52}, {Version{4, 2}, 53}, {Version{5, 0}, 60}, {Version{6, 0}, 70}, {Version{6, 1}, 72},
	{Version{6, 3}, 75}, {Version{7, 0}, 80}, {Version{7, 1}, 86}, {Version{7, 4}, 87}, {Version{7, 8}, 89},
	{Version{7, 8}, 90}, {Version{8, 6}, 100}, {Version{8, 7}, 120},
}

// version is the lowest version that has both what n needs and its target.
func (n Needs) version() Version {
	v := n.Version
	for _, t := range targetVersions {
		if n.SM >= t.SM && v.Less(t.Version) {
			v = t.Version
		}
	}
	return v
}

// targetSM returns 70 for {"sm_70", …}, 0 where there is no such target. The suffix of sm_90a is
// passed over.
func targetSM(target []string) int {
	for _, t := range target {
		if s, ok := strings.CutPrefix(t, "sm_"); ok {
			n, _ := strconv.Atoi(strings.TrimRight(s, "af"))
			return n
		}
	}
	return 0
}

// MinVersion returns the lowest .version and the lowest .target, such as "sm_70", that a module's
// instructions, special registers and directives need; they are never below Floor. Instructions
// that are not in the table count nothing.
func MinVersion(m *Module) (Version, string) {
	n := Floor
	scope := NewScope(m)
	for _, d := range m.Decls {
		switch d := d.(type) {
		case *Var:
			n = n.and(varNeeds(d))
		case *Func:
			n = n.and(funcNeeds(scope.Func(d), d))
		}
	}
	return n.version(), "sm_" + strconv.Itoa(n.SM)
}

// directiveNeeds are the needs of directives above Floor.
var directiveNeeds = map[string]Needs{
	"noreturn":          {Version{6, 4}, 30},
	"reqnctapercluster": {Version{7, 8}, 90},
	"explicitcluster":   {Version{7, 8}, 90},
	"maxclusterrank":    {Version{7, 8}, 90},
	"blocksareclusters": {Version{9, 0}, 90},
	"abi_preserve":      {Version{9, 0}, 80},
	"inlined_at":        {Version{7, 2}, 0},
	"unified":           {Version{8, 0}, 90},
}

func varNeeds(v *Var) Needs {
	n := modifierNeeds[string(v.Type)]
	for _, a := range v.Attributes {
		if strings.HasPrefix(a, ".unified") {
			n = n.and(directiveNeeds["unified"])
		}
	}
	return n
}

// largeParams is what a kernel needs that has more parameters than the oldest version takes.
var largeParams = Needs{Version{8, 1}, 70}

// paramBytes is the size of a kernel's parameters.
func (f *Func) paramBytes() int {
	var block abi.ParamBlock
	for _, p := range f.Params {
		block.Add(int(p.Size()), p.Alignment())
	}
	return block.Size
}

func funcNeeds(scope *Scope, f *Func) Needs {
	var n Needs
	if f.NoRet {
		n = n.and(directiveNeeds["noreturn"])
	}
	for _, d := range f.Perf {
		n = n.and(directiveNeeds[d.Name])
	}
	for _, p := range slices.Concat(f.Results, f.Params) {
		n = n.and(varNeeds(p))
	}
	if f.Entry && f.paramBytes() > abi.ParamLimit(Floor.Version.Major, Floor.Version.Minor, Floor.SM) {
		n = n.and(largeParams)
	}
	if f.Body != nil {
		n = n.and(blockNeeds(scope, f.Body))
	}
	return n
}

func blockNeeds(scope *Scope, b *Block) Needs {
	var n Needs
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *Block:
			n = n.and(blockNeeds(scope.Block(s), s))
		case *Var:
			n = n.and(varNeeds(s))
		case *Regs:
			n = n.and(modifierNeeds[string(s.Type)])
		case *Loc:
			if s.InlinedAt != nil {
				n = n.and(directiveNeeds["inlined_at"])
			}
		case *Instr:
			n = n.and(instrNeeds(scope, s))
		}
	}
	return n
}

// instrNeeds is what an instruction and the special registers it reads need.
func instrNeeds(scope *Scope, in *Instr) Needs {
	var n Needs
	if d, err := Decode(in); err == nil {
		n = d.Needs()
	}
	for _, arg := range in.Args {
		name, _ := arg.(Name)
		if sym, ok := scope.Lookup(string(name)); ok && sym.Kind == SpecialSymbol {
			n = n.and(Needs{sym.Special.Version, sym.Special.SM})
		}
	}
	return n
}
