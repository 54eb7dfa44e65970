package decode

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// decoder decodes one function for one kernel.
type decoder struct {
	*image
	fn     *code.Func
	locals map[*ptx.Var]uint32 // offsets in the frame of local variables and parameters
	params map[*ptx.Var]uint64 // addresses of kernel parameters
	labels map[*ptx.Label]*code.Block
	cur    *code.Block             // under construction
	fills  map[code.Fill]code.Slot // by their Name and Local

	// The instruction at hand.
	scope  *ptx.Scope
	in     *ptx.Instr
	d      *ptx.Decoded
	site   *event.Site
	guard  *code.Guard // nil when unguarded
	behind *code.Block // of control: where the lanes go on

	stepped bool // an inst that sends the instruction's Step is there, or will be
}

// problem is the value that a decoding function panics with. decodeInstr turns it into an error of
// the instruction.
type problem string

func (d *decoder) failf(format string, args ...any) {
	panic(problem(fmt.Sprintf(format, args...)))
}

// decode decodes a function.
func (img *image) decode(fn *code.Func) {
	d := &decoder{
		image: img, fn: fn, locals: map[*ptx.Var]uint32{},
		params: map[*ptx.Var]uint64{}, labels: map[*ptx.Label]*code.Block{}, fills: map[code.Fill]code.Slot{},
	}
	d.placeParams(fn.Decl)
	d.open(d.newBlock())
	var loc *ptx.Loc
	index, failed := 0, len(img.errs)
	var sites []*event.Site
	walk(img.scope.Func(fn.Decl), fn.Decl.Body, func(s *ptx.Scope, stmt ptx.Stmt) {
		switch stmt := stmt.(type) {
		case *ptx.Loc:
			loc = stmt
		case *ptx.Var:
			d.placeLocal(stmt)
		case *ptx.Label:
			d.open(d.label(stmt))
		case *ptx.Instr:
			d.scope, d.in = s, stmt
			d.site = img.siteOf(fn.Decl, stmt, loc, index)
			sites = append(sites, d.site)
			index++
			d.decodeInstr()
		}
	})
	markProducts(sites)
	d.close(code.EndOp) // control that reaches the end returns
	d.cur.Op = &code.Inst{Op: ptx.OpRet, Site: d.site}
	if len(img.errs) == failed { // a function with an error may have blocks that are not there
		fn.OrderBlocks()
	}
}

// siteOf makes the Site of an instruction, once for all kernels.
func (l *Loader) siteOf(f *ptx.Func, in *ptx.Instr, loc *ptx.Loc, index int) *event.Site {
	if s, ok := l.sites[in]; ok {
		return s
	}
	s := &event.Site{Func: f.Name, Index: index, Instr: in, Does: in.Effects()}
	if loc != nil {
		s.Source = l.source(loc)
		for at := loc.InlinedAt; at != nil; at = at.InlinedAt {
			s.Stack = append(s.Stack, l.source(at))
		}
	}
	l.sites[in] = s
	return s
}

func (l *Loader) source(loc *ptx.Loc) event.Position {
	return event.Position{File: l.files[loc.File], Line: loc.Line, Col: loc.Col}
}

// newBlock makes a block that is not in the function yet.
func (d *decoder) newBlock() *code.Block { return &code.Block{Index: -1} }

// label is the block that a label starts.
func (d *decoder) label(l *ptx.Label) *code.Block {
	b, ok := d.labels[l]
	if !ok {
		b = d.newBlock()
		d.labels[l] = b
	}
	return b
}

// open ends the current block by falling into b and goes on with b.
func (d *decoder) open(b *code.Block) {
	if d.cur != nil {
		d.cur.End, d.cur.Next = code.EndFall, b
	}
	d.start(b)
}

// cut ends the current block after an instruction by which threads tell each other something. In a
// random order others may then run between it and the next instruction.
func (d *decoder) cut() { d.open(d.newBlock()) }

