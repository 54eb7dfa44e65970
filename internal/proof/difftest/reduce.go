package difftest

import (
	"cmp"
	"context"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// maxCandidates is how many simplified programs are tried at once.
const maxCandidates = 150

// Reduce returns a smaller program that still differs in the same way, and how.
//
// It tries, many at once, all programs that one edit of the source makes: a run of statements
// deleted, a statement replaced by its body, an expression by one of its operands or by a constant.
// The edits after which the program still differs are then made together, as far as that goes, and
// the result is edited again until no edit remains.
func (c *Checker) Reduce(ctx context.Context, v Verdict) (Verdict, error) {
	for {
		next, err := c.reduceOnce(ctx, v)
		if err != nil || next == nil {
			return v, err
		}
		v = *next
		if p := c.mend(tidy(v.Program.Source)); p != nil {
			v.Program = p
		}
	}
}

// A candidate is a program and the edits that made it.
type candidate struct {
	*Program
	edits []edit
}

func (c *Checker) reduceOnce(ctx context.Context, v Verdict) (*Verdict, error) {
	list := c.candidates(v.Program)
	for len(list) > 0 {
		n := min(len(list), maxCandidates)
		good, best, err := c.differing(ctx, v, list[:n])
		if err != nil {
			return nil, err
		}
		list = list[n:]
		if best == nil {
			continue
		}
		if _, all, err := c.differing(ctx, v, c.unions(v.Program, good)); err != nil || all != nil {
			return all, err
		}
		return best, nil
	}
	return nil, nil
}

// differing are the edits of those candidates that differ as v does, and the smallest of these
// programs.
func (c *Checker) differing(ctx context.Context, v Verdict, list []candidate) (good []edit, best *Verdict, err error) {
	programs := make([]*Program, len(list))
	of := map[*Program][]edit{}
	for i, x := range list {
		programs[i] = x.Program
		of[x.Program] = x.edits
	}
	if len(list) == 0 {
		return nil, nil, nil
	}
	verdicts, err := c.Check(ctx, programs)
	if err != nil {
		return nil, nil, err
	}
	for i, w := range verdicts {
		if w.Difference == nil || w.Difference.Kind != v.Difference.Kind {
			continue
		}
		good = append(good, of[w.Program]...)
		if best == nil || len(w.Program.Source) < len(best.Program.Source) {
			best = &verdicts[i]
		}
	}
	return good, best, nil
}

// unions are programs made by several of the edits at once: all that do not overlap, the first half
// of them, a quarter, …
func (c *Checker) unions(p *Program, good []edit) []candidate {
	slices.SortStableFunc(good, func(a, b edit) int { return cmp.Compare(b.gain(), a.gain()) })
	var chosen []edit
	for _, e := range good {
		if !slices.ContainsFunc(chosen, e.overlaps) {
			chosen = append(chosen, e)
		}
	}
	var list []candidate
	for n := len(chosen); n > 1; n /= 2 {
		if q := c.mend(apply(p.Source, chosen[:n])); q != nil {
			list = append(list, candidate{q, nil})
		}
	}
	return list
}

// candidates are the programs that one edit makes and that type-check, the smallest first.
func (c *Checker) candidates(p *Program) []candidate {
	var list []candidate
	seen := map[string]bool{p.Source: true}
	for _, e := range edits(p.Source) {
		source := apply(p.Source, []edit{e})
		if seen[source] || len(source) >= len(p.Source) {
			continue
		}
		seen[source] = true
		if q := c.mend(source); q != nil {
			list = append(list, candidate{q, []edit{e}})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(len(a.Source), len(b.Source)) })
	return list
}

// tidy formats the source and drops its blank lines.
func tidy(source string) string {
	var b strings.Builder
	for line := range strings.Lines(source) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(line)
		}
	}
	text, err := format.Source([]byte(b.String()))
	if err != nil {
		return source
	}
	return string(text)
}

// mend parses an edited program. Where the edit leaves a variable unused, it is used. Other
// mistakes make the edit void.
func (c *Checker) mend(source string) *Program {
	for range 8 {
		p, err := c.Oracle.Parse(source)
		if err == nil {
			return p
		}
		_, name, ok := strings.Cut(err.Error(), "declared and not used: ")
		if !ok {
			return nil
		}
		fixed := dropDeclaration(source, name)
		if fixed == "" {
			return nil
		}
		source = fixed
	}
	return nil
}

// dropDeclaration replaces the declaration of a variable that nothing uses: name := x becomes _ =
// x.
func dropDeclaration(source, name string) string {
	for _, decl := range []string{"\t" + name + " := "} {
		if i := strings.Index(source, decl); i >= 0 {
			return source[:i] + "\t_ = " + source[i+len(decl):]
		}
	}
	if i := strings.Index(source, "\tvar "+name+" "); i >= 0 {
		end := strings.IndexByte(source[i:], '\n')
		return source[:i] + source[i+end:]
	}
	return ""
}

// edit replaces source[from:to] by text.
type edit struct {
	from, to int
	text     string
}

func (e edit) gain() int            { return e.to - e.from - len(e.text) }
func (e edit) overlaps(f edit) bool { return e.from < f.to && f.from < e.to }

// apply makes edits that do not overlap.
func apply(source string, list []edit) string {
	list = slices.SortedFunc(slices.Values(list), func(a, b edit) int { return cmp.Compare(b.from, a.from) })
	for _, e := range list {
		source = source[:e.from] + e.text + source[e.to:]
	}
	return source
}

type editor struct {
	source string
	fset   *token.FileSet
	list   []edit
}

