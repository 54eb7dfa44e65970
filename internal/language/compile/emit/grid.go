package emit

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// gridBarrier calls abi.SyncGrid with the address of the fault record.
func (e *emitter) gridBarrier(*ir.Value) {
	e.syncsGrid, e.m.syncsGrid = true, true
	record := e.temp(longClass)
	e.ins(ptx.OpLd.Of(ptx.ParamSpace, ptx.U64), record, ptx.Addr{Base: ptx.Name(abi.FaultParam)})
	const argument = "record"
	outer := e.out
	e.out = []ptx.Stmt{&ptx.Var{Space: ptx.ParamSpace, Type: ptx.B64, Name: argument}}
	e.ins(ptx.OpSt.Of(ptx.ParamSpace, ptx.B64), ptx.Addr{Base: ptx.Name(argument)}, record)
	e.loc(e.pos)
	e.ins(ptx.OpCall.Of(ptx.ModUni), ptx.Name(abi.SyncGrid), ptx.List{ptx.Name(argument)})
	e.out = append(outer, &ptx.Block{Stmts: e.out})
}

// syncGridBody is abi.SyncGrid for a GPU, with the barrier of CUDA's cooperative groups. The first
// thread of each block adds 1 to a word, except in the first block: it adds 2^31 less the other
// blocks. So the highest bit changes when all have arrived, and the other bits are as before. A
// non-zero word at FaultOffEnded says that a thread failed and will not arrive. Then all waiting
// threads end.
const syncGridBody = `
.func %[1]s(.param .b64 record)
{
	.reg .pred %%p<5>;
	.reg .b32 %%r<13>;
	.reg .b64 %%rd<2>;
	ld.param.b64 %%rd1, [record];
	bar.sync 0;
	mov.u32 %%r1, %%tid.x;
	mov.u32 %%r2, %%tid.y;
	mov.u32 %%r3, %%tid.z;
	or.b32 %%r1, %%r1, %%r2;
	or.b32 %%r1, %%r1, %%r3;
	setp.ne.u32 %%p1, %%r1, 0;
	@%%p1 bra $met;
	mov.u32 %%r4, %%nctaid.x;
	mov.u32 %%r5, %%nctaid.y;
	mov.u32 %%r6, %%nctaid.z;
	mul.lo.u32 %%r4, %%r4, %%r5;
	mul.lo.u32 %%r4, %%r4, %%r6;
	sub.u32 %%r4, 0x80000001, %%r4;
	mov.u32 %%r5, %%ctaid.x;
	mov.u32 %%r6, %%ctaid.y;
	mov.u32 %%r7, %%ctaid.z;
	or.b32 %%r5, %%r5, %%r6;
	or.b32 %%r5, %%r5, %%r7;
	setp.eq.u32 %%p2, %%r5, 0;
	selp.b32 %%r8, %%r4, 1, %%p2;
	fence.acq_rel.gpu;
	atom.relaxed.gpu.global.add.u32 %%r9, [%%rd1+%[2]d], %%r8;
$wait:
	ld.relaxed.gpu.global.u32 %%r10, [%%rd1+%[2]d];
	ld.relaxed.gpu.global.u32 %%r11, [%%rd1+%[3]d];
	xor.b32 %%r10, %%r10, %%r9;
	and.b32 %%r10, %%r10, 0x80000000;
	or.b32 %%r10, %%r10, %%r11;
	setp.eq.u32 %%p3, %%r10, 0;
	@%%p3 bra $wait;
	fence.acq_rel.gpu;
$met:
	bar.sync 0;
	ld.relaxed.gpu.global.u32 %%r12, [%%rd1+%[3]d];
	setp.eq.u32 %%p4, %%r12, 0;
	@%%p4 ret;
	exit;
}
`

// syncGrid is the function itself.
func syncGrid() *ptx.Func {
	text := ".version 6.3\n.target sm_70\n.address_size 64\n" +
		fmt.Sprintf(syncGridBody, abi.SyncGrid, abi.FaultOffGrid, abi.FaultOffEnded)
	m, err := ptx.Parse(abi.SyncGrid, text)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return m.Decls[0].(*ptx.Func)
}
