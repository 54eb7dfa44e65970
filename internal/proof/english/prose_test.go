package english

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// paragraph is prose without line breaks.
type paragraph struct {
	text    strings.Builder
	lines   []lineStart
	isError bool // its semicolons are the form of an error: "k is 99; want 1 to 64"
}

// lineStart is where a line of a file begins in a paragraph.
type lineStart struct{ at, line int }

// add appends a line of a file.
func (p *paragraph) add(text string, line int) {
	if p.text.Len() > 0 {
		p.text.WriteByte(' ')
	}
	p.lines = append(p.lines, lineStart{p.text.Len(), line})
	p.text.WriteString(strings.TrimSpace(text))
}

// lineOf is the line of the file that has a byte of the text.
func (p *paragraph) lineOf(at int) (line int) {
	for _, l := range p.lines {
		if l.at <= at {
			line = l.line
		}
	}
	return line
}

// split makes paragraphs of lines. Empty ones and code, as skip says, are between paragraphs.
func split(lines []string, first int, skip func(line string) bool) []*paragraph {
	var all []*paragraph
	p := &paragraph{}
	for i, l := range lines {
		if strings.TrimSpace(l) != "" && !skip(l) {
			p.add(l, first+i)
		} else if p.text.Len() > 0 {
			all, p = append(all, p), &paragraph{}
		}
	}
	if p.text.Len() > 0 {
		all = append(all, p)
	}
	return all
}

// page is the prose of Markdown: all but its code. A row of a table, an item of a list and a heading
// are in paragraphs with their neighbours.
func page(text string) []*paragraph {
	fenced := false
	return split(strings.Split(text, "\n"), 1, func(l string) bool {
		fence := strings.HasPrefix(strings.TrimSpace(l), "```")
		if fence {
			fenced = !fenced
		}
		return fence || fenced || strings.HasPrefix(l, "    ")
	})
}

// source is the prose of a Go file: its comments, without their code, and the texts of its errors.
func source(text string) ([]*paragraph, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var all []*paragraph
	for _, group := range file.Comments {
		var lines []string
		for _, c := range group.List {
			lines = append(lines, commentLines(c.Text)...)
		}
		all = append(all, split(lines, fset.Position(group.Pos()).Line, func(l string) bool { return strings.HasPrefix(l, "\t") })...)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && makesError(call.Fun) {
			for _, arg := range call.Args {
				all = append(all, literals(fset, arg)...)
			}
		}
		return true
	})
	return all, nil
}

// commentLines are the lines of a comment without its marks. A directive is an empty line.
func commentLines(text string) []string {
	if text, ok := strings.CutPrefix(text, "/*"); ok {
		return strings.Split(strings.TrimSuffix(text, "*/"), "\n")
	}
	text = strings.TrimPrefix(text, "//")
	for _, directive := range []string{"go:", "gpu:", "line ", " Output", " ERROR"} {
		if strings.HasPrefix(text, directive) {
			return []string{""}
		}
	}
	return []string{strings.TrimPrefix(text, " ")}
}

// makesError reports whether a function makes an error from its arguments, by its name.
func makesError(function ast.Expr) bool {
	switch f := function.(type) {
	case *ast.Ident:
		return strings.HasSuffix(strings.ToLower(f.Name), "errorf") || f.Name == "usagef"
	case *ast.SelectorExpr:
		pkg, ok := f.X.(*ast.Ident)
		return f.Sel.Name == "Errorf" && !(ok && pkg.Name == "t") || f.Sel.Name == "Usagef" || f.Sel.Name == "New" && ok && pkg.Name == "errors"
	}
	return false
}

// literals are the strings of an expression: several, if they are joined.
func literals(fset *token.FileSet, e ast.Expr) []*paragraph {
	p := paragraph{isError: true}
	ast.Inspect(e, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				p.add(text, fset.Position(lit.Pos()).Line)
			}
		}
		_, call := n.(*ast.CallExpr) // its strings are not the error's
		return !call
	})
	if p.text.Len() == 0 {
		return nil
	}
	return []*paragraph{&p}
}
