package effects

// A row's case is an instruction that can run alone in the kernel of kernel_test.go. There %r1 is the
// address of 8 KB of shared memory, %r2 that plus 16 bytes a thread, %r3 is 7, %r4 is 0, %r5 the
// address of 8 bytes for an mbarrier, %r6 is 16, %r7 the thread, %r8 is 1, %r9 is 64, %d1 the
// address of 8 KB of global memory, %d2 that plus 16 bytes a thread, %d3 the address of a tensor
// map, %p1 is true, %p2 false, and %p3 true in the first warp.
type rowCase struct {
	setup, instr, after string
	threads             int  // 0 for 32
	alone               bool // no test runs it: the simulator does not, or it needs more than a kernel
}

// mbarrier has an mbarrier that one arrival and 16 bytes complete.
const mbarrier = "mbarrier.init.shared.b64 [%r5], 1; mbarrier.arrive.expect_tx.shared.b64 %d20, [%r5], 16;"

// phase waits for it.
const phase = "W: mbarrier.try_wait.parity.shared.b64 %p5, [%r5], 0; @!%p5 bra W;"

// groups waits for copies in bulk.
const groups = "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"

const (
	half4  = "{%r20, %r21, %r22, %r23}"
	half8  = "{%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}"
	halves = "mov.b32 %r20, 0; mov.b32 %r21, 0; mov.b32 %r22, 0; mov.b32 %r23, 0; mov.b32 %r24, 0; mov.b32 %r25, 0; mov.b32 %r26, 0; mov.b32 %r27, 0;"
	sums   = "mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f00000000; mov.f32 %f3, 0f00000000; mov.f32 %f4, 0f00000000;"
	// factors are descriptors of two matrices in the shared memory of %r1.
	factors = sums + "cvt.u64.u32 %d21, %r1; shr.u64 %d21, %d21, 4; or.b64 %d21, %d21, 0x0000000800080000; mov.b64 %d22, %d21;" +
		"wgmma.fence.sync.aligned;"
	product = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %d21, %d22, %p1, 1, 1, 0, 0;"
)

