package frontend

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A checker refuses the constructs that have no device form, in the code of one package that
// kernels reach. It reports a forbidden type where it is written and a forbidden operation at its
// place. It does not report every later use of a value: one mistake gives one message.
type checker struct {
	*loader
	info *types.Info
	skip map[ast.Node]bool // parameters of kernels, wrappers: checked elsewhere
}

func (l *loader) checkConstructs(c *checked) {
	ch := &checker{loader: l, info: c.info, skip: map[ast.Node]bool{}}
	for _, k := range l.kernels {
		ch.skip[k.fn.Type] = true
		for _, w := range k.wrappers {
			ch.skip[w] = true
		}
	}
	for _, f := range c.files {
		for _, d := range f.Decls {
			if !ch.skip[d] {
				ch.decl(c.pkg.acceptable(d))
			}
		}
	}
}

func (c *checker) decl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			c.fields(d.Recv)
		}
		if !c.skip[d.Type] {
			c.funcType(d.Type)
			if d.Body == nil {
				c.errorf(d.Name.Pos(), "%s has no body: assembly and linked functions run on the host only, write "+
					"it in Go", d.Name.Name)
			}
		}
		if d.Body != nil {
			c.node(d.Body)
		}
	case *ast.GenDecl:
		c.genDecl(d)
	}
}

func (c *checker) genDecl(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if t := c.info.TypeOf(spec.Type); t == nil || !types.IsInterface(t) { // a constraint, refused as the type of a value
				c.typ(spec.Type)
			}
		case *ast.ValueSpec:
			if d.Tok == token.CONST {
				continue
			}
			if spec.Type != nil {
				c.typ(spec.Type)
			}
			for _, v := range spec.Values {
				c.node(v)
			}
		}
	}
}

func (c *checker) funcType(t *ast.FuncType) {
	c.fields(t.Params)
	if t.Results != nil {
		c.fields(t.Results)
	}
}

func (c *checker) fields(l *ast.FieldList) {
	for _, f := range l.List {
		c.typ(f.Type)
	}
}

// typ checks the expression of a value's type.
func (c *checker) typ(x ast.Expr) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		c.typ(x.X)
	case *ast.StarExpr:
		c.typ(x.X)
	case *ast.ArrayType:
		c.noFunc(x.Elt)
		if arrayDepth(x) > maxNesting {
			c.errorf(x.Pos(), "arrays are nested more than %d deep: compute the index into one", maxNesting)
			return
		}
		before := len(c.errs)
		if c.typ(x.Elt); len(c.errs) == before {
			c.size(x)
		}
	case *ast.Ellipsis:
		c.noFunc(x.Elt)
		c.typ(x.Elt)
	case *ast.StructType:
		for _, f := range x.Fields.List {
			c.noFunc(f.Type)
		}
		before := len(c.errs)
		if c.fields(x.Fields); len(c.errs) == before {
			c.size(x)
		}
	case *ast.FuncType:
		c.funcType(x)
	case *ast.IndexExpr:
		c.typ(x.Index)
	case *ast.IndexListExpr:
		for _, arg := range x.Indices {
			c.typ(arg)
		}
	case *ast.Ident, *ast.SelectorExpr, *ast.MapType, *ast.ChanType, *ast.InterfaceType:
		t := c.info.TypeOf(x)
		if t == nil {
			return
		}
		if _, ok := t.(*types.TypeParam); ok {
			return
		}
		if _, named := t.(*types.Named); named && c.reported(t) {
			return
		}
		if why := refuseType(t); why != "" {
			c.errorf(x.Pos(), "%s", why)
		}
	}
}

// arrayDepth is how deep the arrays of a type expression are nested, or a depth above maxNesting.
func arrayDepth(x ast.Expr) int {
	depth := 0
	for a, ok := x.(*ast.ArrayType); ok && depth <= maxNesting; a, ok = a.Elt.(*ast.ArrayType) {
		depth++
	}
	return depth
}

