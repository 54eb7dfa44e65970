package gridstride

import (
	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
)

// check compares a launch with the limits of the kernel and the device.
func (k *Kernel) check(made *madeKernel, cfg Config) error {
	if err := k.checkBlock(cfg.BlockDim, made.attr.MaxThreads); err != nil {
		return err
	}
	if err := k.checkDim("grid", cfg.GridDim, k.mod.dev.info.MaxGrid); err != nil {
		return err
	}
	if err := k.checkCluster(cfg); err != nil {
		return err
	}
	limit := k.mod.dev.info.MaxShared
	if cfg.SharedBytes < 0 || cfg.SharedBytes > limit-made.attr.SharedBytes {
		return device.Errorf(ErrLimit, "%s: %d bytes of dynamic shared memory and %d static, the limit is %d together",
			k.launchName, cfg.SharedBytes, made.attr.SharedBytes, limit)
	}
	if made.kernel.Cooperative {
		return k.checkGrid(cfg)
	}
	return nil
}

// checkCluster checks the clusters of a launch against the limits of the kernel and the device.
func (k *Kernel) checkCluster(cfg Config) error {
	c, g, free := cfg.ClusterDim, cfg.GridDim, Dim3{}
	if c == free {
		return nil
	}
	most := k.mod.dev.info.MaxCluster
	if err := k.checkDim("cluster", c, Dim3{g.X, g.Y, g.Z}); err != nil {
		return err
	}
	switch {
	case k.cluster != free && c != k.cluster:
		return device.Errorf(ErrLimit, "%s: a cluster of %v blocks, the kernel is compiled for %v only", k.launchName, c, k.cluster)
	case most == 1 && c.count() > 1:
		return device.Errorf(ErrLimit, "%s: a cluster of %v blocks, and %v has no clusters: they need %v or newer",
			k.launchName, c, k.mod.dev, abi.ClusterTarget)
	case c.X > most || c.Y > most || c.Z > most || c.count() > most:
		return device.Errorf(ErrLimit, "%s: a cluster of %v is %d blocks, the limit is %d", k.launchName, c, c.count(), most)
	case g.X%c.X != 0 || g.Y%c.Y != 0 || g.Z%c.Z != 0:
		return device.Errorf(ErrLimit, "%s: a grid of %v is no whole number of clusters of %v", k.launchName, g, c)
	}
	return nil
}

// asked is the cluster that the launch has to ask the backend for, zero where the kernel says it.
func (k *Kernel) asked(cfg Config) [3]int {
	if k.cluster != (Dim3{}) || cfg.ClusterDim == (Dim3{}) {
		return [3]int{}
	}
	return cfg.ClusterDim.array()
}

// checkGrid compares the grid of a kernel that calls gpu.SyncGrid with what the device runs at a
// time.
func (k *Kernel) checkGrid(cfg Config) error {
	blocks, err := k.MaxCooperativeBlocks(cfg.BlockDim.count(), cfg.SharedBytes)
	if err != nil {
		return err
	}
	if d := cfg.GridDim; d.X > blocks || d.Y > blocks || d.Z > blocks || d.count() > blocks {
		return device.Errorf(ErrLimit, "%s: a grid of %v; the kernel calls gpu.SyncGrid, for which all blocks must run at once, "+
			"and of blocks of %v threads %v runs %d at a time (Kernel.MaxCooperativeBlocks)",
			k.launchName, d, cfg.BlockDim, k.mod.dev, blocks)
	}
	return nil
}

func (k *Kernel) checkBlock(block Dim3, most int) error {
	if block == (Dim3{}) {
		return device.Errorf(ErrLimit, "%s: no block size given; say how many threads: gridstride.Grid(…).Block(256)", k.launchName)
	}
	if err := k.checkDim("block", block, k.mod.dev.info.MaxBlock); err != nil {
		return err
	}
	free := Dim3{}
	switch n := block.count(); {
	case k.required != free && block != k.required:
		return device.Errorf(ErrLimit, "%s: a block of %v threads, the kernel is compiled for %v only", k.launchName, block, k.required)
	case k.most != free && n > k.most.count():
		return device.Errorf(ErrLimit, "%s: a block of %v has %d threads, the kernel is compiled for at most %d", k.launchName, block, n, k.most.count())
	case n > most:
		return device.Errorf(ErrLimit, "%s: a block of %v has %d threads, the limit is %d", k.launchName, block, n, most)
	}
	return nil
}

// checkDim checks each dimension of a grid or block.
func (k *Kernel) checkDim(what string, d, limit Dim3) error {
	for _, c := range [...]struct {
		axis     string
		n, limit int
	}{{"x", d.X, limit.X}, {"y", d.Y, limit.Y}, {"z", d.Z, limit.Z}} {
		if c.n < 1 || c.n > c.limit {
			return device.Errorf(ErrLimit, "%s: %s %v: its %s dimension is %d, it must be 1 to %d", k.launchName, what, d, c.axis, c.n, c.limit)
		}
	}
	return nil
}
