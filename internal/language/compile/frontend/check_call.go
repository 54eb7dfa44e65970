package frontend

import (
	"go/ast"
	"go/types"
)

// builtinRemedies are the built-in functions that kernels cannot call.
var builtinRemedies = map[string]string{
	"append":  "a kernel cannot append: the memory of a slice is fixed, write to an index of one that is long enough",
	"close":   "a kernel cannot use channels: threads share memory, with gpu.SyncThreads or atomics between them",
	"delete":  "a kernel cannot use maps: use a slice or an array, indexed by a number",
	"print":   "a kernel cannot call print: it has gpu.Printf",
	"println": "a kernel cannot call println: it has gpu.Printf",
	"recover": "a kernel cannot recover: a panic ends the thread and the host reports it",
}

func (c *checker) call(x *ast.CallExpr) {
	fun := ast.Unparen(x.Fun)
	if c.info.Types[fun].IsType() {
		c.typ(fun)
		c.args(x)
		return
	}
	if id := calleeIdent(fun); id != nil {
		switch obj := c.info.Uses[id].(type) {
		case *types.Builtin:
			if obj.Pkg() == types.Unsafe {
				c.unsafe(x, obj.Name())
			} else {
				c.builtin(x, obj.Name())
			}
			return
		case *types.Func:
			if obj.Pkg() != nil && obj.Pkg().Path() == GPUPath && c.printing(x, obj.Name()) {
				return
			}
		}
	}
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		c.selector(sel, true)
	} else {
		c.node(fun)
	}
	c.args(x)
}

func (c *checker) args(x *ast.CallExpr) {
	for _, a := range x.Args {
		c.node(a)
	}
}

// unsafe checks a call of a function of package unsafe: of the sizes, which depend on a type
// parameter or else would be constants.
func (c *checker) unsafe(x *ast.CallExpr, name string) {
	if name != "Sizeof" && name != "Alignof" {
		c.errorf(x.Pos(), "a kernel cannot use unsafe.%s: index the slice that holds the data", name)
		return
	}
	c.args(x)
}

func (c *checker) builtin(x *ast.CallExpr, name string) {
	if why := builtinRemedies[name]; why != "" {
		c.errorf(x.Pos(), "%s", why)
		return
	}
	switch name {
	case "new":
		if len(x.Args) == 1 && c.info.Types[x.Args[0]].IsType() {
			c.typ(x.Args[0])
			return
		}
	case "make":
		c.make(x)
		return
	}
	if name == "panic" && len(x.Args) == 1 {
		c.message(x.Args[0], "message of panic")
		return
	}
	c.args(x)
}

// make checks the making of a slice: it is an array of the thread.
func (c *checker) make(x *ast.CallExpr) {
	if len(x.Args) == 0 {
		return // go/types has refused it
	}
	c.typ(x.Args[0])
	t := c.info.TypeOf(x)
	if t == nil { // of a type that go/types does not know
		return
	}
	if _, ok := t.Underlying().(*types.Slice); !ok {
		return
	}
	for _, size := range x.Args[1:] {
		if c.info.Types[size].Value == nil {
			c.errorf(x.Pos(), "a kernel can make a slice of constant length only: there is no heap, make one that is "+
				"always long enough and slice it")
			return
		}
	}
}

// printing checks a call of gpu.Assert or gpu.Printf: package lower compares the format with the
// values. It says false of other functions.
func (c *checker) printing(x *ast.CallExpr, name string) bool {
	format, what := 0, "format of gpu.Printf"
	switch name {
	case "Printf":
	case "Assert":
		format, what = 1, "message of gpu.Assert"
	default:
		return false
	}
	if len(x.Args) <= format {
		return false
	}
	if x.Ellipsis.IsValid() {
		c.errorf(x.Pos(), "in a kernel the values of gpu.%s must be written in the call", name)
		return true
	}
	for i, a := range x.Args {
		switch {
		case i == format:
			c.message(a, what)
		case i < format || c.info.Types[a].Value == nil: // a constant may be a string
			c.node(a)
		}
	}
	return true
}

// message checks the text of a panic, an assertion or what is printed. Whether a string is constant
// shows when calls are inlined.
func (c *checker) message(x ast.Expr, of string) {
	tv := c.info.Types[x]
	if tv.Type == nil || invalid(tv.Type) {
		return
	}
	if b, ok := tv.Type.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
		c.node(x)
		return
	}
	c.errorf(x.Pos(), "in a kernel the %s must be a constant string", of)
}

// calleeIdent is the identifier that a called expression ends in, nil if it is no name.
func calleeIdent(fun ast.Expr) *ast.Ident {
	switch fun := fun.(type) {
	case *ast.Ident:
		return fun
	case *ast.SelectorExpr:
		return fun.Sel
	case *ast.IndexExpr:
		return calleeIdent(ast.Unparen(fun.X))
	case *ast.IndexListExpr:
		return calleeIdent(ast.Unparen(fun.X))
	}
	return nil
}
