package simdev

import (
	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/machine/sim"
)

// ActiveBlocks implements device.Backend: as for a GPU of the compute capability that the device
// plays, without regard to registers.
func (b *Backend) ActiveBlocks(k device.KernelID, threads, shared int) (int, error) {
	static := b.kernels.At(k).entry.StaticShared
	return abi.LimitsOf(b.about.SM).ActiveBlocks(threads, static+shared), nil
}

// CooperativeBlocks implements device.Backend: as for a GPU with as many multiprocessors as an
// H200.
func (b *Backend) CooperativeBlocks(k device.KernelID, threads, shared int) (int, error) {
	limits := sim.LimitsOf(b.about.SM)
	return limits.CooperativeBlocks(threads, b.kernels.At(k).entry.StaticShared+shared), nil
}

// PotentialBlock implements device.Backend.
func (b *Backend) PotentialBlock(k device.KernelID, shared, most int) (int, error) {
	static := b.kernels.At(k).entry.StaticShared
	return abi.LimitsOf(b.about.SM).PotentialBlock(static+shared, most), nil
}
