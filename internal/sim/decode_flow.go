package sim

import (
	"strings"

	"github.com/gridstride/gridstride/internal/ptx"
)

// flow are the instructions that end a basic block or make lanes wait.
var flow = map[string]func(*decoder){
	"bra":     (*decoder).bra,
	"brx":     (*decoder).brx,
	"call":    (*decoder).call,
	"ret":     func(d *decoder) { d.terminate(returnLanes) },
	"exit":    func(d *decoder) { d.terminate(exitLanes) },
	"trap":    func(d *decoder) { d.terminate(trapLanes("the kernel executed trap")) },
	"brkpt":   func(d *decoder) { d.terminate(trapLanes("the kernel executed a breakpoint")) },
	"bar":     (*decoder).barrier,
	"barrier": (*decoder).barrier,
	"shfl":    (*decoder).shfl,
	"vote":    (*decoder).vote,
	"match":   (*decoder).match,
	"redux":   (*decoder).redux,
	"elect":   (*decoder).elect,
}

func (d *decoder) bra() {
	sym := d.lookup(string(d.in.Args[0].(ptx.Name)))
	if sym.Label == nil {
		d.failf("%s is no label", sym.Name)
	}
	d.cur.n++
	target := d.label(sym.Label)
	if d.guard == nil {
		d.close(endJump)
		d.cur.target = target
		d.cur.successors = append(d.cur.successors, target)
		return
	}
	d.branch(target, d.behind, d.guard.pred, d.guard.neg)
}

// terminate ends the block with an operation behind which nothing runs.
func (d *decoder) terminate(run exec) {
	d.close(endOp)
	d.cur.n++
	d.cur.op = &inst{run: run, site: d.site}
}

// brx branches by an index into a table of labels.
func (d *decoder) brx() {
	sym := d.lookup(string(d.in.Args[1].(ptx.Name)))
	if sym.Targets == nil {
		d.failf("%s is no table of branch targets", sym.Name)
	}
	var to []*bblock
	for _, name := range sym.Targets.Labels {
		l := d.lookup(name)
		if l.Label == nil {
			d.failf("%s is no label", name)
		}
		to = append(to, d.label(l.Label))
	}
	index := d.source(d.in.Args[0], ptx.U32)
	d.operation(branchIndexed, to).a = index.off
	d.cur.successors = to
}

// callOp is the ext of a call.
type callOp struct {
	fn            *function // nil for an indirect call
	target        uint32    // slot of the address of an indirect call
	results, args []place
	next          *bblock
}

func (d *decoder) call() {
	c, err := d.in.Call()
	if err != nil {
		d.failf("%v", err)
	}
	op := &callOp{next: d.behind}
	target := d.lookup(string(c.Target.(ptx.Name)))
	var results, params []*ptx.Var
	switch {
	case target.Kind == ptx.FuncSymbol:
		if op.fn = d.funcs[target.Func]; op.fn == nil {
			d.failf("%s is declared but has no body in this module", target.Name)
		}
		results, params = target.Func.Results, target.Func.Params
	default:
		op.target = d.named(target).off
		results, params = d.signature(c.Table)
	}
	op.args = d.arguments(c.Args, params, false)
	op.results = d.arguments(c.Results, results, true)
	d.operation(callLanes, op)
}

// signature is the results and parameters of an indirect call.
func (d *decoder) signature(table string) (results, params []*ptx.Var) {
	sym := d.lookup(table)
	switch {
	case sym.Prototype != nil:
		return sym.Prototype.Results, sym.Prototype.Params
	case sym.Calls != nil && len(sym.Calls.Funcs) > 0:
		if f := d.lookup(sym.Calls.Funcs[0]).Func; f != nil {
			return f.Results, f.Params
		}
	}
	d.failf("%s is no call prototype or table of functions", table)
	return nil, nil
}

// arguments are the places of a call's arguments or results in the caller, whose types the formal
// parameters say.
func (d *decoder) arguments(list []ptx.Operand, formals []*ptx.Var, write bool) []place {
	if len(list) != len(formals) {
		d.failf("the function has %d parameters or results here, not %d", len(formals), len(list))
	}
	var places []place
	for i, o := range list {
		places = append(places, d.argument(o, formals[i].Type, write))
	}
	return places
}

func (d *decoder) argument(o ptx.Operand, t ptx.Type, write bool) place {
	name, ok := o.(ptx.Name)
	if !ok {
		return place{reg: d.source(o, t), num: -1}
	}
	switch sym := d.lookup(string(name)); {
	case sym.Kind == ptx.SinkSymbol: // a result that is thrown away: into no bytes
		return place{}
	case sym.Kind == ptx.VarSymbol:
		at, ok := d.locals[sym.Var]
		if !ok {
			d.failf("%s cannot be passed to a function", name)
		}
		return place{off: at, size: uint32(sym.Var.Size())}
	case write:
		return place{reg: d.dest(o, sym.Type), num: sym.Reg}
	case sym.Kind == ptx.RegisterSymbol:
		return place{reg: d.named(sym), num: sym.Reg}
	default:
		return place{reg: d.named(sym), num: -1}
	}
}

