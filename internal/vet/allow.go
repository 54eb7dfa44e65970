package vet

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// allowDirective begins a comment that takes back the findings of vet on its line, or, where it stands alone, on the next: "//gpu:allow vet
// all threads of a block get the same n". It needs a reason. What it stands for in gridstride check has other words (race, barrier, …), as
// vet sees more than what happens and less.
const allowDirective = "//gpu:allow vet"

// report reports a finding, unless a comment allows it.
func report(pass *analysis.Pass, pos token.Pos, format string, args ...any) {
	switch reason, found := allowance(pass, pos); {
	case !found:
		pass.Reportf(pos, format, args...)
	case reason == "":
		pass.Reportf(pos, format+" (%s must give a reason)", append(args, allowDirective)...)
	}
}

// allowance finds the comment that stands at a position, and its reason.
func allowance(pass *analysis.Pass, pos token.Pos) (reason string, found bool) {
	at := pass.Fset.Position(pos)
	for _, f := range pass.Files {
		if pos < f.FileStart || pos >= f.FileEnd {
			continue
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				rest, ok := strings.CutPrefix(c.Text, allowDirective)
				line := pass.Fset.Position(c.Pos()).Line
				if ok && (rest == "" || rest[0] == ' ') && (line == at.Line || line == at.Line-1 && alone(pass, c)) {
					return strings.TrimSpace(rest), true
				}
			}
		}
	}
	return "", false
}

// alone reports whether nothing stands before a comment on its line.
func alone(pass *analysis.Pass, c *ast.Comment) bool {
	file := pass.Fset.File(c.Pos())
	text, err := pass.ReadFile(file.Name())
	if err != nil {
		return false
	}
	start := file.Offset(file.LineStart(file.Line(c.Pos())))
	return strings.TrimSpace(string(text[start:file.Offset(c.Pos())])) == ""
}
