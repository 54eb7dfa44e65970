package vet

import (
	"go/ast"

	"github.com/gridstride/gridstride/internal/abi/directive"
)

// readDirective reads the //gpu:kernel line above a function, nil if the function is no kernel. The
// compiler reports what is wrong with a directive.
func readDirective(decl *ast.FuncDecl) *directive.Kernel {
	if decl.Doc == nil {
		return nil
	}
	for _, c := range decl.Doc.List {
		if name, _, _ := directive.Split(c.Text); name == directive.KernelName {
			k, _ := directive.ParseKernel(c.Text)
			return k
		}
	}
	return nil
}
