package sim

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/ptx"
)

// control binds the operation that ends a block.
func (b *binder) control(blk *code.Block) *inst {
	in := blk.Op
	b.in = in
	to := &inst{Inst: lanes.Slots(in), site: in.Site}
	switch in.Op {
	case "ret":
		to.run = returnLanes
	case "exit":
		to.run = exitLanes
	case "trap":
		to.run = trapLanes("the kernel executed trap")
	case "brkpt":
		to.run = trapLanes("the kernel executed a breakpoint")
	case "brx":
		var targets []*bblock
		for _, t := range blk.Targets {
			targets = append(targets, b.block(t))
		}
		to.run, to.ext = branchIndexed, targets
	case "call":
		if in.Call.External != "" {
			to.run, to.ext = callExternal, external(in, b.block(blk.Next))
			break
		}
		if in.Call.Grid() {
			to.run, to.ext = arriveBarrier, &barrierOp{kind: event.BarrierSync, own: true, id: in.Args[0].Off, next: b.block(blk.Next)}
			break
		}
		to.run, to.ext = callLanes, &callOp{
			fn: b.funcs[in.Call.Func], target: in.Call.Target.Off,
			results: in.Call.Results, args: in.Call.Args, next: b.block(blk.Next),
		}
	case "bar", "barrier":
		if in.Has("cluster") {
			to.ext = &clusterOp{relaxed: in.Mod("sem") == "relaxed", next: b.block(blk.Next)}
			if to.run = waitCluster; in.Has("arrive") {
				to.run = arriveCluster
			}
			break
		}
		if !in.Has("warp") {
			to.run, to.ext = arriveBarrier, b.barrier(in, b.block(blk.Next))
			break
		}
		fallthrough
	default:
		to.run, to.ext = syncLanes, b.sync(in, b.block(blk.Next))
	}
	return to
}

// barrier binds a barrier of the block.
func (b *binder) barrier(in *code.Inst, next *bblock) *barrierOp {
	op := &barrierOp{kind: event.BarrierSync, next: next, id: in.Args[0].Off}
	args := in.Args
	switch {
	case in.Has("red"):
		op.kind, op.red = event.BarrierRed, in.Mod("op")
		op.pred = args[len(args)-1].Off
		args = args[:len(args)-1]
	case in.Has("arrive"):
		op.kind = event.BarrierNoWait
	}
	if len(args) > 1 {
		op.count, op.hasCount = args[1].Off, true
	}
	return op
}

// sync binds an operation for which lanes wait for each other.
func (b *binder) sync(in *code.Inst, next *bblock) *syncOp {
	op := &syncOp{
		op: in.Op, mode: in.Mod("mode"), key: in.Op + "." + strings.Join(in.Site.Instr.Mods, "."),
		do: lanes.Together(in, b.sm), inputs: in.Args, outputs: in.Dst,
		mask: in.Mask.Off, all: in.Mask.Bits == 0, next: next,
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
		op.registers = &registerOp{more: in.Mod("op") == "inc", count: int(in.Site.Instr.Args[0].(ptx.Int).Bits)}
	case does.Kind == ptx.Copies:
		op.access = b.copyMap(in).access
	case does.Accesses(ptx.FragmentSize):
		op.access = b.fragment(in).access
	case does.Kind == ptx.Loads, does.Kind == ptx.Stores:
		op.access = b.matrix(in).access
	}
	return op
}
