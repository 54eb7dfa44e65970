package difftest

import (
	"fmt"
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/pass"
)

// Optional returns the names of the compiler's passes that may be left out. The others give the IR
// the form that package emit takes.
func Optional() []string {
	var names []string
	for _, p := range pass.List {
		if p.Name != "ExpandMem" && p.Name != "Layout" && !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// Without returns the compiler without a pass, which must be an optional one. The results must be
// the same: a fault that appears only then lies in a pass that another one hides.
func (c *Compiler) Without(name string) (*Compiler, error) {
	if !slices.Contains(Optional(), name) {
		return nil, fmt.Errorf("no pass %q may be left out; those that may: %v", name, Optional())
	}
	d := *c
	d.passes = pass.Without(name)
	return &d, nil
}
