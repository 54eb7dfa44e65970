package vet

import (
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/gridstride/gridstride/internal/abi/directive"
)

// allowDirective begins a comment that takes back the findings of vet on its line. A comment that
// stands alone takes back those on the next line: "//gpu:allow vet all threads of a block get the
// same n". It needs a reason. The comments for gridstride check have other words (race, barrier,
// …), because the two find different things.
const allowDirective = directive.AllowName + " vet"

// AllowAnalyzer finds comments that take back nothing.
var AllowAnalyzer = &analysis.Analyzer{
	Name: "allow",
	Doc: `find comments //gpu:allow vet that take back nothing

The mistake that they were written for has been repaired or moved. Such a comment would hide a later mistake there.`,
	Requires: append([]*analysis.Analyzer{deviceCode}, finders...),
	Run: func(pass *analysis.Pass) (any, error) {
		if pass.ResultOf[deviceCode].(*device) == nil {
			return nil, nil
		}
		var used usedComments
		for _, a := range finders {
			used = append(used, pass.ResultOf[a].(usedComments)...)
		}
		for c := range allowComments(pass) {
			if !slices.Contains(used, c.Pos()) {
				pass.Reportf(c.Pos(), "%s takes back nothing here: remove it", allowDirective)
			}
		}
		return nil, nil
	},
}

// usedComments are the positions of the comments that took back a finding of an analyzer.
type usedComments []token.Pos

var usedCommentsType = reflect.TypeFor[usedComments]()

// reporter reports findings, except those that comments take back.
type reporter struct {
	pass *analysis.Pass
	used usedComments
}

func (r *reporter) report(pos token.Pos, format string, args ...any) {
	c := allowance(r.pass, pos)
	switch {
	case c == nil:
		r.pass.Reportf(pos, format, args...)
		return
	case reasonOf(c) == "":
		r.pass.Reportf(pos, format+" (%s must give a reason)", append(args, allowDirective)...)
	}
	r.used = append(r.used, c.Pos())
}

// allowance finds the comment for a position, nil if there is none.
func allowance(pass *analysis.Pass, pos token.Pos) *ast.Comment {
	at := pass.Fset.Position(pos)
	for c := range allowComments(pass) {
		here := pass.Fset.Position(c.Pos())
		if here.Filename == at.Filename && (here.Line == at.Line || here.Line == at.Line-1 && alone(pass, c)) {
			return c
		}
	}
	return nil
}

// allowComments are the allow comments of a package.
func allowComments(pass *analysis.Pass) func(yield func(*ast.Comment) bool) {
	return func(yield func(*ast.Comment) bool) {
		for _, f := range pass.Files {
			for _, group := range f.Comments {
				for _, c := range group.List {
					what, _, ok := directive.ParseAllow(c.Text)
					if ok && what == "vet" && !yield(c) {
						return
					}
				}
			}
		}
	}
}

// reasonOf is the reason that an allowance gives, "" for none.
func reasonOf(c *ast.Comment) string {
	_, reason, _ := directive.ParseAllow(c.Text)
	return reason
}

// alone reports whether nothing precedes a comment on its line.
func alone(pass *analysis.Pass, c *ast.Comment) bool {
	file := pass.Fset.File(c.Pos())
	text, err := pass.ReadFile(file.Name())
	if err != nil {
		return false
	}
	start := file.Offset(file.LineStart(file.Line(c.Pos())))
	return strings.TrimSpace(string(text[start:file.Offset(c.Pos())])) == ""
}
