// Package sim executes PTX: a SIMT machine that plays an NVIDIA GPU on any CPU, for programs
// without a GPU, for tests, and for the checks that observe it.
//
//	m := sim.New(sim.Config{})
//	addr, err := m.Alloc(4 * n)              // device memory; m.Bytes gives the host a view of it
//	prog, err := m.Load(module)              // decodes a *ptx.Module; an error says what it cannot run
//	kernel, err := prog.Entry("Partial_float32")
//	launch := sim.Launch{Grid: [3]int{64, 1, 1}, Block: [3]int{256, 1, 1}, Params: params}
//	stats, err := m.Launch(ctx, kernel, launch)
//
// # From PTX to running code
//
// A module goes through these rooms:
//
//	ptx        ptx.Module    the text, parsed and verified
//	decode     code.Kernel   data: basic blocks of instructions whose operands are slots of a register
//	                         file; one for each kernel with the functions it calls, since shared
//	                         variables have other addresses in another kernel
//	bind       function      the same with a Go function an instruction: of package lanes when it
//	                         computes registers from registers, else of this package
//	Launch                   blocks, warps and groups of lanes take turns to run them
//
// The files are on three floors. A file uses what is on its own floor or below, which TestFloors
// holds. The machine runs code by calling the Go function that each instruction is bound to. An engine
// (engine.go) runs the instructions that it knows instead: the one of package native compiles them to
// machine code.
//
//	machine
//	  machine load program variables errors   a machine, and a module loaded into it
//	  heap hostmemory objects                 memory and texture objects that the host and malloc make
//	  bound binder frame registers step       code bound to Go functions, and what runs it; registers
//	  launch worker block warp schedule       who runs when
//	  replay replay_state replay_memory       a launch put back to a moment of its past
//	  inspect                                 what a launch shows of itself
//	  engine engine_choose engine_warm        what runs the instructions of a block
//	  engine_native engine_parts engine_team  compiled code, of a warp, its parts and the warps of a block
//	  engine_series                           and of the blocks that follow
//	  access access_atomic access_ordered     the way to memory
//	  sync_warp sync_warpgroup sync_block     lanes, warps and blocks that wait for each other
//	  sync_mbarrier sync_cluster sync_grid cluster
//	  agent                                   what happens asynchronously to the threads
//	  event_send event_row                    what an observer is told (package event)
//	  fault stuck                             what goes wrong
//	agents
//	  agent_copy agent_bulk agent_tensor      the kinds of work that agents do
//	  agent_reduce agent_product mbarrier tensormap
//	interpreter
//	  new image                               a machine, and one that is made again elsewhere
//	  bind bind_control bind_memory           instructions, each bound to the function that runs it
//	  flow special                            calls, branches, special registers
//	  access_plain access_fragment access_matrix
//	  texture texture_fetch surface           texture units
//	  system printf                           the device's own functions: vprintf, malloc and their like
//
// A warp runs a block by calling one function an instruction. Each function serves all 32 lanes in
// a loop that the Go compiler keeps free of bounds checks. When only some lanes run, arithmetic
// still computes all of them, into a scratch slot, and the results of the running lanes are copied
// (warp.step). So each instruction is written once. Memory accesses remember the allocation they
// met last, and copy 32 consecutive words at once.
//
// The commonest operations, and the loads of 32 lanes, have vector instructions where the processor
// has AVX2 (package lanes). On one core of such a processor, beside a loop in plain Go, a dot product
// of ten million elements takes 1.7 to 2.2 times as long, a product of matrices in tiles 3.1 times,
// and sums of blocks by a tree in shared memory 22 times
// (docs/measurements/2026-11-26-simulator.json; the benchmarks of this package).
//
// # Who runs when
//
//	lane    is in one group of its warp: lanes at one instruction of one call frame run together
//	group   the deepest call first, then the lowest block number; a group that polls, or ran for 2^20
//	        instructions while others could run, gives way to the one that waited longest
//	warp    2^16 instructions a turn, or until all its groups wait or poll
//	cluster its blocks become resident together
//	block   runs alone on its worker until all its warps poll or it ran 2^24 instructions; then a
//	        further block of the grid becomes resident, too, and the residents take turns
//	worker  a goroutine; Config.Workers of them, one with an Observer
//
// A poll is an instruction by which a thread can wait for another: a volatile, relaxed or acquire
// load, an atomic that changed nothing, nanosleep. So lanes, warps and blocks that spin on one
// another make progress, and a spin costs little. With an Observer everything is decided by
// Launch.Order and Launch.Seed. A random order interrupts blocks, warps and groups at any time.
//
// Nothing hangs: when every live thread of a block waits for something that cannot happen, or a
// budget of instructions without progress is used up, or the context ends, the launch ends with a
// Stuck error that says which threads are where.
//
// # Memory
//
// Package memory has the address space. Shared and local memory is filled with 0xff for every block
// and call. Parameters of functions live in local memory. Atomics, and volatile, relaxed, acquire
// and release accesses, are Go atomics: what is no race by CUDA's rules is none for the race
// detector. Every fence is a full one.
//
// # What the machine follows, and what it does not
//
//	followed                                              not modelled
//	IEEE results in every rounding mode, bit for bit;     the exact bits of rsqrt.approx.f64, which is
//	.ftz, .sat, NaN payloads and approximations (sin,     rounded correctly
//	ex2, div.full, …) as on an H200 (package mufu)
//	independent thread scheduling (Volta and later)       timing; %clock counts instructions
//	named barriers with counts, arrive, reductions;       memory orders weaker than those that happen
//	threads that exited are not waited for                on the host: checks judge those from the events
//	calls, recursion, indirect calls and branches;        limits on registers; caches and cache hints
//	vprintf, __assertfail, malloc and free of 8 MiB
//	cp.async, also in bulk and of tensors, whose copies   mipmaps: every texture has one level; sured;
//	and reductions come late (agent.go); wgmma;           alloca; what a copy reads of its tensor map
//	tensormap.replace; textures and surfaces by a
//	handle (package texture);
//	mbarrier with transaction counts; ldmatrix;
//	stmatrix; mma.sync and wmma, bit
//	for bit as on an H200 (package tensor)
//	limits of compute capability 9.0;                     cooperative launches of other compilers
//	grids of our own compiler that meet; clusters, whose
//	blocks run on one worker
//
// The manual leaves some results open. The machine then gives what an H200 gives, as far as that
// was measured: the tests of instructions (ops_*_test.go) run there too.
package sim