// barrier decodes bar and barrier.
func (d *decoder) barrier() {
	if d.d.Has("warp") {
		d.sync("bar", func(*warp, *inst) {}, nil, nil, d.in.Args[0])
		return
	}
	op := &barrierOp{kind: BarrierSync, next: d.behind}
	args := d.in.Args
	in := inst{}
	switch {
	case d.d.Has("cluster"): // a cluster is one block: arriving is free, waiting is a barrier of its own
		if d.d.Has("arrive") {
			d.cur.n++
			d.close(endFall)
			d.cur.next = d.behind
			d.cur.successors = append(d.cur.successors, d.behind)
			return
		}
		op.id, op.cluster = d.constant(ptx.U32, clusterBarrier).off, true
		d.operation(arriveBarrier, op)
		return
	case d.d.Has("red"):
		op.kind, op.red = BarrierRed, d.d.Mod("op")
		t := ptx.Pred
		if op.red == "popc" {
			t = ptx.U32
		}
		in.d = d.dest(args[0], t).off
		op.pred = d.source(args[len(args)-1], ptx.Pred).off
		args = args[1 : len(args)-1]
	case d.d.Has("arrive"):
		op.kind = BarrierNoWait
	}
	op.id = d.source(args[0], ptx.U32).off
	if len(args) > 1 {
		op.count, op.hasCount = d.source(args[1], ptx.U32).off, true
	}
	d.operation(arriveBarrier, op).d = in.d
}

// sync ends the block with an operation for which the lanes of a mask wait for each other; no mask
// means whichever lanes are there.
func (d *decoder) sync(op string, do exec, inputs, outputs []slot, mask ptx.Operand) *inst {
	s := &syncOp{op: op, key: d.in.Op + "." + strings.Join(d.in.Mods, "."), do: do, inputs: inputs, outputs: outputs, next: d.behind}
	if mask == nil {
		s.all = true
	} else {
		s.mask = d.source(mask, ptx.U32).off
	}
	return d.operation(syncLanes, s)
}

func (d *decoder) shfl() {
	dst, p := d.destPair(d.in.Args[0], ptx.B32, ptx.Pred)
	a, b, c := d.source(d.in.Args[1], ptx.B32), d.source(d.in.Args[2], ptx.B32), d.source(d.in.Args[3], ptx.B32)
	var mask ptx.Operand
	if d.d.Has("sync") {
		mask = d.in.Args[4]
	}
	in := d.sync("shfl", shuffle(d.d.Mod("mode")), []slot{a, b, c}, []slot{dst, p}, mask)
	in.ext.(*syncOp).mode = d.d.Mod("mode")
	in.d, in.e, in.a, in.b, in.c = dst.off, p.off, a.off, b.off, c.off
}

func (d *decoder) vote() {
	t := ptx.Pred
	if d.d.Mod("op") == "ballot" {
		t = ptx.B32
	}
	dst, a := d.dest(d.in.Args[0], t), d.source(d.in.Args[1], ptx.Pred)
	var mask ptx.Operand
	if d.d.Has("sync") {
		mask = d.in.Args[2]
	}
	in := d.sync("vote", vote(d.d.Mod("op")), []slot{a}, []slot{dst}, mask)
	in.d, in.a = dst.off, a.off
}

func (d *decoder) match() {
	dst, p := d.destPair(d.in.Args[0], ptx.B32, ptx.Pred)
	a := d.source(d.in.Args[1], d.d.Type)
	var do exec
	switch wide := d.d.Type.Bits() == 64; {
	case d.d.Mod("op") == "any" && wide:
		do = matchAny[uint64]
	case d.d.Mod("op") == "any":
		do = matchAny[uint32]
	case wide:
		do = matchAll[uint64]
	default:
		do = matchAll[uint32]
	}
	in := d.sync("match", do, []slot{a}, []slot{dst, p}, d.in.Args[2])
	in.d, in.e, in.a = dst.off, p.off, a.off
}

func (d *decoder) redux() {
	dst, a := d.dest(d.in.Args[0], d.d.Type), d.source(d.in.Args[1], d.d.Type)
	var do exec
	if op := d.d.Mod("op"); d.d.Type == ptx.S32 {
		do = redux(rmwSigned[int32](op))
	} else {
		f := rmwFunc[uint32](op)
		do = redux(func(a, b uint32) uint32 { return f(a, b, 0) })
	}
	in := d.sync("redux", do, []slot{a}, []slot{dst}, d.in.Args[2])
	in.d, in.a = dst.off, a.off
}

func (d *decoder) elect() {
	dst, p := d.destPair(d.in.Args[0], ptx.B32, ptx.Pred)
	in := d.sync("elect", elect, nil, []slot{dst, p}, d.in.Args[1])
	in.d, in.e = dst.off, p.off
}
