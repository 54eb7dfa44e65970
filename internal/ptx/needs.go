package ptx

import (
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
)

// Floor is the lowest version and target that MinVersion returns. sm_70 is where threads of a warp
// are scheduled independently: a module for an older target is compiled so that a warp runs in
// lockstep even on a newer GPU, and would not mean what the simulator does. PTX 6.0 is the first
// with sm_70, with the .sync forms of shuffles and votes, and with the memory model (.relaxed,
// .acquire, fence).
var Floor = Needs{Version{6, 0}, abi.OldestTarget}

// targetVersions are the PTX versions that brought each target (PTX ISA, "Release Notes").
var targetVersions = []Needs{
	{Version{1, 0}, abi.Target{SM: 10}}, {Version{2, 0}, abi.Target{SM: 20}}, {Version{3, 0}, abi.Target{SM: 30}},
	{Version{3, 1}, abi.Target{SM: 35}}, {Version{4, 0}, abi.Target{SM: 50}}, {Version{4, 1}, abi.Target{SM: 52}},
	{Version{4, 2}, abi.Target{SM: 53}}, {Version{5, 0}, abi.Target{SM: 60}}, {Version{6, 0}, abi.Target{SM: 70}},
	{Version{6, 1}, abi.Target{SM: 72}}, {Version{6, 3}, abi.Target{SM: 75}}, {Version{7, 0}, abi.Target{SM: 80}},
	{Version{7, 1}, abi.Target{SM: 86}}, {Version{7, 4}, abi.Target{SM: 87}}, {Version{7, 8}, abi.Target{SM: 89}},
	{Version{7, 8}, abi.Target{SM: 90}}, {Version{8, 6}, abi.Target{SM: 100}}, {Version{8, 7}, abi.Target{SM: 120}},
}

// suffixVersions are the PTX versions that brought the letters of targets.
var suffixVersions = map[byte]Version{'a': {8, 0}, 'f': {8, 8}}

// version is the lowest version that has both what n needs and its target.
func (n Needs) version() Version {
	v := n.Version
	for _, t := range targetVersions {
		if n.Target.SM >= t.Target.SM && v.Less(t.Version) {
			v = t.Version
		}
	}
	if suffix := suffixVersions[n.Target.Suffix]; v.Less(suffix) {
		v = suffix
	}
	return v
}

// MainTarget is the architecture among the module's targets: {90, 'a'} for ".target sm_90a,
// texmode_independent". It is the zero Target if there is none.
func (m *Module) MainTarget() abi.Target {
	for _, s := range m.Target {
		if t, ok := abi.ParseTarget(s); ok {
			return t
		}
	}
	return abi.Target{}
}

// MinVersion returns the lowest .version and the lowest .target, such as "sm_70", that a module's
// instructions, special registers and directives need. They are never below Floor. Instructions
// that are not in the table count nothing.
func MinVersion(m *Module) (Version, string) {
	n := MinNeeds(m, Floor.Target)
	return n.Version, n.Target.String()
}

// MinNeeds is MinVersion for a module that is for a target or a newer one.
func MinNeeds(m *Module, least abi.Target) Needs {
	n := Floor.and(Needs{Target: least})
	scope := NewScope(m)
	for _, d := range m.Decls {
		switch d := d.(type) {
		case *Var:
			n = n.and(varNeeds(d))
		case *Func:
			n = n.and(funcNeeds(scope.Func(d), d))
		}
	}
	n.Version = n.version()
	return n
}

// directiveNeeds are the needs of directives above Floor.
var directiveNeeds = map[string]Needs{
	"noreturn":          {Version{6, 4}, abi.Target{SM: 30}},
	"reqnctapercluster": {Version{7, 8}, abi.Target{SM: 90}},
	"explicitcluster":   {Version{7, 8}, abi.Target{SM: 90}},
	"maxclusterrank":    {Version{7, 8}, abi.Target{SM: 90}},
	"blocksareclusters": {Version{9, 0}, abi.Target{SM: 90}},
	"abi_preserve":      {Version{9, 0}, abi.Target{SM: 80}},
	"inlined_at":        {Version: Version{7, 2}},
	"unified":           {Version{8, 0}, abi.Target{SM: 90}},
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

// largeParams is the need of a kernel with more bytes of parameters than the oldest version allows.
var largeParams = Needs{Version{8, 1}, abi.Target{SM: 70}}

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
	if f.Entry && f.paramBytes() > abi.ParamLimit(Floor.Version.Major, Floor.Version.Minor, Floor.Target.SM) {
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
			if s.InlinedAt != nil && s.Function != "" {
				n = n.and(directiveNeeds["inlined_at"])
			}
		case *Instr:
			n = n.and(instrNeeds(scope, s))
		}
	}
	return n
}

// instrNeeds is the need of an instruction and of the special registers that it reads.
func instrNeeds(scope *Scope, in *Instr) Needs {
	var n Needs
	if d, err := Decode(in, scope); err == nil {
		n = d.Needs()
	}
	for _, arg := range in.Args {
		name, _ := arg.(Name)
		if sym, ok := scope.Lookup(string(name)); ok && sym.Kind == SpecialSymbol {
			n = n.and(sym.Special.Needs)
		}
	}
	return n
}
