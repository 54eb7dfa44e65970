// Package tuned finds the constants that //gpu:tune comments name. It is apart from package directive,
// which every program has, as it needs Go's syntax trees.
package tuned

import (
	"fmt"
	"go/ast"
	"go/token"

	"github.com/gridstride/gridstride/internal/abi/directive"
)

// Group is a const declaration with a //gpu:tune comment above it.
type Group struct {
	*directive.Tune
	Pos       token.Pos // of the comment
	Constants []Constant
}

// Constant is a constant of a group, in the order of the comment.
type Constant struct {
	Name     string
	Values   []string
	Declared int      // which of Values the declaration has
	Literal  ast.Expr // its value in the declaration
}

// Error is something wrong with a //gpu:tune comment, or with the constants that it names.
type Error struct {
	Pos token.Pos
	Msg string
}

// Find finds the //gpu:tune comments of a file, which was parsed with its comments. A comment that
// has errors gives no group.
func Find(file *ast.File) (groups []Group, errs []Error) {
	placed := map[*ast.Comment]bool{}
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.CONST || decl.Doc == nil {
			continue
		}
		first := true
		for _, c := range decl.Doc.List {
			if !isTune(c) {
				continue
			}
			placed[c] = true
			if !first {
				errs = append(errs, Error{c.Pos(), "a second //gpu:tune: list all constants in one"})
				continue
			}
			first = false
			group, wrong := groupOf(decl, c)
			if errs = append(errs, wrong...); wrong == nil {
				groups = append(groups, *group)
			}
		}
	}
	for _, g := range file.Comments {
		for _, c := range g.List {
			if isTune(c) && !placed[c] {
				errs = append(errs, Error{c.Pos(), "//gpu:tune must be in the comment directly above a const declaration"})
			}
		}
	}
	return groups, errs
}

func isTune(c *ast.Comment) bool {
	name, _, _ := directive.Split(c.Text)
	return name == directive.TuneName
}

// groupOf joins the comment above a declaration with its constants.
func groupOf(decl *ast.GenDecl, c *ast.Comment) (*Group, []Error) {
	tune, wrong := directive.ParseTune(c.Text)
	var errs []Error
	for _, e := range wrong {
		errs = append(errs, Error{c.Pos() + token.Pos(e.Offset), e.Msg})
	}
	g := &Group{Tune: tune, Pos: c.Pos()}
	for _, choices := range tune.Choices {
		k, why := constantOf(decl, choices)
		if why != "" {
			errs = append(errs, Error{c.Pos() + token.Pos(choices.Constant.Offset), directive.TuneName + ": " + why})
			continue
		}
		g.Constants = append(g.Constants, k)
	}
	return g, errs
}

// constantOf finds the constant that has some choices. If it has none, why says so.
func constantOf(decl *ast.GenDecl, choices directive.Choices) (k Constant, why string) {
	k.Name = choices.Constant.Text
	if k.Literal, why = literalOf(decl, k.Name); why != "" {
		return k, why
	}
	have := directive.ValueOf(textOf(k.Literal))
	k.Declared = -1
	for i, v := range choices.Values {
		k.Values = append(k.Values, v.Text)
		if directive.ValueOf(v.Text) == have {
			k.Declared = i
		}
	}
	if k.Declared < 0 {
		return k, fmt.Sprintf("%s is %s, which is not among its choices", k.Name, directive.Short(textOf(k.Literal)))
	}
	return k, ""
}

// literalOf is the literal that is a constant's value in its declaration.
func literalOf(decl *ast.GenDecl, name string) (literal ast.Expr, why string) {
	for _, s := range decl.Specs {
		spec := s.(*ast.ValueSpec)
		for i, id := range spec.Names {
			switch {
			case id.Name != name:
				continue
			case i >= len(spec.Values) || directive.ValueOf(textOf(spec.Values[i])) == "":
				return nil, fmt.Sprintf("%s must be declared with a whole number, or true or false: %s = 16", name, name)
			}
			return spec.Values[i], ""
		}
	}
	return nil, fmt.Sprintf("the declaration below has no constant %s", name)
}

// textOf is the text of a literal, with its sign; "" for another expression.
func textOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Value
	case *ast.Ident:
		return e.Name
	case *ast.UnaryExpr:
		if e.Op == token.SUB {
			if digits, ok := e.X.(*ast.BasicLit); ok {
				return "-" + digits.Value
			}
		}
	}
	return ""
}
