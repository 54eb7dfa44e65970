package sim

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/decode"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/ptx"
)

// bind gives every instruction of a kernel the Go function that runs it.
func bind(mod *ptx.Module, sm int, k *code.Kernel) (*binding, LoadErrors) {
	b := &binder{mod: mod, sm: sm, binding: binding{funcs: map[*code.Func]*function{}, blocks: map[*code.Block]*bblock{}}}
	for _, f := range k.Funcs {
		b.funcs[f] = &function{name: f.Name}
	}
	for _, f := range k.Funcs {
		b.function(f)
	}
	return &b.binding, b.errs
}

func (b *binder) function(f *code.Func) {
	b.fn = f
	fn := b.funcs[f]
	fn.slots, fn.results, fn.params = f.Slots, f.Results, f.Params
	fn.file = newImage(&f.File)
	fn.frame = frameLayout{size: f.Local, align: max(f.LocalAlign, frameAlign)}
	for _, s := range f.Fills {
		fn.special = append(fn.special, specialSlot{s.Slot, fillerOf(s), perBlock(s.Name)})
	}
	for _, blk := range f.Blocks {
		fn.blocks = append(fn.blocks, b.bindBlock(blk))
	}
}

func (b *binder) bindBlock(blk *code.Block) *bblock {
	to := b.block(blk)
	to.n, to.order, to.end, to.site = blk.N, blk.Order, blk.End, blk.Site
	to.pred, to.around = blk.Guard.Pred.Off, blk.Around
	if blk.Guard.Not {
		to.neg = ^uint32(0)
	}
	to.target, to.next = b.block(blk.Target), b.block(blk.Next)
	to.code = make([]inst, len(blk.Insts))
	for i := range blk.Insts {
		to.code[i] = b.inst(&blk.Insts[i])
	}
	if blk.Op != nil {
		b.control(blk, to)
	}
	return to
}

// inst binds an instruction, under its guard if it has one.
func (b *binder) inst(in *code.Inst) inst {
	b.in = in
	to := inst{Inst: lanes.Slots(in), site: in.Site, follows: in.Follows}
	var whole bool
	if to.lane, whole = lanes.Bind(in); whole {
		masked := to.Inst
		masked.D = b.fn.File.Scratch.Off
		to.masked, to.wide = &masked, in.Dst[0].Bits == 64
	}
	if to.lane == nil {
		b.machine(in, &to)
	}
	if in.Guard == nil {
		return to
	}
	g := &guard{pred: in.Guard.Pred.Off, in: to}
	if in.Guard.Not {
		g.neg = ^uint32(0)
	}
	return inst{run: g.run, observed: g.watch, site: in.Site}
}

// machine binds an instruction that needs more than registers.
func (b *binder) machine(in *code.Inst, to *inst) {
	switch in.Op {
	case ptx.OpLd, ptx.OpLdu:
		b.load(in, to)
	case ptx.OpSt:
		b.store(in, to)
	case ptx.OpAtom, ptx.OpRed:
		b.atomic(in, to)
	case ptx.OpMbarrier:
		b.mbarrier(in, to)
	case ptx.OpCp:
		b.asyncCopy(in, to)
	case ptx.OpTensormap:
		b.replaceField(in, to)
	case ptx.OpTex, ptx.OpTld4:
		b.fetch(in, to)
	case ptx.OpSuld, ptx.OpSust:
		b.surface(in, to)
	case ptx.OpTxq, ptx.OpSuq:
		b.query(in, to)
	case ptx.OpMembar, ptx.OpFence:
		b.fence(in, to)
	case ptx.OpNanosleep:
		to.run = func(w *warp, _ *inst) { w.poll(0) }
	case ptx.OpActivemask:
		to.run = activeMask
	case ptx.OpIsspacep:
		to.run = isInSpace(in.Space, in.Has(code.SharedCluster))
	case ptx.OpMapa:
		to.run, to.wide = mapShared, in.Dst[0].Bits == 64
	case ptx.OpGetctarank:
		to.run, to.wide = rankOfShared, in.Args[0].Bits == 64
	default:
		read, ok := clocks[in.Op]
		if !ok {
			b.fail("%s", decode.Unknown)
			return
		}
		to.run = readClock(read, in.Dst[0].Bits)
	}
}

// activeMask gives every running lane the mask of the lanes that run with it.
func activeMask(w *warp, in *inst) {
	if w.wk.obs != nil {
		w.sendActive(in)
	}
	w.Spread(in.D, w.Exec)
}

// isInSpace says whether generic addresses point into a state space, of the own block or of its
// cluster.
func isInSpace(space ptx.Space, cluster bool) exec {
	return func(w *warp, in *inst) {
		var m uint32
		for i, x := range reg[uint64](w, in.A) {
			other := space == ptx.SharedSpace && !cluster && w.cta.at(x) != w.cta
			m |= lanes.Bit(w.wk.m.SpaceOf(x) == space && !other) << i
		}
		w.SetPred(in.D, m)
	}
}
