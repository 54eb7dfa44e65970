package abi

// Limits are the limits of one launch on a device of a compute capability (CUDA C++ Programming
// Guide, "Technical Specifications per Compute Capability").
type Limits struct {
	Threads      int    // of a block
	Block        [3]int // threads in each dimension of a block
	Grid         [3]int // blocks in each dimension of a grid
	StaticShared int    // bytes of shared memory that a kernel may declare
	Shared       int    // bytes of shared memory of a block, declared and dynamic together
	Const        int    // bytes of the .const variables of a module
	Local        int    // bytes of local memory of a thread
	Resident     int    // threads on a multiprocessor at a time
	Blocks       int    // blocks on a multiprocessor at a time
	Reserved     int    // bytes of shared memory that a block takes besides its own
	Cluster      int    // blocks of a cluster, on every device of the capability, or 1 if it has none
}

// WarpSize is the number of threads of a warp.
const WarpSize = 32

// WarpgroupSize is the number of threads of a warpgroup, and products take all of them.
const WarpgroupSize = 4 * WarpSize

// RegistersPerSM is how many registers of 32 bits a multiprocessor has, and MostRegisters how many
// a thread has at most by setmaxnreg.
const (
	RegistersPerSM = 64 << 10
	MostRegisters  = 256
)

// Barriers is the number of barriers of a block. Barrier 0 is for the whole block.
const Barriers = 16

// The numbers of two barriers after a block's: its cluster's and the grid's. AllBarriers is the
// number of all.
const (
	BarrierOfCluster = Barriers + iota
	BarrierOfGrid
	AllBarriers
)

// capabilityLimits are the limits that differ, from each capability on, oldest first.
var capabilityLimits = []struct{ sm, shared, resident, blocks int }{
	{70, 96 << 10, 2048, 32},
	{75, 64 << 10, 1024, 16},
	{80, 163 << 10, 2048, 32},
	{86, 99 << 10, 1536, 16},
	{87, 163 << 10, 1536, 16},
	{89, 99 << 10, 1536, 24},
	{90, 227 << 10, 2048, 32},
	{120, 99 << 10, 1536, 24},
}

// LimitsOf are the limits of compute capability sm: 90 for 9.0. A capability older than 7.0 gets
// the limits of 7.0.
func LimitsOf(sm int) Limits {
	l := Limits{
		Threads:      1024,
		Block:        [3]int{1024, 1024, 64},
		Grid:         [3]int{1<<31 - 1, 65535, 65535},
		StaticShared: 48 << 10,
		Const:        64 << 10,
		Local:        512 << 10,
	}
	for i, row := range capabilityLimits {
		if i == 0 || sm >= row.sm {
			l.Shared, l.Resident, l.Blocks = row.shared, row.resident, row.blocks
		}
	}
	if sm >= 80 {
		l.Reserved = 1 << 10
	}
	l.Cluster = 1
	if sm >= ClusterTarget.SM {
		l.Cluster = 8
	}
	return l
}

// AnyLimits are the highest limits that any device has, each for itself.
func AnyLimits() Limits {
	l := LimitsOf(0)
	for _, row := range capabilityLimits {
		l.Shared, l.Resident, l.Blocks = max(l.Shared, row.shared), max(l.Resident, row.resident), max(l.Blocks, row.blocks)
		l.Reserved = max(l.Reserved, LimitsOf(row.sm).Reserved)
		l.Cluster = max(l.Cluster, LimitsOf(row.sm).Cluster)
	}
	return l
}

// PortableParams is how many bytes of parameters a kernel in Go may have, with the hidden ones:
// what every version of CUDA passes on (CUDA C++ Programming Guide, "Function Parameters").
const PortableParams = 4096

// ParamLimit is how many bytes of parameters a kernel may have whose PTX has the version
// major.minor and a target of sm: 32,764 from PTX 8.1 on for sm_70 and newer, else 4,352 (PTX ISA,
// "Kernel Function Parameters").
func ParamLimit(major, minor, sm int) int {
	if sm >= 70 && (major > 8 || major == 8 && minor >= 1) {
		return 32764
	}
	return 4352
}