var cases = []rowCase{
	// Registers to registers.
	{instr: "add.u32 %r20, %r3, %r7;"},
	{instr: "popc.b32 %r20, %r3;"},
	{instr: "cvt.u64.u32 %d20, %r3;"},
	{instr: "vadd.u32.u32.u32 %r20, %r3, %r7;"},
	{instr: "vadd2.u32.u32.u32 %r20, %r3, %r7, %r8;"},
	{instr: "vadd4.u32.u32.u32 %r20, %r3, %r7, %r8;"},
	{instr: "setp.lt.u32 %p5, %r3, %r7;"},
	{instr: "setp.lt.and.u32 %p5, %r3, %r7, %p1;"},
	{instr: "lop3.b32 %r20, %r3, %r7, %r8, 0x80;"},
	{instr: "lop3.and.b32 %r20|%p5, %r3, %r7, %r8, 0x80, %p1;"},
	{instr: "isspacep.global %p5, %d1;"},
	{instr: "createpolicy.fractional.L2::evict_last.b64 %d20;"},
	{instr: "activemask.b32 %r20;"},
	{instr: "mov.b32 %r20, %r3;"},
	{instr: "and.b32 %r20, %r3, %r7;"},
	{instr: "and.pred %p5, %p1, %p2;"},
	{instr: "selp.b32 %r20, %r3, %r7, %p1;"},
	{instr: "alloca.u32 %r20, %r6;", alone: true},
	{instr: "stackrestore.u32 %r20;", alone: true},

	// Memory.
	{instr: "ld.global.b32 %r20, [%d2];"},
	{instr: "ld.shared.v2.b64 {%d20, %d21}, [%r2];"},
	{instr: "st.shared.b32 [%r2], %r3;"},
	{instr: "st.global.v4.b32 [%d2], {%r3, %r4, %r6, %r7};"},
	{instr: "atom.shared.add.u32 %r20, [%r2], %r3;"},
	{instr: "atom.global.cas.b64 %d20, [%d2], %d1, %d3;"},
	{instr: "red.global.add.u32 [%d2], %r3;"},
	{instr: "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d20, {%r3}];", alone: true},
	{instr: "suld.b.1d.b32.trap %r20, [%d20, {%r3}];", alone: true},
	{instr: "sust.b.1d.b32.trap [%d20, {%r3}], %r20;", alone: true},
	{instr: "txq.width.b32 %r20, [%d20];", alone: true},
	{instr: "prefetch.global.L2 [%d2];"},
	{instr: "discard.global.L2 [%d1], 128;"},
	{setup: tensorMap, instr: "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r1], %d1;", threads: 1},

	// Fences.
	{instr: "membar.gl;"},
	{instr: "fence.proxy.async;"},
	{instr: "fence.proxy.tensormap::generic.acquire.gpu [%d1], 128;"},

	// Threads that meet.
	{instr: "bar.sync 1, %r9;", threads: 64},
	{instr: "@%p3 bar.arrive 2, %r9;", after: "@!%p3 bar.sync 2, 64;", threads: 64},
	{instr: "bar.red.popc.u32 %r20, 1, %r9, %p1;", threads: 64},
	{instr: "bar.warp.sync -1;"},
	{instr: "barrier.sync 1, %r9;", threads: 64},
	{instr: "@%p3 barrier.arrive 2, %r9;", after: "@!%p3 barrier.sync 2, 64;", threads: 64},
	{instr: "barrier.red.popc.u32 %r20, 1, %r9, %p1;", threads: 64},
	{instr: "barrier.sync.aligned 1, %r9;", threads: 64},
	{instr: "@%p3 barrier.arrive.aligned 2, %r9;", after: "@!%p3 barrier.sync.aligned 2, 64;", threads: 64},
	{instr: "barrier.red.popc.aligned.u32 %r20, 1, %r9, %p1;", threads: 64},
	{instr: "barrier.cluster.arrive;", after: "barrier.cluster.wait;", threads: 64},
	{setup: "barrier.cluster.arrive;", instr: "barrier.cluster.wait;", threads: 64},
	{instr: "barrier.cluster.arrive.aligned;", after: "barrier.cluster.wait.aligned;", threads: 64},
	{setup: "barrier.cluster.arrive.aligned;", instr: "barrier.cluster.wait.aligned;", threads: 64},
	{instr: "shfl.sync.idx.b32 %r20, %r3, %r4, 31, -1;"},
	{instr: "vote.sync.ballot.b32 %r20, %p1, -1;"},
	{instr: "match.any.sync.b32 %r20, %r3, -1;"},
	{instr: "redux.sync.add.u32 %r20, %r3, -1;"},
	{instr: "elect.sync %r20|%p5, -1;"},
	{instr: "setmaxnreg.dec.sync.aligned.u32 24;", threads: 128},
	{setup: halves + sums, instr: "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r20, %r21}, {%r22}, {%f1, %f2, %f3, %f4};"},
	{setup: halves, instr: "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 " + half4 + ", " + half8 + ", " + half8 + ", " + half4 + ";"},
	{instr: "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r2];"},
	{instr: "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r3};"},
	{instr: "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " + half8 + ", [%r1], %r6;"},
	{setup: halves, instr: "wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [%r1], " + half4 + ", %r6;"},
	{instr: "wgmma.fence.sync.aligned;", threads: 128},
	{instr: "wgmma.commit_group.sync.aligned;", threads: 128},
	{instr: "wgmma.wait_group.sync.aligned 0;", threads: 128},
	{setup: factors, instr: product, after: "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;", threads: 128},
	{setup: tensorMap, instr: "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d1], [%r1], 128;"},

	// The flow of control.
	{instr: "@%p3 bra L;", after: "L:", threads: 64},
	{setup: "ts: .branchtargets A, B;", instr: "brx.idx %r4, ts;", after: "A: B:"},
	{instr: "call (%r20), same, (%r3);"},
	{setup: "mov.u64 %d20, same; proto: .callprototype (.reg .b32 _) _ (.reg .b32 _);", instr: "call (%r20), %d20, (%r3), proto;"},
	{instr: "ret;"},
	{instr: "exit;"},
	{instr: "trap;"},
	{instr: "brkpt;"},
	{instr: "nanosleep.u32 %r3;"},
	{instr: "pmevent 7;"},
	{instr: "griddepcontrol.wait;"},

	// Asynchronous copies.
	{instr: "cp.async.ca.shared.global [%r2], [%d2], 16, %r6;", after: "cp.async.wait_all;"},
	{instr: "cp.async.commit_group;"},
	{instr: "cp.async.wait_group 0;"},
	{instr: "cp.async.wait_all;"},
	{setup: "mbarrier.init.shared.b64 [%r5], 1;", instr: "cp.async.mbarrier.arrive.shared.b64 [%r5];", after: "mbarrier.arrive.shared.b64 %d20, [%r5];" + phase, threads: 1},
	{instr: "cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], %r6;", after: groups, threads: 1},
	{setup: mbarrier, instr: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1], %r6, [%r5];", after: phase, threads: 1},
	{setup: mbarrier + "cvt.u16.u32 %h1, %r8;", instr: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%d1], %r6, [%r5], %h1;", after: phase, threads: 1},
	{instr: "cp.async.bulk.prefetch.L2.global [%d1], %r6;", threads: 1},
	{instr: "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%d3, {%r4}], [%r1];", after: groups, threads: 1},
	{setup: mbarrier, instr: "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%d3, {%r4}], [%r5];", after: phase, threads: 1},
	{instr: "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%d3, {%r4}];", threads: 1},
	{instr: "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1], [%r1], %r6;", after: groups, threads: 1},
	{setup: mbarrier + "add.u32 %r30, %r1, 1024;", instr: "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r1], [%r30], %r6, [%r5];", after: phase, threads: 1},
	{instr: "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%d3, {%r4}], [%r1];", after: groups, threads: 1},
	{instr: "cp.async.bulk.commit_group;", threads: 1},
	{instr: "cp.async.bulk.wait_group 0;", threads: 1},

	// Barriers in memory.
	{instr: "mbarrier.init.shared.b64 [%r5], %r8;", threads: 1},
	{setup: "mbarrier.init.shared.b64 [%r5], 1;", instr: "mbarrier.inval.shared.b64 [%r5];", threads: 1},
	{setup: "mbarrier.init.shared.b64 [%r5], 1;", instr: "mbarrier.arrive.shared.b64 %d20, [%r5], %r8;", threads: 1},
	{setup: "mbarrier.init.shared.b64 [%r5], 2;", instr: "mbarrier.arrive_drop.shared.b64 %d20, [%r5], %r8;", threads: 1},
	{setup: "mbarrier.init.shared.b64 [%r5], 2;", instr: "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r5], %r6;", threads: 1},
	{setup: "mbarrier.init.shared.b64 [%r5], 2;", instr: "mbarrier.arrive.expect_tx.shared.b64 %d20, [%r5], %r6;", threads: 1},
	{setup: "mbarrier.init.shared.b64 [%r5], 1; mbarrier.arrive.shared.b64 %d20, [%r5];", instr: "mbarrier.test_wait.shared.b64 %p5, [%r5], %d20;", threads: 1},
	{setup: "mbarrier.init.shared.b64 [%r5], 1; mbarrier.arrive.shared.b64 %d20, [%r5];", instr: "mbarrier.try_wait.parity.shared.b64 %p5, [%r5], %r4;", threads: 1},
}

// tensorMap copies the tensor map of %d3 to the first 128 bytes of shared memory.
const tensorMap = "add.u32 %r31, %r1, 0; mov.u64 %d31, %d3; mov.b32 %r32, 16;" +
	"M: ld.global.b64 %d32, [%d31]; st.shared.b64 [%r31], %d32; add.u64 %d31, %d31, 8; add.u32 %r31, %r31, 8;" +
	"sub.u32 %r32, %r32, 1; setp.ne.u32 %p6, %r32, 0; @%p6 bra M; bar.sync 0;"