// start goes on with b, into which nothing falls.
func (d *decoder) start(b *code.Block) {
	b.Index = len(d.fn.Blocks)
	d.fn.Blocks = append(d.fn.Blocks, b)
	d.cur = b
}

// close sets how the current block ends.
func (d *decoder) close(end code.EndKind) {
	d.cur.End, d.cur.Site = end, d.site
}

// operation ends the current block with an operation that moves the lanes itself. An operation that
// makes lanes wait is alone in its block, so that all lanes that wait for it are at one
// instruction.
func (d *decoder) operation(in code.Inst) {
	if len(d.cur.Insts) > 0 || d.cur.N > 0 {
		d.open(d.newBlock())
	}
	d.close(code.EndOp)
	in.Site = d.site
	d.cur.Op, d.cur.N, d.cur.Next = &in, 1, d.behind
}

// decodeInstr decodes an instruction into the current block.
func (d *decoder) decodeInstr() {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case problem:
			d.errs = append(d.errs, NewError(d.mod, d.fn.Name, d.in, string(r)))
		default:
			panic(r)
		}
	}()
	var err error
	if d.d, err = ptx.Decode(d.in, d.scope); err != nil {
		d.failf("%v", err)
	}
	d.guard = nil
	if g := d.in.Guard; g != nil {
		d.guard = &code.Guard{Pred: d.register(d.lookup(g.Reg)), Not: g.Not}
		d.reads(d.lookup(g.Reg))
	}
	decode := (*decoder).plain
	switch f := irregular[d.in.Op]; {
	case f != nil:
		decode = f
	case d.site.Does.Kind == ptx.Nothing: // changes nothing here
		decode = func(*decoder) {}
	}
	if d.site.Does.Controls() {
		d.stepped = true
		d.control(decode)
		return
	}
	d.stepped = false
	d.cur.N++
	decode(d)
}

// control decodes an instruction that ends a block. A guard becomes a branch around it, unless it
// is a branch itself.
func (d *decoder) control(f func(*decoder)) {
	d.behind = d.newBlock()
	if d.guard != nil && d.site.Does.Kind != ptx.Jumps {
		op := d.newBlock()
		d.branch(d.behind, op, code.Guard{Pred: d.guard.Pred, Not: !d.guard.Not})
		d.cur.Around = true
		d.start(op)
		d.guard = nil
	}
	f(d)
	d.start(d.behind)
}

// branch ends the block with a conditional branch.
func (d *decoder) branch(target, next *code.Block, on code.Guard) {
	d.close(code.EndBranch)
	d.cur.Target, d.cur.Next, d.cur.Guard = target, next, on
}

// inst is the beginning of an instruction that does what the one at hand says.
func (d *decoder) inst() code.Inst {
	return code.Inst{
		Op: code.Op(d.in.Op), Type: d.d.Type, SrcType: d.d.SrcType, Space: d.d.Space,
		Attributes: code.AttributesOf(d.d.Modifiers), Text: d.d.Modifiers.String(),
	}
}

// step is an instruction that is one step of the one at hand: an operation with its own types.
func step(op code.Op, types ...ptx.Type) code.Inst {
	in := code.Inst{Op: op}
	for i, t := range types {
		if i == 0 {
			in.Type = t
		}
		in.SrcType = t
		in.Text += "." + string(t)
	}
	return in
}

// emit adds an instruction to the block, under the guard if there is one.
func (d *decoder) emit(in code.Inst, dst []code.Slot, args ...code.Slot) {
	in.Dst = append(in.Dst, dst...)
	in.Args = append(in.Args, args...)
	in.Guard, in.Site, in.Follows = d.guard, d.site, d.stepped
	d.stepped = true
	d.cur.Insts = append(d.cur.Insts, in)
}

// to is the destination of an instruction with one result.
func to(s ...code.Slot) []code.Slot { return s }
