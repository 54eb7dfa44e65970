package gridstride

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/device"
)

// Registers is how many registers a thread of the kernel takes on the GPU. It is 0 on a simulated
// device: PTX has any number of registers, and only the driver's compiler knows what it makes of
// them.
func (k *Kernel) Registers() int { return k.attributes().Registers }

// LocalBytes is the local memory of a thread of the kernel, in bytes: on a GPU also what the
// driver's compiler spills registers to, on a simulated device what the PTX declares.
func (k *Kernel) LocalBytes() int { return k.attributes().LocalBytes }

// MaxActiveBlocks is the number of blocks of the kernel that a multiprocessor runs at a time, for
// blocks of the given number of threads and bytes of dynamic shared memory. It is 0 if such a block
// cannot run. On a simulated device it follows from the threads, blocks and shared memory of a GPU
// of the target that the device plays. Registers may allow less on that GPU.
//
// Errors: ErrClosed.
func (k *Kernel) MaxActiveBlocks(threads, sharedBytes int) (int, error) {
	made, err := k.hold("occupancy")
	if err != nil {
		return 0, err
	}
	defer k.mod.release()
	return k.mod.dev.backend.ActiveBlocks(made.kernel.ID, threads, k.declared+sharedBytes)
}

// MaxCooperativeBlocks is the number of blocks of the kernel that the device runs at a time, for
// blocks of the given number of threads and bytes of dynamic shared memory. It is the largest grid
// of a kernel that calls gpu.SyncGrid. A simulated device has as many multiprocessors as an H200,
// each with MaxActiveBlocks.
//
// Errors: ErrClosed.
func (k *Kernel) MaxCooperativeBlocks(threads, sharedBytes int) (int, error) {
	made, err := k.hold("occupancy")
	if err != nil {
		return 0, err
	}
	defer k.mod.release()
	return k.mod.dev.backend.CooperativeBlocks(made.kernel.ID, threads, k.declared+sharedBytes)
}

// MaxPotentialBlockSize returns the number of threads of a block with which the most threads of the
// kernel run on the device at a time, for sharedBytes of dynamic shared memory a block. blocks is
// the number of such blocks that run at a time: a kernel with a grid-stride loop needs no larger
// grid. For a kernel that is compiled for one block size it returns that size. It is computed like
// MaxActiveBlocks.
//
// Errors: ErrClosed, and ErrLimit if no block can have sharedBytes of shared memory.
func (k *Kernel) MaxPotentialBlockSize(sharedBytes int) (blocks, threads int, err error) {
	made, err := k.hold("occupancy")
	if err != nil {
		return 0, 0, err
	}
	defer k.mod.release()
	most, dev := made.attr.MaxThreads, k.mod.dev
	if k.most != (Dim3{}) {
		most = min(most, k.most.count())
	}
	if k.required != (Dim3{}) {
		threads = k.required.count()
	} else if threads, err = dev.backend.PotentialBlock(made.kernel.ID, k.declared+sharedBytes, most); err != nil {
		return 0, 0, err
	}
	active := 0
	if threads > 0 {
		if active, err = dev.backend.ActiveBlocks(made.kernel.ID, threads, k.declared+sharedBytes); err != nil {
			return 0, 0, err
		}
	}
	if active == 0 {
		return 0, 0, device.Errorf(ErrLimit, "occupancy of %s: no block can run with %d bytes of dynamic shared memory", k.Name(), sharedBytes)
	}
	return active * dev.info.Multiprocessors, threads, nil
}

// GridFor is the configuration with a thread for each of n elements, in one dimension: blocks of
// the size that MaxPotentialBlockSize gives, as many as n needs, and one where n is 0. The last
// block may have threads for which there is no element. The blocks of a kernel that is compiled for
// clusters are whole clusters. A kernel with a grid-stride loop may be given fewer.
//
// Errors: ErrClosed; ErrRange for a negative n; ErrLimit where the grid would be too large, or the
// kernel is compiled for blocks of more than one dimension.
func (k *Kernel) GridFor(n int) (Config, error) {
	if n < 0 {
		return Config{}, device.Errorf(ErrRange, "grid of %s: for %d elements", k.Name(), n)
	}
	if c := k.cluster; c.Y > 1 || c.Z > 1 {
		return Config{}, device.Errorf(ErrLimit, "grid of %s: the kernel is compiled for clusters of %v, which a grid for elements in one dimension has no use for", k.Name(), c)
	}
	if k.required.Y > 1 || k.required.Z > 1 {
		return Config{}, device.Errorf(ErrLimit, "grid of %s: the kernel is compiled for blocks of %v, which a grid for elements in one dimension has no use for", k.Name(), k.required)
	}
	_, threads, err := k.MaxPotentialBlockSize(0)
	if err != nil {
		return Config{}, err
	}
	blocks := max(1, n/threads+min(1, n%threads))
	if c := k.cluster.X; c > 1 {
		blocks = (blocks + c - 1) / c * c
	}
	if limit := k.mod.dev.info.MaxGrid.X; blocks > limit {
		return Config{}, device.Errorf(ErrLimit, "grid of %s: %d elements are %d blocks of %d threads, the limit is %d", k.Name(), n, blocks, threads, limit)
	}
	return Grid(blocks).Block(threads), nil
}

// hold returns the compiled kernel and keeps its module loaded for the operation op until its
// release.
func (k *Kernel) hold(op string) (*madeKernel, error) {
	if k.mod.dev.closed.Load() {
		return nil, k.mod.dev.closedError(op + " of " + k.Name())
	}
	made, err := k.ready()
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s of %s: %w", op, k.Name(), err)
	case !k.mod.life.Hold():
		return nil, device.Errorf(ErrClosed, "%s of %s: module %s is closed", op, k.Name(), k.mod.name)
	}
	return made, nil
}
