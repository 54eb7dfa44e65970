package sim

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/ptx"
)

// control binds the operation that ends a block, to the end of the bound block.
func (b *binder) control(blk *code.Block, end *bblock) {
	in := blk.Op
	b.in = in
	to := &inst{Inst: lanes.Slots(in), site: in.Site}
	end.op = to
	switch in.Op {
	case ptx.OpRet:
		to.run = returnLanes
	case ptx.OpExit:
		to.run = exitLanes
	case ptx.OpTrap:
		to.run = trapLanes("the kernel executed trap")
	case ptx.OpBrkpt:
		to.run = trapLanes("the kernel executed a breakpoint")
	case ptx.OpBrx:
		var targets []*bblock
		for _, t := range blk.Targets {
			targets = append(targets, b.block(t))
		}
		to.run = branchIndexed(targets)
	case ptx.OpCall:
		if in.Call.External != "" {
			to.run = external(in).run
			break
		}
		if in.Call.Grid() {
			end.barrier = &barrierOp{kind: event.BarrierSync, own: true, id: in.Args[0].Off}
			break
		}
		call := &callOp{
			fn: b.funcs[in.Call.Func], target: in.Call.Target.Off,
			results: in.Call.Results, args: in.Call.Args, next: end.next,
		}
		to.run = call.run
	case ptx.OpBar, ptx.OpBarrier:
		if in.Has(code.OfCluster) {
			if to.run = waitCluster; in.Has(code.Arrives) {
				to.run = arriveCluster(in.Order == event.Relaxed)
			}
			break
		}
		if !in.Has(code.OfWarp) {
			end.barrier = b.barrier(in)
			break
		}
		fallthrough
	default:
		end.sync = b.sync(in)
	}
	switch {
	case end.barrier != nil:
		to.run = end.barrier.run
	case end.sync != nil:
		to.run = end.sync.run
	}
}

// barrier binds a barrier of the block.
func (b *binder) barrier(in *code.Inst) *barrierOp {
	op := &barrierOp{kind: event.BarrierSync, id: in.Args[0].Off}
	args := in.Args
	switch {
	case in.Has(code.Reduces):
		op.kind, op.red = event.BarrierRed, in.Fn
		op.pred = args[len(args)-1].Off
		args = args[:len(args)-1]
	case in.Has(code.Arrives):
		op.kind = event.BarrierNoWait
	}
	if len(args) > 1 {
		op.count, op.hasCount = args[1].Off, true
	}
	if n, ok := b.fn.File.Value(args[0]); ok && n < abi.Barriers && op.kind == event.BarrierSync && !op.hasCount {
		op.plain, op.number = true, uint8(n)
	}
	return op
}

// sync binds an operation for which lanes wait for each other.
func (b *binder) sync(in *code.Inst) *syncOp {
	op := &syncOp{
		op: string(in.Op), mode: in.Mode, key: string(in.Op) + "." + strings.Join(in.Site.Instr.Mods, "."),
		do: lanes.Together(in, b.sm), inputs: in.Args, outputs: in.Dst,
		mask: in.Mask.Off, all: in.Mask.Bits == 0,
	}
	does := in.Site.Does
	if does.Whole { // one instruction for the warp
		op.whole, op.key = true, fmt.Sprintf("%s of %s, %d", op.key, in.Site.Func, in.Site.Index)
	}
	switch {
	case does.Agent == ptx.ProductAgent:
		op.group, op.products = b.warpgroup(in), does.Kind == ptx.Awaits
	case does.Kind == ptx.Barriers:
		op.op = "bar"
	case does.Kind == ptx.Registers:
		op.registers = &registerOp{more: in.Fn == code.FnInc, count: setRegisters(in)}
	case does.Kind == ptx.Copies:
		op.access = b.copyMap(in).access
	case does.Accesses(ptx.FragmentSize):
		op.access = b.fragment(in).access
	case does.Kind == ptx.Loads, does.Kind == ptx.Stores:
		op.access = b.matrix(in).access
	}
	return op
}
