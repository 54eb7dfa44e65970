package sim

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/ptx"
)

// decoder decodes one function for one kernel.
type decoder struct {
	*image
	fn     *function
	slots  map[int]slot        // by Symbol.Reg
	locals map[*ptx.Var]uint32 // places in the frame of local variables and parameters
	params map[*ptx.Var]uint64 // addresses of kernel parameters
	labels map[*ptx.Label]*bblock
	cur    *bblock         // under construction
	fills  map[string]slot // of special registers and addresses

	// The instruction at hand.
	scope  *ptx.Scope
	in     *ptx.Instr
	d      *ptx.Decoded
	site   *Site
	guard  *guard  // nil when unguarded
	behind *bblock // of control: where the lanes go on

	stepped bool // an inst that sends the instruction's Step is there, or will be
}

// problem is what a decoding function panics with; decodeInstr turns it into an error of the
// instruction.
type problem string

func (d *decoder) failf(format string, args ...any) {
	panic(problem(fmt.Sprintf(format, args...)))
}

// decode decodes a function.
func (img *image) decode(f *ptx.Func) {
	d := &decoder{
		image: img, fn: img.funcs[f], slots: map[int]slot{}, locals: map[*ptx.Var]uint32{},
		params: map[*ptx.Var]uint64{}, labels: map[*ptx.Label]*bblock{},
	}
	d.placeParams(f)
	d.open(d.newBlock())
	var loc *ptx.Loc
	index := 0
	walk(img.scope.Func(f), f.Body, func(s *ptx.Scope, stmt ptx.Stmt) {
		switch stmt := stmt.(type) {
		case *ptx.Loc:
			loc = stmt
		case *ptx.Var:
			d.placeLocal(stmt)
		case *ptx.Label:
			d.open(d.label(stmt))
		case *ptx.Instr:
			d.scope, d.in = s, stmt
			d.site = img.siteOf(f, stmt, loc, index)
			index++
			d.decodeInstr()
		}
	})
	d.close(endOp) // control that reaches the end returns
	d.cur.op = &inst{run: returnLanes, site: d.site}
	d.cur.site = d.site
	orderBlocks(d.fn.blocks)
}

// siteOf makes the Site of an instruction, once for all kernels.
func (l *loader) siteOf(f *ptx.Func, in *ptx.Instr, loc *ptx.Loc, index int) *Site {
	if s, ok := l.sites[in]; ok {
		return s
	}
	s := &Site{Func: f.Name, Index: index, Instr: in}
	if loc != nil {
		s.Source = l.source(loc)
		for at := loc.InlinedAt; at != nil; at = at.InlinedAt {
			s.Stack = append(s.Stack, l.source(at))
		}
	}
	l.sites[in] = s
	return s
}

func (l *loader) source(loc *ptx.Loc) Source {
	return Source{File: l.files[loc.File], Line: loc.Line, Col: loc.Col}
}

// newBlock makes a block that is not in the function yet.
func (d *decoder) newBlock() *bblock { return &bblock{index: -1} }

// label is the block that a label starts.
func (d *decoder) label(l *ptx.Label) *bblock {
	b, ok := d.labels[l]
	if !ok {
		b = d.newBlock()
		d.labels[l] = b
	}
	return b
}

// open ends the current block by falling into b and goes on with b.
func (d *decoder) open(b *bblock) {
	if d.cur != nil {
		d.cur.end, d.cur.next = endFall, b
		d.cur.successors = append(d.cur.successors, b)
	}
	d.start(b)
}

// start goes on with b, into which nothing falls.
func (d *decoder) start(b *bblock) {
	b.index = len(d.fn.blocks)
	d.fn.blocks = append(d.fn.blocks, b)
	d.cur = b
}

// close sets how the current block ends.
func (d *decoder) close(end endKind) {
	d.cur.end, d.cur.site = end, d.site
}

// operation ends the current block with an operation that moves the lanes itself. One that makes
// lanes wait is alone in its block, so that all lanes that wait for it stand at one place.
func (d *decoder) operation(run exec, ext any) *inst {
	if len(d.cur.code) > 0 || d.cur.n > 0 {
		d.open(d.newBlock())
	}
	d.close(endOp)
	d.cur.op = &inst{run: run, ext: ext, site: d.site}
	d.cur.n = 1
	d.cur.successors = append(d.cur.successors, d.behind)
	return d.cur.op
}

// decodeInstr decodes an instruction into the current block.
func (d *decoder) decodeInstr() {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case problem:
			d.fail(d.fn.name, d.in, "%s", string(r))
		default:
			panic(r)
		}
	}()
	var err error
	if d.d, err = ptx.Decode(d.in); err != nil {
		d.failf("%v", err)
	}
	d.guard = nil
	if g := d.in.Guard; g != nil {
		d.guard = &guard{pred: d.register(d.lookup(g.Reg)).off}
		d.reads(d.lookup(g.Reg))
		if g.Not {
			d.guard.neg = ^uint32(0)
		}
	}
	f, ends := control[d.in.Op]
	d.stepped = ends
	if ends {
		d.control(f)
		return
	}
	f = decoders[d.in.Op]
	if f == nil {
		d.failf("the simulator does not know this instruction")
	}
	d.cur.n++
	f(d)
}

// control decodes an instruction that ends a block. A guard becomes a branch around it, unless it
// is a branch itself.
func (d *decoder) control(f func(*decoder)) {
	d.behind = d.newBlock()
	if d.guard != nil && d.in.Op != "bra" {
		op := d.newBlock()
		d.branch(d.behind, op, d.guard.pred, ^d.guard.neg)
		d.cur.guard = true
		d.start(op)
		d.guard = nil
	}
	f(d)
	d.start(d.behind)
}

// branch ends the block with a conditional branch.
func (d *decoder) branch(target, next *bblock, pred, neg uint32) {
	d.close(endBranch)
	d.cur.target, d.cur.next, d.cur.pred, d.cur.neg = target, next, pred, neg
	d.cur.successors = append(d.cur.successors, target, next)
}

// emit adds an instruction to the block, under the guard if there is one.
func (d *decoder) emit(in inst) {
	in.site, in.follows = d.site, d.stepped
	d.stepped = true
	if d.guard != nil {
		g := &guard{pred: d.guard.pred, neg: d.guard.neg, in: in}
		in = inst{run: runGuarded, observed: watchGuarded, ext: g, site: d.site}
	}
	d.cur.code = append(d.cur.code, in)
}

// compute adds an instruction that computes all lanes of a 32- or 64-bit slot: when only some run,
// a scratch slot takes the result first.
func (d *decoder) compute(in inst, dst slot) {
	in.d, in.wide = dst.off, dst.bits == 64
	masked := in
	masked.d = d.fn.file.scratch
	in.masked = &masked
	d.emit(in)
}

// result adds an instruction whose destination may be of any width.
func (d *decoder) result(in inst, dst slot) {
	if dst.bits == 1 {
		in.d = dst.off
		d.emit(in)
		return
	}
	d.compute(in, dst)
}
