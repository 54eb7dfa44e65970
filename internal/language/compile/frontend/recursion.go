package frontend

import (
	"go/ast"
	"go/types"
	"strings"
)

// checkRecursion reports every cycle of calls between declared functions once, at the call that
// closes it. Calls of function literals and of parameters are not seen here. Package lower meets
// them while it inlines.
func (l *loader) checkRecursion() {
	g := &callGraph{loader: l, decls: map[*types.Func]*ast.FuncDecl{}, infos: map[*types.Func]*types.Info{},
		state: map[*types.Func]int{}}
	var funcs []*types.Func
	for _, c := range l.order {
		if c.pkg.std {
			continue
		}
		for _, f := range c.files {
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Body == nil {
					continue
				}
				if obj, ok := c.info.Defs[fn.Name].(*types.Func); ok {
					g.decls[obj], g.infos[obj] = fn, c.info
					funcs = append(funcs, obj)
				}
			}
		}
	}
	for _, f := range funcs {
		g.visit(f)
	}
}

type callGraph struct {
	*loader
	decls map[*types.Func]*ast.FuncDecl
	infos map[*types.Func]*types.Info
	state map[*types.Func]int // 1 on the stack, 2 done
	stack []*types.Func
}

func (g *callGraph) visit(f *types.Func) {
	g.state[f] = 1
	g.stack = append(g.stack, f)
	info := g.infos[f]
	ast.Inspect(g.decls[f].Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		id := calleeIdent(ast.Unparen(call.Fun))
		if id == nil {
			return true
		}
		callee, ok := info.Uses[id].(*types.Func)
		if !ok || g.decls[callee.Origin()] == nil {
			return true
		}
		callee = callee.Origin()
		switch g.state[callee] {
		case 0:
			g.visit(callee)
		case 1:
			g.errorf(call.Pos(), "%s", RecursionMessage(g.cycle(callee)))
		}
		return true
	})
	g.stack = g.stack[:len(g.stack)-1]
	g.state[f] = 2
}

// cycle names the functions from f on the stack back to f.
func (g *callGraph) cycle(f *types.Func) []string {
	var names []string
	for i := len(g.stack) - 1; i >= 0; i-- {
		names = append([]string{g.stack[i].Name()}, names...)
		if g.stack[i] == f {
			break
		}
	}
	return append(names, f.Name())
}

// RecursionMessage is the message for a cycle of calls, given as the names along it. The first
// comes again at the end.
func RecursionMessage(cycle []string) string {
	return "a kernel cannot recurse (" + strings.Join(cycle, " calls ") +
		"): use a loop, with a local array as the stack if need be"
}