// size refuses a type that is too large. Package lower sees to types that depend on a type
// parameter.
func (c *checker) size(x ast.Expr) {
	t := c.info.TypeOf(x)
	if t == nil || invalid(t) || dependent(t, map[types.Type]bool{}) {
		return
	}
	if why := RefuseSize(t); why != "" {
		c.errorf(x.Pos(), "%s", why)
	}
}

// dependent reports whether the size of a type depends on a type parameter.
func dependent(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return dependent(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if dependent(f.Type(), seen) {
				return true
			}
		}
	}
	return false
}

// noFunc refuses a function type for the parts of a struct or an array.
func (c *checker) noFunc(x ast.Expr) {
	if t := c.info.TypeOf(x); t != nil {
		if _, ok := t.Underlying().(*types.Signature); ok {
			c.errorf(x.Pos(), "a kernel cannot keep functions in a struct, an array or a slice: "+
				"which one is called must be known when it is compiled, use a variable or a parameter")
		}
	}
}

// reported reports whether a type is a named type whose declaration is checked: what is wrong with
// it is said there.
func (c *checker) reported(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Map, *types.Chan, *types.Basic:
		return t.(*types.Named).Obj().Pkg() != nil
	}
	return false
}

// refuseType says why kernels have no values of a type, "" if they have. It looks at the type
// itself and not at its parts.
func refuseType(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Map:
		return "a kernel cannot use maps: use a slice or an array, indexed by a number"
	case *types.Chan:
		return "a kernel cannot use channels: threads share memory, with gpu.SyncThreads or atomics between them"
	case *types.Interface:
		return "a kernel cannot use interface values: use a type parameter, whose type is known when the kernel is " +
			"compiled"
	case *types.Basic:
		switch {
		case u.Kind() == types.UnsafePointer:
			return "a kernel cannot use unsafe pointers: index the slice that holds the data"
		case u.Kind() == types.Uintptr:
			return "a kernel cannot use uintptr: use uint64 for a number, and the slice and an index for an address"
		}
	}
	return ""
}

// node checks statements and expressions.
func (c *checker) node(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case ast.Expr:
			return c.expr(n)
		case ast.Stmt:
			return c.stmt(n)
		}
		return true
	})
}

// stmt checks a statement and reports whether its parts are still to be checked.
func (c *checker) stmt(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.GoStmt:
		c.errorf(s.Pos(), "a kernel cannot start goroutines: launch more threads")
		return false
	case *ast.DeferStmt:
		c.errorf(s.Pos(), "a kernel cannot defer: call the function where the work ends")
		return false
	case *ast.SelectStmt:
		c.errorf(s.Pos(), "a kernel cannot select: threads share memory, with gpu.SyncThreads or atomics between them")
		return false
	case *ast.SendStmt:
		c.errorf(s.Pos(), "a kernel cannot send: threads share memory, with gpu.SyncThreads or atomics between them")
		return false
	case *ast.TypeSwitchStmt:
		c.typeSwitch(s)
		return false
	case *ast.DeclStmt:
		c.genDecl(s.Decl.(*ast.GenDecl))
		return false
	case *ast.LabeledStmt:
		c.node(s.Stmt)
		return false
	case *ast.BranchStmt:
		return false
	case *ast.AssignStmt:
		for _, x := range s.Lhs {
			c.assigned(x)
		}
	case *ast.IncDecStmt:
		c.assigned(s.X)
	case *ast.RangeStmt:
		c.assigned(s.Key)
		c.assigned(s.Value)
	}
	return true
}

// assigned refuses writes to the special registers.
func (c *checker) assigned(x ast.Expr) {
	for {
		sel, ok := x.(*ast.SelectorExpr)
		if !ok {
			return
		}
		if v, ok := c.info.Uses[sel.Sel].(*types.Var); ok && !v.IsField() && v.Pkg().Path() == GPUPath {
			c.errorf(sel.Pos(), "gpu.%s is read-only", v.Name())
			return
		}
		x = ast.Unparen(sel.X)
	}
}

