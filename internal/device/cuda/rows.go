package cuda

import "unsafe"

var procMemcpy2DAsync = proc{name: "cuMemcpy2DAsync_v2", needs: 3020}

// MaxPitch is the largest pitch of CopyRows in bytes: CU_DEVICE_ATTRIBUTE_MAX_PITCH of every GPU.
const MaxPitch = 1<<31 - 1

// Memcpy2D is the driver's CUDA_MEMCPY2D, with what is not used for device memory left zero.
type Memcpy2D struct {
	SrcX, SrcY    uint64
	SrcKind       uint32
	_             uint32
	SrcHost       uint64
	Src           DevicePtr
	SrcArray      uint64
	SrcPitch      uint64
	DstX, DstY    uint64
	DstKind       uint32
	_             uint32
	DstHost       uint64
	Dst           DevicePtr
	DstArray      uint64
	DstPitch      uint64
	Width, Height uint64 // bytes, rows
}

// CopyRows copies rows of width bytes within the device's memory in s's order. The rows begin a
// pitch from each other.
func (c *Context) CopyRows(dst DevicePtr, dstPitch int64, src DevicePtr, srcPitch, width, rows int64, s Stream) error {
	if width == 0 || rows == 0 {
		return nil
	}
	const deviceMemory = 2 // CU_MEMORYTYPE_DEVICE
	m := Memcpy2D{
		SrcKind: deviceMemory, Src: src, SrcPitch: uint64(srcPitch),
		DstKind: deviceMemory, Dst: dst, DstPitch: uint64(dstPitch),
		Width: uint64(width), Height: uint64(rows),
	}
	return c.call(&procMemcpy2DAsync, copied(int(width*rows), dst), uintptr(unsafe.Pointer(&m)), uintptr(s))
}
