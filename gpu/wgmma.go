package gpu

// The tensor cores of GPUs of 9.0 multiply larger matrices by themselves, while the threads go on:
// a warpgroup, which is 128 threads, starts D = A*B + D and waits for it later. B is in shared
// memory. A is there too, or in fragments, one for each thread. D is in fragments. The page about
// the language has the order of the calls.

// Swizzle is how the 16 bytes that follow each other in rows of 32, 64 or 128 bytes are exchanged
// in shared memory, so that neither rows nor columns meet in one bank.
type Swizzle uint8

// The swizzles. Without one, each eight rows of 16 bytes are adjacent.
const (
	NoSwizzle Swizzle = iota
	Swizzle128
	Swizzle64
	Swizzle32
)

// Offset is the place of byte at of an array that is aligned to 1024 bytes, as shared arrays of
// matrices are.
func (s Swizzle) Offset(at int) int {
	if s == NoSwizzle {
		return at
	}
	return at ^ at>>3&(256>>s-16)
}

// Matrix says where a matrix is in shared memory, PTX's matrix descriptor.
type Matrix[T any] struct{ _ uint64 }

// MatrixOf is the matrix that begins with the first element of a tile in shared memory. Its address
// is a multiple of 16 bytes. leading and stride are offsets in bytes, multiples of 16 below 256 KB,
// between blocks of eight rows of 16 bytes, or of 32, 64 or 128 bytes if swizzled (PTX ISA,
// "Strides"). Of a matrix whose rows, or for B columns, follow each other with their elements side
// by side, stride is from eight of them to the next eight, and leading, without a swizzle only,
// from 16 bytes of each to the next 16. For a transposed one see [TransposeA].
//
// The compiler refuses other starts and offsets if it knows them. A descriptor has no bits for the
// remainder.
func MatrixOf[T any](tile []T, leading, stride int, s Swizzle) Matrix[T] {
	panic(hostCall("MatrixOf"))
}

// A64x8 is a thread's fragment of A, of 64 rows and 8 columns.
type A64x8[T any] [4]T

// A64x16 is a thread's fragment of A, of 64 rows and 16 columns.
type A64x16[T any] [8]T

// A64x32 is a thread's fragment of A, of 64 rows and 32 columns.
type A64x32[T any] [16]T

// At is the row and the column of element i of a thread of the warpgroup.
func (A64x8[T]) At(thread, i int) (row, col int) { return inA64[T](thread, i) }

// At is the row and the column of a thread's element i. Each two elements are adjacent.
func (A64x16[T]) At(thread, i int) (row, col int) { return inA64[T](thread, i) }

// At is the row and the column of a thread's element i. Each four elements are adjacent.
func (A64x32[T]) At(thread, i int) (row, col int) { return inA64[T](thread, i) }

// Each warp has 16 rows, in mma's order.

func inA64[T any](thread, i int) (row, col int) {
	row, col = inA[T](2, thread&31, i)
	return thread>>5*16 + row, col
}

func inC64(thread, i int) (row, col int) {
	return thread>>5*16 + thread>>2&7 + i>>1&1*8, i>>2*8 + 2*(thread&3) + i&1
}

// Factor64 is where A may be: in shared memory, or in fragments of 32 bytes a row.
type Factor64[T any] interface {
	Matrix[T] | A64x8[T] | A64x16[T] | A64x32[T]
	elements(T)
}

// The method elements lets Go infer the type of the elements.

func (Matrix[T]) elements(T) {}
func (A64x8[T]) elements(T)  {}
func (A64x16[T]) elements(T) {}
func (A64x32[T]) elements(T) {}

// WGMMAOption is a constant that says how to take the factors.
type WGMMAOption uint8

// The options. A transposed A is stored in shared memory with the elements of a column side by
// side, and a transposed B with a row's elements side by side: Float16 and BFloat16 only. Such a
// line has 16 bytes, or 32, 64 or 128 if swizzled. Without a swizzle, stride is from 16 bytes of a
// column of A or a row of B to the next 16, and leading from eight columns or rows to the next
// eight. With one, stride is from eight columns or rows to the next eight, and leading from the
// elements of a line to the next ones.
const (
	NegateA WGMMAOption = iota + 1
	NegateB
	TransposeA
	TransposeB
)

// WGMMA starts sum = a*b + sum, or sum = a*b where add is false, of numbers of 16 bits or TF32,
// added up as float32. The sum is a local variable, which the multiplication writes at some time
// before [WGMMAWait] is over. A's 64 rows are 32 bytes wide, and so are B's columns. All 128
// threads of a warpgroup make the call. PTX's wgmma.mma_async, for GPUs of 9.0 alone: //gpu:kernel
// target=sm_90a.
func WGMMA[C Sums64[float32], A Factor64[T], T Float16 | BFloat16 | TF32](
	sum *C, a A, b Matrix[T], add bool, how ...WGMMAOption,
) {
	onHost("WGMMA")
}

// WGMMAF16 is [WGMMA] of Float16, added up as Float16.
func WGMMAF16[C Sums64[Float16], A Factor64[Float16]](sum *C, a A, b Matrix[Float16], add bool, how ...WGMMAOption) {
	onHost("WGMMAF16")
}

// WGMMAF8 is [WGMMA] of numbers of 8 bits. On an H200 such a sum has 13 bits of fraction.
func WGMMAF8[C Sums64[float32], A Factor64[T], T, U E4M3 | E5M2](
	sum *C, a A, b Matrix[U], add bool, how ...WGMMAOption,
) {
	onHost("WGMMAF8")
}

// WGMMAS32 is [WGMMA] of integers, added up as int32. Sums beyond it wrap. The numbers of columns
// are 8, 16, 24, 32, and the multiples of 16 above.
func WGMMAS32[C Sums64[int32], A Factor64[T], T, U int8 | uint8](sum *C, a A, b Matrix[U], add bool) {
	onHost("WGMMAS32")
}

// WGMMAFence precedes the first multiplication, and each one that follows other accesses to its
// sum. (Fragments of A are fenced by the product itself.) All 128 threads of the warpgroup make the
// call. PTX's wgmma.fence. Multiplications see writes of threads to shared memory only after
// [FenceProxyAsync].
func WGMMAFence() { onHost("WGMMAFence") }

// WGMMACommit makes a group of the multiplications since the last. All 128 threads of the warpgroup
// make the call. PTX's wgmma.commit_group.
func WGMMACommit() { onHost("WGMMACommit") }

// WGMMAWait waits for all groups of the warpgroup but the last n, a constant from 0 to 7. All 128
// threads of the warpgroup make the call. PTX's wgmma.wait_group.
func WGMMAWait(n int) { onHost("WGMMAWait") }

// FenceProxyAsync orders the thread's writes to shared memory before accesses to them by
// multiplications of a warpgroup, and by copies in bulk, after a barrier. PTX's fence.proxy.async.
func FenceProxyAsync() { onHost("FenceProxyAsync") }
