//go:build linux

package simdriver

import (
	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device/cuda"
)

// lastAttribute bounds CUdevice_attribute. Within it an attribute that attributes does not name is
// 0: the simulated GPU does not have it.
const lastAttribute = 160

// attributes are the properties of a device by CUdevice_attribute, as far as they are not 0.
func (dev *device) attributes() map[cuda.Attribute]int {
	l, cfg := dev.limits(), &dev.d.cfg
	const registers, constants, most = 65536, 64 << 10, 1<<31 - 1
	a := map[cuda.Attribute]int{
		cuda.MaxThreadsPerBlock: l.Threads,
		cuda.MaxBlockDimX:       l.Block[0], cuda.MaxBlockDimY: l.Block[1], cuda.MaxBlockDimZ: l.Block[2],
		cuda.MaxGridDimX: l.Grid[0], cuda.MaxGridDimY: l.Grid[1], cuda.MaxGridDimZ: l.Grid[2],
		cuda.MaxSharedMemoryPerBlock: l.StaticShared, cuda.MaxSharedMemoryPerBlockOpt: l.Shared,
		cuda.MultiprocessorCount: multiprocessors, cuda.ComputeCapabilityMajor: dev.kind.Capability[0],
		cuda.ComputeCapabilityMinor: dev.kind.Capability[1],
		cuda.MemoryPoolsSupported:   1,
		9:                           constants, // TOTAL_CONSTANT_MEMORY
		10:                          abi.WarpSize,
		11:                          most,      // MAX_PITCH
		12:                          registers, // MAX_REGISTERS_PER_BLOCK
		cuda.ClockRateKHz:           1000000,
		14:                          512, // TEXTURE_ALIGNMENT
		15:                          1,   // GPU_OVERLAP
		cuda.CanMapHostMemory:       1,
		31:                          1, // CONCURRENT_KERNELS
		cuda.MemoryClockRateKHz:     1000000, cuda.MemoryBusWidthBits: 512, cuda.L2CacheSize: 32 << 20,
		cuda.MaxThreadsPerMultiprocessor: l.Resident, cuda.AsyncEngineCount: 1,
		41: 1,               // UNIFIED_ADDRESSING
		78: 1, 79: 1, 80: 1, // stream priorities, caches of global and of local memory
		81:  l.Shared + l.Reserved,     // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
		82:  registers,                 // MAX_REGISTERS_PER_MULTIPROCESSOR
		83:  1,                         // MANAGED_MEMORY
		87:  32,                        // SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO
		89:  1,                         // CONCURRENT_MANAGED_ACCESS
		90:  1,                         // COMPUTE_PREEMPTION_SUPPORTED
		91:  1,                         // CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM
		95:  1,                         // COOPERATIVE_LAUNCH
		99:  1,                         // HOST_REGISTER_SUPPORTED
		102: 1,                         // VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
		103: 1,                         // HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED
		119: posixHandle,               // MEMPOOL_SUPPORTED_HANDLE_TYPES
		106: l.Blocks, 111: l.Reserved, // blocks of a multiprocessor, RESERVED_SHARED_MEMORY_PER_BLOCK
	}
	if l.Cluster > 1 {
		a[120], a[127] = 1, 1 // CLUSTER_LAUNCH, TENSOR_MAP_ACCESS_SUPPORTED
	}
	if cfg.NoPools {
		a[cuda.MemoryPoolsSupported] = 0
	}
	for i := cuda.Attribute(21); i <= 30; i++ { // the largest textures
		a[i] = 16384
	}
	return a
}

func (d *driver) getAttribute(to, attribute, number uintptr) uintptr {
	dev, ok := d.device(number)
	switch {
	case !ok:
		return code(cuda.InvalidDevice)
	case to == 0 || attribute == 0 || attribute >= lastAttribute:
		return code(cuda.InvalidValue)
	}
	*at[int32](to) = int32(dev.attributes()[cuda.Attribute(attribute)])
	return 0
}
