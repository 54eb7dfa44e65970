package sim

import (
	"sync"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
)

// Config describes the device that a Machine plays. The zero value is a large recent GPU (the
// limits of compute capability 9.0) with most of the host's memory and all of its cores.
type Config struct {
	// Memory is the number of bytes that Alloc and module variables may hold together. 0 means
	// three quarters of the host's memory, or of what a container may have of it, where that is
	// known, else 4 GiB.
	Memory int64
	// Workers is the number of blocks that run at once, each on a goroutine. 0 means GOMAXPROCS. A
	// launch with an Observer always has one.
	Workers int
	Limits  Limits
	// Engine runs the kernels. "" is the engine that the environment variable GRIDSTRIDE_ENGINE names.
	// If that is not set either, kernels are interpreted at first, and compiled once they have run for
	// about as long as compiling them takes.
	Engine Engine
	// SM is the compute capability, 90 for 9.0, which decides what tensor cores compute. 0 means
	// the capability of abi.SimTarget.
	SM int
	// Device is the device's number, below memory.Devices, which decides where its memory is.
	Device int
}

// Limits bound what a launch may ask for. A zero field takes the value of DefaultLimits.
type Limits struct {
	ThreadsPerBlock int    // threads in a block
	BlockDim        [3]int // each block dimension
	GridDim         [3]int // each grid dimension
	StaticShared    int    // bytes of shared memory that a kernel may declare
	Shared          int    // bytes of shared memory of a block, declared and dynamic together
	LocalBytes      int    // bytes of local memory of a thread: local variables, parameters of calls, all frames
	CallDepth       int    // nested calls
	Cluster         int    // blocks of a cluster
	ResidentThreads int    // threads of the blocks in flight, all workers together

	device abi.Limits // see LimitsOf
}

// multiprocessors is how many a device has on which a grid must fit whose blocks wait for each
// other.
const multiprocessors = 132

// DefaultLimits are the limits of an NVIDIA H100.
func DefaultLimits() Limits { return LimitsOf(abi.SimTarget.SM) }

// LimitsOf are the limits of a device of a compute capability, 90 for 9.0. CallDepth has no
// counterpart there.
func LimitsOf(sm int) Limits {
	l := abi.LimitsOf(sm)
	return Limits{
		ThreadsPerBlock: l.Threads,
		BlockDim:        l.Block,
		GridDim:         l.Grid,
		StaticShared:    l.StaticShared,
		Shared:          l.Shared,
		LocalBytes:      l.Local,
		CallDepth:       1024,
		Cluster:         l.Cluster,
		ResidentThreads: multiprocessors * l.Resident,
		device:          l,
	}
}

// Machine is a simulated GPU: memory, and the means to run kernels on it. All its methods may be
// called from any goroutine. Launches that run at once share memory as kernels of different streams
// do.
type Machine struct {
	memory.Space // Alloc, Free, Bytes, Used, Extents

	cfg     Config
	heap    heap
	objects objects
	wide    sync.Mutex // held for an atomic of 128 bits

	launches atomic.Uint64

	bind   bindFunc
	engine engine // nil for the interpreter alone
	err    error  // see Err
}

// Config returns the configuration with every default filled in.
func (m *Machine) Config() Config { return m.cfg }

// CooperativeBlocks is how many blocks of the given threads and bytes of shared memory the device
// runs at a time: the largest grid of a kernel that calls abi.SyncGrid.
func (l *Limits) CooperativeBlocks(threads, shared int) int {
	return multiprocessors * l.device.ActiveBlocks(threads, shared)
}

func (l *Limits) fill(def Limits) {
	if l.device == (abi.Limits{}) {
		l.device = def.device
	}
	for _, f := range []struct{ field, def *int }{
		{&l.ThreadsPerBlock, &def.ThreadsPerBlock},
		{&l.BlockDim[0], &def.BlockDim[0]}, {&l.BlockDim[1], &def.BlockDim[1]}, {&l.BlockDim[2], &def.BlockDim[2]},
		{&l.GridDim[0], &def.GridDim[0]}, {&l.GridDim[1], &def.GridDim[1]}, {&l.GridDim[2], &def.GridDim[2]},
		{&l.StaticShared, &def.StaticShared}, {&l.Shared, &def.Shared},
		{&l.LocalBytes, &def.LocalBytes},
		{&l.CallDepth, &def.CallDepth}, {&l.Cluster, &def.Cluster}, {&l.ResidentThreads, &def.ResidentThreads},
	} {
		if *f.field == 0 {
			*f.field = *f.def
		}
	}
}
