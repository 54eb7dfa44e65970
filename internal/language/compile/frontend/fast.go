package frontend

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi/directive"
)

// fastPath is the import path of the functions that take the place of math32's where inexact
// arithmetic is permitted.
const fastPath = mathPath + "fast32"

// operators are the functions of package ieee that are operators of Go, or an instruction.
var operators = map[string]bool{"Sqrt": true, "Min": true, "Max": true}

// IsExact reports whether a function of a package computes as it is written even if a fast kernel
// calls it: the compiler's mathematics, whose documented errors rely on the rounding of each
// operation. Package math itself only calls it.
func IsExact(path, name string) bool {
	switch path {
	case GPUPath, "math":
		return false
	case mathPath + "ieee":
		return !operators[name]
	}
	return IsStd(path)
}

// IsFast reports whether a function has a //gpu:fast, or is a literal in one that has.
func IsFast(fn *ssa.Function) bool {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	decl, ok := fn.Syntax().(*ast.FuncDecl)
	return ok && isFast(decl)
}

func isFast(fn *ast.FuncDecl) bool {
	is := func(c *ast.Comment) bool {
		name, _, ok := directive.Split(c.Text)
		return ok && name == directive.FastName
	}
	return fn.Doc != nil && slices.ContainsFunc(fn.Doc.List, is)
}

// Fast is the function that takes the place of an exact one where inexact arithmetic is permitted,
// or nil: of package fast32, with the name that the exact one has in package math32.
func (p *Program) Fast(exact *ssa.Function) *ssa.Function {
	fast := p.support[fastPath]
	if fast == nil || exact.Pkg == nil || exact.Pkg.Pkg.Path() != mathPath+"math32" || exact.Signature.Recv() != nil {
		return nil
	}
	return fast.Func(exact.Name())
}

// mayBeFast reports whether a kernel or a function that kernels reach permits inexact arithmetic.
func (l *loader) mayBeFast() bool {
	fast := slices.ContainsFunc(l.kernels, func(k *kernelDecl) bool { return k.dir.Fast })
	l.eachReached(func(_ *pkg, d *decl) { fast = fast || d.fn != nil && isFast(d.fn) })
	return fast
}

// addRounded notes the operator of T(x op y). The conversion of a number to the type that it has
// rounds it, as Go says ("Floating-point operators"), and go/ssa leaves such a conversion out.
func (p *Program) addRounded(info *types.Info, n *ast.CallExpr) {
	if len(n.Args) != 1 || !info.Types[n.Fun].IsType() {
		return
	}
	if b, ok := ast.Unparen(n.Args[0]).(*ast.BinaryExpr); ok {
		p.rounded[b.OpPos] = true
	}
}

// Rounded reports whether the result of the operator at a position is converted explicitly, so that it
// is rounded.
func (p *Program) Rounded(operator token.Pos) bool { return p.rounded[operator] }
