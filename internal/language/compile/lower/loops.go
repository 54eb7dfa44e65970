package lower

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// sourceLoop is a loop of a function, for remarks.
type sourceLoop struct {
	header *ssa.BasicBlock
	blocks map[*ssa.BasicBlock]bool // all, also of loops inside
	pos    token.Pos                // of the statement, or for a loop by goto of its label's first instruction
	parent *sourceLoop
}

// loopsOf finds the natural loops of a function, each before the loops around it.
func (f *frame) loopsOf() []*sourceLoop {
	if loops, ok := f.l.loops[f.fn]; ok {
		return loops
	}
	var loops []*sourceLoop
	for _, h := range f.fn.Blocks {
		l := &sourceLoop{header: h, blocks: map[*ssa.BasicBlock]bool{h: true}}
		for _, p := range h.Preds {
			if h.Dominates(p) {
				l.add(p)
			}
		}
		if len(l.blocks) > 1 || slices.Contains(h.Succs, h) {
			loops = append(loops, l)
		}
	}
	slices.SortStableFunc(loops, func(l, m *sourceLoop) int { return cmp.Compare(len(l.blocks), len(m.blocks)) })
	inner := map[*ssa.BasicBlock]*sourceLoop{} // the outermost so far, by block
	for _, l := range loops {
		for b := range l.blocks {
			if in := inner[b]; in != nil && in.parent == nil {
				in.parent = l
			}
		}
		for b := range l.blocks {
			inner[b] = l
		}
	}
	f.findStatements(loops)
	f.l.loops[f.fn] = loops
	return loops
}

// add adds the blocks that lead to b.
func (l *sourceLoop) add(b *ssa.BasicBlock) {
	for work := []*ssa.BasicBlock{b}; len(work) > 0; {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if !l.blocks[x] {
			l.blocks[x] = true
			work = append(work, x.Preds...)
		}
	}
}

// findStatements gives each loop the position of its statement: the smallest for statement that has
// all of the loop's instructions and is not the statement of a loop inside. A loop without
// instructions that have positions gets the next statement without a body.
func (f *frame) findStatements(loops []*sourceLoop) {
	var statements []ast.Node // outer ones first
	ast.Inspect(f.fn.Syntax(), func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			statements = append(statements, n)
		}
		return true
	})
	slices.Reverse(statements)
	taken := map[ast.Node]bool{}
	for _, l := range loops {
		first, last := f.extent(l)
		l.pos = first
		if !byStatement(l.header) {
			continue
		}
		var found ast.Node
		for _, s := range statements {
			switch {
			case taken[s]:
			case !first.IsValid() && isEmpty(s):
				found = s // and perhaps one before it
			case found == nil && first.IsValid() && s.Pos() <= first && last <= s.End():
				found = s
			}
		}
		if found != nil {
			taken[found] = true
			l.pos = found.Pos()
		}
	}
}

// isEmpty reports whether a for statement has no body.
func isEmpty(s ast.Node) bool {
	switch s := s.(type) {
	case *ast.ForStmt:
		return len(s.Body.List) == 0
	case *ast.RangeStmt:
		return len(s.Body.List) == 0
	}
	return false
}

// byStatement reports whether go/ssa made a block for a for statement, and not for a label.
func byStatement(b *ssa.BasicBlock) bool {
	return strings.HasPrefix(b.Comment, "for.") || strings.HasPrefix(b.Comment, "range") && strings.Contains(b.Comment, ".")
}

// extent is the first and the last position of a loop's instructions, without phis and branches:
// these have the positions of variables and conditions, which may be elsewhere.
func (f *frame) extent(l *sourceLoop) (first, last token.Pos) {
	for b := range l.blocks {
		for _, in := range b.Instrs {
			switch in.(type) {
			case *ssa.Phi, *ssa.If:
				continue
			}
			pos := f.instrPos(in)
			if !pos.IsValid() {
				continue
			}
			if !first.IsValid() || pos < first {
				first = pos
			}
			last = max(last, pos)
		}
	}
	return first, last
}

// markLoops notes for each block the loop that it is in, if the function collects remarks.
func (f *frame) markLoops() {
	if f.l.f.Remarks == nil || f.fn.Syntax() == nil {
		return
	}
	f.from = map[*ssa.BasicBlock]*ir.SourceLoop{}
	loops := f.loopsOf()
	made := map[*sourceLoop]*ir.SourceLoop{nil: f.l.from}
	for _, l := range slices.Backward(loops) {
		pos := f.pos
		if pos.Line == 0 {
			pos = f.l.position(l.pos)
			pos.Call = f.outer
		}
		if pos.Line == 0 {
			pos = f.l.b.Pos
		}
		made[l] = ir.NewSourceLoop(pos, made[l.parent])
		for b := range l.blocks { // loops inside come later
			f.from[b] = made[l]
		}
	}
}

// fromOf is the loop that a block of the function is in, or the call.
func (f *frame) fromOf(b *ssa.BasicBlock) *ir.SourceLoop {
	if from := f.from[b]; from != nil {
		return from
	}
	return f.around
}

// ownLoop notes that blocks are of a loop that no statement has: of the built-in copy, or of an
// atomic operation that is tried again.
func (l *lowerer) ownLoop(blocks ...*ir.Block) {
	if l.f.Remarks == nil {
		return
	}
	from := ir.NewSourceLoop(l.b.Pos, l.from)
	for _, b := range blocks {
		b.From = from
	}
}
