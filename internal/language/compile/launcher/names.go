package launcher

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile"
)

// names are the identifiers in use.
type names map[string]bool

// pick takes and returns a free name: the wanted one, followed by the fewest underscores that make
// it free.
func (n names) pick(want string) string {
	for n[want] || types.Universe.Lookup(want) != nil || token.IsKeyword(want) {
		want += "_"
	}
	n[want] = true
	return want
}

// takenNames are the identifiers that the package declares, the launchers of its kernels, and the
// packages that the generated file imports. A launcher's name that is in use already is an error.
func takenNames(r *compile.Result) (names, error) {
	taken := names{}
	for _, name := range r.Names {
		taken[name] = true
	}
	for _, k := range r.Kernels {
		if k.Origin == "" {
			taken[k.Name] = true
		}
	}
	var errs compile.ErrorList
	need := func(k *compile.Kernel, name string) {
		if taken[name] {
			errs.Add(k.Pos, "kernel %s: its launcher needs the name %s, which the package declares already; "+
				"rename one of the two", k.Name, name)
		}
		taken[name] = true
	}
	for _, k := range r.Kernels {
		if !hasLauncher(k) {
			continue
		}
		own := []string{typeName(k), loadName(k)}
		for _, t := range k.TypeParams {
			if !k.Open {
				own = append(own, constraintName(k, t.Name))
			}
		}
		for _, name := range own {
			need(k, name)
		}
	}
	for _, t := range r.Structs {
		need(t.Kernel, t.Name)
	}
	for _, i := range r.Imports {
		taken[i.Name] = true
	}
	refuseShadows(r, &errs)
	return taken, errs.Err()
}

// refuseShadows reports predeclared names that launchers are written with and that mean something
// else in the package, or in a kernel's type parameters. It names the first kernel that is hit.
func refuseShadows(r *compile.Result, errs *compile.ErrorList) {
	for _, name := range []string{"any", "error", "nil", "string"} {
		for _, k := range r.Kernels {
			if name == "any" && len(k.TypeParams) == 0 || !hasLauncher(k) {
				continue
			}
			if slices.Contains(r.Names, name) {
				errs.Add(k.Pos, "kernel %s: its launcher needs Go's predeclared %s, and the package declares "+
					"another; rename that declaration", k.Name, name)
				break
			}
			if slices.ContainsFunc(k.TypeParams, func(p compile.TypeParam) bool { return p.Name == name }) {
				errs.Add(k.Pos, "kernel %s: its launcher needs Go's predeclared %s; rename the type parameter",
					k.Name, name)
				break
			}
		}
	}
}