// expr checks an expression and reports whether its parts are still to be checked.
func (c *checker) expr(x ast.Expr) bool {
	if c.info.Types[x].Value != nil {
		return false
	}
	switch x := x.(type) {
	case *ast.FuncLit:
		c.funcType(x.Type)
		c.node(x.Body)
		return false
	case *ast.CompositeLit:
		c.compositeLit(x)
		return false
	case *ast.CallExpr:
		c.call(x)
		return false
	case *ast.SelectorExpr:
		c.selector(x, false)
		return false
	case *ast.TypeAssertExpr:
		c.typeAssertion(x)
		return false
	case *ast.UnaryExpr:
		switch x.Op {
		case token.AND:
			c.assigned(ast.Unparen(x.X))
		case token.ARROW:
			c.errorf(x.Pos(), "a kernel cannot receive: threads share memory, with gpu.SyncThreads or atomics "+
				"between them")
			return false
		}
	case *ast.IndexExpr:
		if _, ok := c.info.TypeOf(x.X).(*types.Signature); ok { // an instance of a generic function
			c.typ(x.Index)
			c.node(x.X)
			return false
		}
	case *ast.IndexListExpr:
		for _, arg := range x.Indices {
			c.typ(arg)
		}
		c.node(x.X)
		return false
	}
	return true
}

// typeSwitch checks a type switch. The types of its cases may be any: those that a value cannot
// have are never met.
func (c *checker) typeSwitch(s *ast.TypeSwitchStmt) {
	if s.Init != nil {
		c.node(s.Init)
	}
	var x ast.Expr
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = a.X
	case *ast.AssignStmt:
		x = a.Rhs[0]
	}
	c.typeAssertion(ast.Unparen(x).(*ast.TypeAssertExpr))
	for _, clause := range s.Body.List {
		for _, stmt := range clause.(*ast.CaseClause).Body {
			c.node(stmt)
		}
	}
}

// typeAssertion checks a question about a type: its operand must be a value that is converted to an
// interface right there.
func (c *checker) typeAssertion(x *ast.TypeAssertExpr) {
	if call, ok := ast.Unparen(x.X).(*ast.CallExpr); ok && c.info.Types[call.Fun].IsType() && len(call.Args) == 1 {
		if t := c.info.TypeOf(call.Args[0]); t != nil && types.IsInterface(c.info.TypeOf(call)) &&
			(isTypeParam(t) || !types.IsInterface(t)) {
			c.node(call.Args[0])
			return
		}
	}
	c.errorf(x.Pos(), "a kernel can ask for the type of a value only where it converts it to an interface: write "+
		"any(x).(float32), or switch any(x).(type), where x is of a type parameter")
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

func (c *checker) compositeLit(x *ast.CompositeLit) {
	if x.Type != nil {
		c.typ(x.Type)
	}
	isStruct := false
	if t := c.info.TypeOf(x); t != nil {
		_, isStruct = t.Underlying().(*types.Struct)
	}
	for _, e := range x.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if !isStruct {
				c.node(kv.Key)
			}
			e = kv.Value
		}
		c.node(e)
	}
}

// selector checks x.Sel. called says that an argument list follows.
func (c *checker) selector(x *ast.SelectorExpr, called bool) {
	if id, ok := x.X.(*ast.Ident); ok {
		if _, ok := c.info.Uses[id].(*types.PkgName); ok {
			return
		}
	}
	if s := c.info.Selections[x]; s != nil && s.Kind() == types.MethodVal && !called {
		c.errorf(x.Pos(), "a kernel cannot use the method value %s: write a function literal that calls it",
			types.ExprString(x))
	}
	c.node(x.X)
}
