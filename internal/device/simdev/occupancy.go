package simdev

import (
	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
)

// ActiveBlocks implements device.Backend: as for a GPU of the compute capability that the device
// plays, without regard to registers.
func (b *Backend) ActiveBlocks(k device.KernelID, threads, shared int) (int, error) {
	static := b.kernels.At(k).entry.StaticShared
	return abi.LimitsOf(b.about.SM).ActiveBlocks(threads, static+shared), nil
}

// PotentialBlock implements device.Backend.
func (b *Backend) PotentialBlock(k device.KernelID, shared, most int) (int, error) {
	static := b.kernels.At(k).entry.StaticShared
	return abi.LimitsOf(b.about.SM).PotentialBlock(static+shared, most), nil
}