func edits(source string) []edit {
	e := &editor{source: source, fset: token.NewFileSet()}
	file, err := parser.ParseFile(e.fset, "", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); !ok || fn.Name.Name != "Kø" {
			e.replace(d, "")
		}
	}
	ast.Inspect(file, e.visit)
	return e.list
}

// visit notes the edits of one node, and reports whether its parts may be edited.
func (e *editor) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.BlockStmt:
		e.statements(n.List)
		e.statement(n)
	case *ast.CaseClause:
		e.statements(n.Body)
	case ast.Stmt:
		e.statement(n)
	case *ast.IndexExpr:
		if e.own(n.X) {
			return false
		}
		e.expression(n)
	case *ast.SliceExpr:
		return false // its capacity may reach into what other threads own
	case *ast.CallExpr:
		if e.guard(n) {
			return false
		}
		e.expression(n)
	case ast.Expr:
		e.expression(n)
	}
	return true
}

// own reports whether x is a slice in which each thread has its own elements: their indexes must
// not change, or threads would race.
func (e *editor) own(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && (strings.HasPrefix(id.Name, "out") || id.Name == "alias" || id.Name == "chk")
}

func (e *editor) offset(p token.Pos) int { return e.fset.Position(p).Offset }

func (e *editor) text(n ast.Node) string { return e.source[e.offset(n.Pos()):e.offset(n.End())] }

func (e *editor) replace(n ast.Node, text string) {
	e.list = append(e.list, edit{e.offset(n.Pos()), e.offset(n.End()), text})
}

// statements deletes runs of statements: all, halves, quarters, down to each.
func (e *editor) statements(list []ast.Stmt) {
	for n := len(list); n > 0; n /= 2 {
		for i := 0; i+n <= len(list); i += n {
			if slices.ContainsFunc(list[i:i+n], e.endsLoop) {
				continue
			}
			e.list = append(e.list, edit{e.offset(list[i].Pos()), e.offset(list[i+n-1].End()), ""})
		}
	}
}

// endsLoop reports whether s counts down what ends a loop.
func (e *editor) endsLoop(s ast.Stmt) bool {
	if _, ok := s.(*ast.IncDecStmt); !ok || !strings.HasPrefix(e.text(s), "fuel") {
		return false
	}
	fuel := strings.TrimSuffix(e.text(s), "--")
	return strings.Contains(e.source, fuel+" > 0") || strings.Contains(e.source, fuel+" == 0")
}

// statement replaces a statement by its body or a part of it.
func (e *editor) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		if n := len(s.List); n > 0 {
			e.replace(s, e.source[e.offset(s.List[0].Pos()):e.offset(s.List[n-1].End())])
		}
	case *ast.IfStmt:
		e.replace(s, e.text(s.Body))
		if s.Else != nil {
			e.replace(s, e.text(s.Else))
			e.list = append(e.list, edit{e.offset(s.Body.End()), e.offset(s.Else.End()), ""})
		}
		if s.Init != nil {
			e.list = append(e.list, edit{e.offset(s.Init.Pos()), e.offset(s.Cond.Pos()), ""})
		}
	case *ast.ForStmt:
		e.replace(s, e.text(s.Body))
		if s.Init != nil {
			e.replace(s, "{\n"+e.text(s.Init)+"\n"+e.text(s.Body)+"\n}")
		}
	case *ast.RangeStmt:
		e.replace(s, e.text(s.Body))
	case *ast.LabeledStmt:
		e.replace(s, e.text(s.Stmt))
	case *ast.SwitchStmt:
		for _, c := range s.Body.List {
			e.replace(c, "")
			body := c.(*ast.CaseClause).Body
			if len(body) > 0 {
				e.replace(s, "{\n"+e.source[e.offset(body[0].Pos()):e.offset(body[len(body)-1].End())]+"\n}")
			}
		}
	}
}

// expression replaces an expression by an operand or by a constant. The type checker rejects
// replacements of the wrong type.
func (e *editor) expression(x ast.Expr) {
	if strings.Contains(e.text(x), "fuel") {
		return
	}
	var operands []ast.Expr
	switch x := x.(type) {
	case *ast.ParenExpr:
		e.replace(x, e.text(x.X))
		return
	case *ast.BinaryExpr:
		operands = []ast.Expr{x.X, x.Y}
	case *ast.UnaryExpr:
		operands = []ast.Expr{x.X}
	case *ast.CallExpr:
		operands = x.Args
	case *ast.IndexExpr:
		operands = []ast.Expr{x.X, x.Index}
	case *ast.SelectorExpr:
		operands = []ast.Expr{x.X}
	case *ast.StarExpr:
		operands = []ast.Expr{x.X}
	case *ast.CompositeLit:
		for i := range x.Elts {
			e.list = append(e.list, edit{e.offset(x.Lbrace) + 1, e.offset(x.Rbrace), ""})
			if i > 0 {
				break
			}
		}
		operands = x.Elts
	}
	for _, y := range operands {
		e.replace(x, e.text(y))
	}
	switch x.(type) {
	case *ast.BasicLit, *ast.Ident:
	default:
		for _, c := range []string{"0", "1", "true", "tid"} {
			e.replace(x, c)
		}
	}
}

// guard reports whether a call is one of the helpers that keep the program within what Go defines:
// they stay as they are.
func (e *editor) guard(call *ast.CallExpr) bool {
	id, ok := call.Fun.(*ast.Ident)
	if !ok {
		return false
	}
	switch strings.TrimSuffix(id.Name, "ø") {
	case "fit", "bits32", "bits64", "number":
		if len(call.Args) > 0 {
			ast.Inspect(call.Args[0], e.visit)
		}
		return true
	}
	return false
}
