package gpu

// GPUs of 9.0 and newer copy boxes of arrays of 1 to 5 dimensions between global and shared memory
// by a separate unit, the tensor memory accelerator: one thread starts a copy of a whole tile. The
// host gives the address of the array, and the size of a box, in a tensor map, which is a parameter
// of the kernel. Copies need //gpu:kernel target=sm_90 or newer.

// TensorMap is a parameter of a kernel that describes an array in global memory and the boxes to
// copy: gridstride.TensorMap on the host, CUDA's CUtensorMap. Kernels hand it on, and look at
// nothing in it. A box is stored in shared memory one row after the other, with the elements of the
// first dimension side by side. If the map has a swizzle, they are exchanged as [Swizzle.Offset]
// says.
type TensorMap[T any] struct{ _ uint64 }

// CpAsyncBulkTensor starts a copy of the box at coordinates to dst, in shared memory, and does not
// wait. The coordinates are the box's first element's, one for each dimension of the map. The first
// belongs to the dimension whose elements are side by side, and is a multiple of 16 bytes. Elements
// outside of the array become zero. Coordinates may be negative. The copy is there when the phase
// of ready is over, which is in the same block's shared memory as dst: it counts there as the bytes
// of a whole box, which [MBarrierArriveExpectTx] announces.
//
//	if gpu.ThreadIdx.X == 0 {
//		gpu.MBarrierArriveExpectTx(ready, len(tile)*4)
//		gpu.CpAsyncBulkTensor(tile[:], m, ready, 64*k, 64*row)
//	}
//	gpu.MBarrierWaitParity(ready, phase)
//
// A box begins at a multiple of 128 bytes, and of 8 rows of its swizzle, 256, 512 or 1024 bytes.
// Shared arrays that copies of tensors go to are aligned so; of dynamic shared memory the start is.
// Before copies use an mbarrier that a thread has made, that thread calls [FenceMBarrierInit].
// PTX's cp.async.bulk.tensor.
func CpAsyncBulkTensor[T any](dst []T, m TensorMap[T], ready *MBarrier, at ...int) {
	onHost("CpAsyncBulkTensor")
}

// CpAsyncBulkTensorMulticast is [CpAsyncBulkTensor] to several blocks of the cluster at once: those
// with bit 1<<rank of blocks. In each of them dst and ready are at the same place in shared memory
// as in the block of the thread. A block that gets copies must not have ended, which a
// [SyncCluster] at its end makes sure of. PTX's .multicast::cluster.
func CpAsyncBulkTensorMulticast[T any](dst []T, m TensorMap[T], ready *MBarrier, blocks uint16, at ...int) {
	onHost("CpAsyncBulkTensorMulticast")
}

// CpAsyncBulkTensorStore starts a copy of a box from shared memory to the array, and does not wait.
// No coordinate is negative. The store does not write elements outside of the array, except
// elements after the end of a row in the same 16 bytes as the row's last element: a store writes 16
// bytes at a time. The copy sees threads' writes to the box only after a [FenceProxyAsync] of those
// threads and a barrier. The thread waits for it in groups. PTX's cp.async.bulk.tensor of global
// memory.
//
//	gpu.CpAsyncBulkTensorStore(m, tile[:], x, y)
//	gpu.CpAsyncBulkCommitGroup()
//	gpu.CpAsyncBulkWaitGroupRead(0) // tile may be written again
func CpAsyncBulkTensorStore[T any](m TensorMap[T], src []T, at ...int) {
	onHost("CpAsyncBulkTensorStore")
}

// CpAsyncBulkPrefetchTensor starts to fetch a box into the L2 cache. PTX's
// cp.async.bulk.prefetch.tensor.
func CpAsyncBulkPrefetchTensor[T any](m TensorMap[T], at ...int) {
	onHost("CpAsyncBulkPrefetchTensor")
}

// PrefetchTensorMap starts to fetch the map itself, which the first copy would wait for. PTX's
// prefetch.tensormap.
func PrefetchTensorMap[T any](m TensorMap[T]) {
	onHost("PrefetchTensorMap")
}
