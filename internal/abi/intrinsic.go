package abi

import "strings"

// Intrinsic is a function of package gpu: what compiler, vet, fuzzer and documents must know of it.
// CONTRIBUTING.md says what else a new one needs. On the host most of them panic, and say so. See
// [Intrinsic.OnHost].
type Intrinsic struct {
	Name      string
	Signature string // as package gpu declares it: "[T Word](mask uint32, v T, srcLane int) T"
	Group     Group

	// Op is the operation of the compiler's IR that a call becomes, as the IR's text writes it:
	// "Vote.Ballot", "Fence.device". OpUnsigned takes its place where the operands are unsigned.
	// Op is empty where the function is written in Go over others, in package gpu or, where that is
	// for kernels only, in frontend/_std/gpu.go.
	Op, OpUnsigned string

	// Approximates is the instruction of PTX that the function is, where that has an error which a
	// GPU makes in its own way: "sin.approx.f32".
	Approximates string

	// Needs is the oldest target that has the function, zero where all have it.
	Needs Target

	// Together says which threads must make the call together.
	Together Threads
	// Result says between which threads the result differs.
	Result Variation

	// Unfuzzed says why the random programs of internal/proof/difftest do not call it, "" if they do.
	Unfuzzed string
}

// Group is the purpose of a function: a row of the table in docs/language.md.
type Group string

// The groups.
const (
	Position      Group = "position" // an index of the thread, the same at each call
	Loop          Group = "loop"
	BlockBarrier  Group = "block"
	NamedBarrier  Group = "named barriers"
	Clusters      Group = "clusters"
	GridBarrier   Group = "grid"
	SharedMemory  Group = "shared memory"
	Warp          Group = "warp"
	Atomics       Group = "atomics" // on what its first argument points to; its last is its order and scope
	Fences        Group = "fences"
	Clocks        Group = "clocks"
	FloatingPoint Group = "floating point" // exact or correctly rounded, for both floating-point types
	Mathematics   Group = "mathematics"    // with an error, for both floating-point types
	Approximation Group = "approximations" // instructions of a GPU, whose results another may not have
	HalfPrecision Group = "half precision" // conversions of numbers of 16 and 8 bits; the rest are methods
	TensorCores   Group = "tensor cores"   // products of matrices that the lanes of a warp share
	Warpgroups    Group = "warpgroups"     // of four warps, the first of which has a multiple of four as its number
	AsyncCopies   Group = "asynchronous copies"
	TensorCopies  Group = "copies in bulk" // by one thread, of a tile
	MBarriers     Group = "mbarriers"
	Checks        Group = "checks"
	Printing      Group = "printing"
)

// Threads are the threads that must make a call together.
type Threads uint8

// The sets of threads.
const (
	OneThread        Threads = iota // a thread may call it alone
	MaskThreads                     // all threads of the warp that the mask, the first argument, names
	WarpThreads                     // all 32 threads of the warp
	WarpgroupThreads                // all 128 threads of the warpgroup, by whole warps
	BlockThreads
	CountThreads   // as many threads of the block, by whole warps, as the last argument says
	ClusterThreads // all threads of the cluster
	GridThreads    // all threads of the grid
)

// Variation says between which threads the result of a call may differ.
type Variation uint8

// The variations. Most functions have the first.
const (
	AsOperands  Variation = iota // between threads between which an operand differs
	Uniform                      // between none of the grid
	ByCluster                    // between clusters, and between none of a cluster
	ByBlock                      // between blocks, and between none of a block
	ByWarp                       // between warps
	ByLane                       // between lanes, in the same way in each warp
	ByThread                     // between all threads
	OfWarp                       // as the operands, but between warps only: the lanes get one result
	AsBroadcast                  // as the value of the lane that the last operand names
	AsValue                      // as the second operand, which the lanes exchange
)

// ofOneGPU is why random programs do not call the approximations.
const ofOneGPU = "another GPU than the one whose bits are known may have others"

// Intrinsics are the functions of package gpu, in the order of the documents.
var Intrinsics = []Intrinsic{
	{Name: "LaneID", Signature: "() int", Group: Position, Op: "SReg.LaneID", Result: ByLane},
	{Name: "WarpID", Signature: "() int", Group: Position, Result: ByWarp},

	{Name: "GridStride", Signature: "(n int) func(yield func(i int) bool)", Group: Loop},

	{Name: "SyncThreads", Signature: "()", Group: BlockBarrier, Op: "Barrier", Together: BlockThreads},
	{Name: "SyncThreadsAnd", Signature: "(cond bool) bool", Group: BlockBarrier,
		Op: "BarrierRed.And", Together: BlockThreads, Result: ByBlock},
	{Name: "SyncThreadsOr", Signature: "(cond bool) bool", Group: BlockBarrier,
		Op: "BarrierRed.Or", Together: BlockThreads, Result: ByBlock},
	{Name: "SyncThreadsCount", Signature: "(cond bool) int", Group: BlockBarrier,
		Op: "BarrierRed.Count", Together: BlockThreads, Result: ByBlock},

	{Name: "SyncBarrier", Signature: "(id, threads int)", Group: NamedBarrier, Op: "NamedBarrier.Sync", Together: CountThreads},
	{Name: "ArriveBarrier", Signature: "(id, threads int)", Group: NamedBarrier, Op: "NamedBarrier.Arrive", Together: CountThreads,
		Unfuzzed: "other threads must wait for it"},

	{Name: "BlockRank", Signature: "() int", Group: Clusters, Op: "SReg.BlockRank", Result: ByBlock, Needs: ClusterTarget},
	{Name: "ClusterSize", Signature: "() int", Group: Clusters, Op: "SReg.ClusterSize", Result: Uniform, Needs: ClusterTarget},
	{Name: "SyncCluster", Signature: "()", Group: Clusters, Together: ClusterThreads, Needs: ClusterTarget},
	{Name: "ArriveCluster", Signature: "()", Group: Clusters, Op: "Machine.ClusterArrive", Together: ClusterThreads,
		Needs: ClusterTarget},
	{Name: "WaitCluster", Signature: "()", Group: Clusters, Op: "Machine.ClusterWait", Together: ClusterThreads,
		Needs: ClusterTarget},
	{Name: "MapSharedRank", Signature: "[T any](p *T, rank int) *T", Group: Clusters, Op: "MapShared", Needs: ClusterTarget},

	{Name: "SyncGrid", Signature: "()", Group: GridBarrier, Op: "GridBarrier", Together: GridThreads},

	{Name: "Shared", Signature: "[T any]() *T", Group: SharedMemory, Op: "VarAddr", Result: Uniform},
	{Name: "DynamicShared", Signature: "[T any]() []T", Group: SharedMemory, Op: "DynSize", Result: Uniform,
		Unfuzzed: "its size is the launch's, and all calls share one variable"},

	{Name: "SyncWarp", Signature: "(mask uint32)", Group: Warp, Op: "WarpSync", Together: MaskThreads},
	{Name: "ShflSync", Signature: "[T any](mask uint32, v T, srcLane int) T", Group: Warp,
		Op: "Shfl.Idx", Together: MaskThreads, Result: AsBroadcast},
	{Name: "ShflUpSync", Signature: "[T any](mask uint32, v T, delta int) T", Group: Warp,
		Op: "Shfl.Up", Together: MaskThreads, Result: AsValue},
	{Name: "ShflDownSync", Signature: "[T any](mask uint32, v T, delta int) T", Group: Warp,
		Op: "Shfl.Down", Together: MaskThreads, Result: AsValue},
	{Name: "ShflXorSync", Signature: "[T any](mask uint32, v T, laneMask int) T", Group: Warp,
		Op: "Shfl.Xor", Together: MaskThreads, Result: AsValue},
	{Name: "BallotSync", Signature: "(mask uint32, cond bool) uint32", Group: Warp,
		Op: "Vote.Ballot", Together: MaskThreads, Result: OfWarp},
	{Name: "AnySync", Signature: "(mask uint32, cond bool) bool", Group: Warp,
		Op: "Vote.Any", Together: MaskThreads, Result: OfWarp},
	{Name: "AllSync", Signature: "(mask uint32, cond bool) bool", Group: Warp,
		Op: "Vote.All", Together: MaskThreads, Result: OfWarp},
	{Name: "ElectSync", Signature: "(mask uint32) bool", Group: Warp, Op: "Elect", Needs: Target{SM: 90},
		Together: MaskThreads, Result: ByLane, Unfuzzed: "it needs sm_90, and any lane may be elected"},
	{Name: "MatchAnySync", Signature: "[T any](mask uint32, v T) uint32", Group: Warp,
		Op: "Match.Any", Together: MaskThreads},
	{Name: "MatchAllSync", Signature: "[T any](mask uint32, v T) bool", Group: Warp,
		Op: "Match.All", Together: MaskThreads, Result: OfWarp},
	{Name: "ReduceAddSync", Signature: "[T Integer](mask uint32, v T) T", Group: Warp, Together: MaskThreads, Result: OfWarp},
	{Name: "ReduceMinSync", Signature: "[T Integer](mask uint32, v T) T", Group: Warp, Together: MaskThreads, Result: OfWarp},
	{Name: "ReduceMaxSync", Signature: "[T Integer](mask uint32, v T) T", Group: Warp, Together: MaskThreads, Result: OfWarp},
	{Name: "ReduceAndSync", Signature: "[T Integer](mask uint32, v T) T", Group: Warp, Together: MaskThreads, Result: OfWarp},
	{Name: "ReduceOrSync", Signature: "[T Integer](mask uint32, v T) T", Group: Warp, Together: MaskThreads, Result: OfWarp},
	{Name: "ReduceXorSync", Signature: "[T Integer](mask uint32, v T) T", Group: Warp, Together: MaskThreads, Result: OfWarp},
	{Name: "ActiveMask", Signature: "() uint32", Group: Warp, Op: "ActiveMask", Result: ByWarp,
		Unfuzzed: "which threads run together is the machine's choice"},

	{Name: "AtomicLoad", Signature: "[T Atomic](addr *T, how ...Ordering) T", Group: Atomics, Op: "AtomicLoad", Result: ByThread},
	{Name: "AtomicStore", Signature: "[T Atomic](addr *T, v T, how ...Ordering)", Group: Atomics, Op: "AtomicStore"},
	{Name: "AtomicAdd", Signature: "[T Atomic](addr *T, v T, how ...Ordering) T", Group: Atomics, Op: "Atomic.Add", Result: ByThread},
	{Name: "AtomicSub", Signature: "[T Atomic](addr *T, v T, how ...Ordering) T", Group: Atomics, Result: ByThread},
	{Name: "AtomicMin", Signature: "[T Atomic](addr *T, v T, how ...Ordering) T", Group: Atomics,
		Op: "Atomic.MinS", OpUnsigned: "Atomic.MinU", Result: ByThread},
	{Name: "AtomicMax", Signature: "[T Atomic](addr *T, v T, how ...Ordering) T", Group: Atomics,
		Op: "Atomic.MaxS", OpUnsigned: "Atomic.MaxU", Result: ByThread},
	{Name: "AtomicAnd", Signature: "[T Integer](addr *T, v T, how ...Ordering) T", Group: Atomics, Op: "Atomic.And", Result: ByThread},
	{Name: "AtomicOr", Signature: "[T Integer](addr *T, v T, how ...Ordering) T", Group: Atomics, Op: "Atomic.Or", Result: ByThread},
	{Name: "AtomicXor", Signature: "[T Integer](addr *T, v T, how ...Ordering) T", Group: Atomics, Op: "Atomic.Xor", Result: ByThread},
	{Name: "AtomicExch", Signature: "[T Atomic](addr *T, v T, how ...Ordering) T", Group: Atomics, Op: "Atomic.Exch", Result: ByThread},
	{Name: "AtomicCAS", Signature: "[T Bitwise](addr *T, old, new T, how ...Ordering) T", Group: Atomics, Op: "Atomic.CAS", Result: ByThread},
	{Name: "AtomicInc", Signature: "(addr *uint32, limit uint32, how ...Ordering) uint32", Group: Atomics, Op: "Atomic.Inc", Result: ByThread},
	{Name: "AtomicDec", Signature: "(addr *uint32, limit uint32, how ...Ordering) uint32", Group: Atomics, Op: "Atomic.Dec", Result: ByThread},
	{Name: "AtomicExch128", Signature: "(addr *Uint64x2, v Uint64x2, how ...Ordering) Uint64x2", Group: Atomics,
		Op: "Atomic.Exch", Result: ByThread, Needs: Target{SM: 90}},
	{Name: "AtomicCAS128", Signature: "(addr *Uint64x2, old, new Uint64x2, how ...Ordering) Uint64x2", Group: Atomics,
		Op: "Atomic.CAS", Result: ByThread, Needs: Target{SM: 90}},

	{Name: "ThreadFence", Signature: "()", Group: Fences, Op: "Fence.device"},
	{Name: "ThreadFenceBlock", Signature: "()", Group: Fences, Op: "Fence.block"},
	{Name: "ThreadFenceSystem", Signature: "()", Group: Fences, Op: "Fence.system"},

	{Name: "Clock", Signature: "() int64", Group: Clocks, Op: "Clock.Cycles", Result: ByThread, Unfuzzed: "it says what the machine says"},
	{Name: "GlobalTimer", Signature: "() int64", Group: Clocks, Op: "Clock.Nanoseconds", Result: ByThread,
		Unfuzzed: "it says what the machine says"},
	{Name: "Nanosleep", Signature: "(ns int)", Group: Clocks, Unfuzzed: "it changes nothing but the time"},

	{Name: "Sqrt", Signature: "[T Float](x T) T", Group: FloatingPoint, Op: "FSqrt"},
	{Name: "Abs", Signature: "[T Float](x T) T", Group: FloatingPoint, Op: "FAbs"},
	{Name: "Min", Signature: "[T Float](x, y T) T", Group: FloatingPoint},
	{Name: "Max", Signature: "[T Float](x, y T) T", Group: FloatingPoint},
	{Name: "Floor", Signature: "[T Float](x T) T", Group: FloatingPoint, Op: "FFloor"},
	{Name: "Ceil", Signature: "[T Float](x T) T", Group: FloatingPoint, Op: "FCeil"},
	{Name: "Trunc", Signature: "[T Float](x T) T", Group: FloatingPoint, Op: "FTrunc"},
	{Name: "RoundToEven", Signature: "[T Float](x T) T", Group: FloatingPoint, Op: "FRoundEven"},
	{Name: "FMA", Signature: "[T Float](x, y, z T) T", Group: FloatingPoint, Op: "FFma"},
	{Name: "Copysign", Signature: "[T Float](x, sign T) T", Group: FloatingPoint, Op: "FCopysign"},
	{Name: "Round", Signature: "[T Float](x T) T", Group: FloatingPoint},
	{Name: "Modf", Signature: "[T Float](x T) (whole, frac T)", Group: FloatingPoint},
	{Name: "Frexp", Signature: "[T Float](x T) (frac T, exp int)", Group: FloatingPoint},
	{Name: "Ldexp", Signature: "[T Float](frac T, exp int) T", Group: FloatingPoint},
	{Name: "Ilogb", Signature: "[T Float](x T) int", Group: FloatingPoint},
	{Name: "Logb", Signature: "[T Float](x T) T", Group: FloatingPoint},
	{Name: "Nextafter", Signature: "[T Float](x, y T) T", Group: FloatingPoint},
	{Name: "Dim", Signature: "[T Float](x, y T) T", Group: FloatingPoint},
	{Name: "Mod", Signature: "[T Float](x, y T) T", Group: FloatingPoint},
	{Name: "Remainder", Signature: "[T Float](x, y T) T", Group: FloatingPoint},
	{Name: "IsNaN", Signature: "[T Float](x T) bool", Group: FloatingPoint},
	{Name: "IsInf", Signature: "[T Float](x T, sign int) bool", Group: FloatingPoint},
	{Name: "Signbit", Signature: "[T Float](x T) bool", Group: FloatingPoint,
		Unfuzzed: "which sign a NaN has is not defined"},

	{Name: "Exp", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Exp2", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Exp10", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Expm1", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Log", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Log2", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Log10", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Log1p", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Sinh", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Cosh", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Tanh", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Asinh", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Acosh", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Atanh", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Rsqrt", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Cbrt", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Hypot", Signature: "[T Float](x, y T) T", Group: Mathematics},
	{Name: "Pow", Signature: "[T Float](x, y T) T", Group: Mathematics},

	{Name: "Sin", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Cos", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Sincos", Signature: "[T Float](x T) (sin, cos T)", Group: Mathematics},
	{Name: "Tan", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Sinpi", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Cospi", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Asin", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Acos", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Atan", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Atan2", Signature: "[T Float](y, x T) T", Group: Mathematics},

	{Name: "Erf", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Erfc", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Erfinv", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Erfcinv", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Gamma", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Lgamma", Signature: "[T Float](x T) (lgamma T, sign int)", Group: Mathematics},
	{Name: "J0", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "J1", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Jn", Signature: "[T Float](n int, x T) T", Group: Mathematics},
	{Name: "Y0", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Y1", Signature: "[T Float](x T) T", Group: Mathematics},
	{Name: "Yn", Signature: "[T Float](n int, x T) T", Group: Mathematics},

	{Name: "ApproxExp2", Signature: "(x float32) float32", Group: Approximation, Op: "ApproxExp2",
		Approximates: "ex2.approx.f32", Unfuzzed: ofOneGPU},
	{Name: "ApproxLog2", Signature: "(x float32) float32", Group: Approximation, Op: "ApproxLog2",
		Approximates: "lg2.approx.f32", Unfuzzed: ofOneGPU},
	{Name: "ApproxSin", Signature: "(x float32) float32", Group: Approximation, Op: "ApproxSin",
		Approximates: "sin.approx.f32", Unfuzzed: ofOneGPU},
	{Name: "ApproxCos", Signature: "(x float32) float32", Group: Approximation, Op: "ApproxCos",
		Approximates: "cos.approx.f32", Unfuzzed: ofOneGPU},
	{Name: "ApproxTanh", Signature: "(x float32) float32", Group: Approximation, Op: "ApproxTanh",
		Approximates: "tanh.approx.f32", Needs: Target{SM: 75}, Unfuzzed: ofOneGPU},
	{Name: "ApproxRsqrt", Signature: "(x float32) float32", Group: Approximation, Op: "ApproxRsqrt",
		Approximates: "rsqrt.approx.f32", Unfuzzed: ofOneGPU},
	{Name: "ApproxRcp", Signature: "(x float32) float32", Group: Approximation, Op: "ApproxRcp",
		Approximates: "rcp.approx.f32", Unfuzzed: ofOneGPU},

	{Name: "Float16Of", Signature: "[T Number](x T) Float16", Group: HalfPrecision},
	{Name: "BFloat16Of", Signature: "[T Number](x T) BFloat16", Group: HalfPrecision},
	{Name: "RoundFloat16", Signature: "[T Number](x T, r Rounding) Float16", Group: HalfPrecision},
	{Name: "RoundBFloat16", Signature: "[T Number](x T, r Rounding) BFloat16", Group: HalfPrecision},
	{Name: "Float16FromBits", Signature: "(bits uint16) Float16", Group: HalfPrecision},
	{Name: "BFloat16FromBits", Signature: "(bits uint16) BFloat16", Group: HalfPrecision},
	{Name: "ToFloat32", Signature: "[T Real](x T) float32", Group: HalfPrecision},
	{Name: "FromFloat32", Signature: "[T Real](x float32) T", Group: HalfPrecision},
	{Name: "ToFloat64", Signature: "[T Real](x T) float64", Group: HalfPrecision},
	{Name: "FromFloat64", Signature: "[T Real](x float64) T", Group: HalfPrecision},

	{Name: "MMA16x8x16", Signature: "[T Float16 | BFloat16](a A16x16[T], b B16x8[T], c C16x8[float32]) C16x8[float32]",
		Group: TensorCores, Op: "MMA", Together: WarpThreads},
	{Name: "MMA16x8x16F16", Signature: "(a A16x16[Float16], b B16x8[Float16], c C16x8[Float16]) C16x8[Float16]",
		Group: TensorCores, Op: "MMA", Together: WarpThreads},
	{Name: "MMA16x8x8", Signature: "[T Float16 | BFloat16 | TF32](a A16x8[T], b B8x8[T], c C16x8[float32]) C16x8[float32]",
		Group: TensorCores, Op: "MMA", Together: WarpThreads},
	{Name: "MMA16x8x4", Signature: "(a A16x4[TF32], b B4x8[TF32], c C16x8[float32]) C16x8[float32]",
		Group: TensorCores, Op: "MMA", Together: WarpThreads},
	{Name: "MMA16x8x32", Signature: "[T int8 | uint8](a A16x32[T], b B32x8[T], c C16x8[int32]) C16x8[int32]",
		Group: TensorCores, Op: "MMA", Together: WarpThreads},
	{Name: "MMA16x8x16S32", Signature: "[T int8 | uint8](a A16x16[T], b B16x8[T], c C16x8[int32]) C16x8[int32]",
		Group: TensorCores, Op: "MMA", Together: WarpThreads},
	{Name: "MMA16x8x32F32", Signature: "[T, U E4M3 | E5M2](a A16x32[T], b B32x8[U], c C16x8[float32]) C16x8[float32]",
		Group: TensorCores, Op: "MMA", Together: WarpThreads},
	{Name: "MMA8x8x4F64", Signature: "(a A8x4[float64], b B4x8[float64], c C8x8[float64]) C8x8[float64]",
		Group: TensorCores, Op: "MMA", Together: WarpThreads},
	{Name: "MMA16x8x4F64", Signature: "(a A16x4[float64], b B4x8[float64], c C16x8[float64]) C16x8[float64]",
		Group: TensorCores, Op: "MMA", Together: WarpThreads},
	{Name: "MMA16x8x8F64", Signature: "(a A16x8[float64], b B8x8[float64], c C16x8[float64]) C16x8[float64]",
		Group: TensorCores, Op: "MMA", Together: WarpThreads},
	{Name: "MMA16x8x16F64", Signature: "(a A16x16[float64], b B16x8[float64], c C16x8[float64]) C16x8[float64]",
		Group: TensorCores, Op: "MMA", Together: WarpThreads},
	{Name: "LdMatrixRows", Signature: "[F Fragment[T], T any](row *T) F", Group: TensorCores, Op: "Machine.LdMatrix4",
		Together: WarpThreads, Needs: Target{SM: 75}, Result: ByThread},
	{Name: "LdMatrixColumns", Signature: "[F Fragment[T], T any](column *T) F", Group: TensorCores, Op: "Machine.LdMatrix4",
		Together: WarpThreads, Needs: Target{SM: 75}, Result: ByThread},
	{Name: "LdMatrixRows2", Signature: "[F Fragment[T], T any](row *T) [2]F", Group: TensorCores, Op: "Machine.LdMatrix4",
		Together: WarpThreads, Needs: Target{SM: 75}, Result: ByThread},
	{Name: "LdMatrixColumns2", Signature: "[F Fragment[T], T any](column *T) [2]F", Group: TensorCores, Op: "Machine.LdMatrix4",
		Together: WarpThreads, Needs: Target{SM: 75}, Result: ByThread},
	{Name: "StMatrixRows", Signature: "[F Fragment[T], T any](row *T, f F)", Group: TensorCores, Op: "Machine.StMatrix4",
		Together: WarpThreads, Needs: Target{SM: 90}},
	{Name: "StMatrixColumns", Signature: "[F Fragment[T], T any](column *T, f F)", Group: TensorCores, Op: "Machine.StMatrix4",
		Together: WarpThreads, Needs: Target{SM: 90}},
	{Name: "TF32Of", Signature: "(x float32) TF32", Group: HalfPrecision},
	{Name: "E4M3Of", Signature: "[T Number](x T) E4M3", Group: HalfPrecision},
	{Name: "E5M2Of", Signature: "[T Number](x T) E5M2", Group: HalfPrecision},
	{Name: "E4M3FromBits", Signature: "(bits uint8) E4M3", Group: HalfPrecision},
	{Name: "E5M2FromBits", Signature: "(bits uint8) E5M2", Group: HalfPrecision},

	{Name: "MatrixOf", Signature: "[T any](tile []T, leading, stride int, s Swizzle) Matrix[T]", Group: Warpgroups,
		Needs: Target{SM: 90, Suffix: 'a'}, Unfuzzed: onlyWarpgroups},
	{Name: "WGMMA", Signature: "[C Sums64[float32], A Factor64[T], T Float16 | BFloat16 | TF32](sum *C, a A, b Matrix[T], add bool, how ...WGMMAOption)",
		Group: Warpgroups, Op: "WGMMA", Needs: Target{SM: 90, Suffix: 'a'}, Together: WarpgroupThreads, Unfuzzed: onlyWarpgroups},
	{Name: "WGMMAF16", Signature: "[C Sums64[Float16], A Factor64[Float16]](sum *C, a A, b Matrix[Float16], add bool, how ...WGMMAOption)",
		Group: Warpgroups, Op: "WGMMA", Needs: Target{SM: 90, Suffix: 'a'}, Together: WarpgroupThreads, Unfuzzed: onlyWarpgroups},
	{Name: "WGMMAF8", Signature: "[C Sums64[float32], A Factor64[T], T, U E4M3 | E5M2](sum *C, a A, b Matrix[U], add bool, how ...WGMMAOption)",
		Group: Warpgroups, Op: "WGMMA", Needs: Target{SM: 90, Suffix: 'a'}, Together: WarpgroupThreads, Unfuzzed: onlyWarpgroups},
	{Name: "WGMMAS32", Signature: "[C Sums64[int32], A Factor64[T], T, U int8 | uint8](sum *C, a A, b Matrix[U], add bool)",
		Group: Warpgroups, Op: "WGMMA", Needs: Target{SM: 90, Suffix: 'a'}, Together: WarpgroupThreads, Unfuzzed: onlyWarpgroups},
	{Name: "WGMMAFence", Signature: "()", Group: Warpgroups, Op: "Machine.WGMMAFence", Needs: Target{SM: 90, Suffix: 'a'},
		Together: WarpgroupThreads, Unfuzzed: onlyWarpgroups},
	{Name: "WGMMACommit", Signature: "()", Group: Warpgroups, Op: "Machine.WGMMACommit", Needs: Target{SM: 90, Suffix: 'a'},
		Together: WarpgroupThreads, Unfuzzed: onlyWarpgroups},
	{Name: "WGMMAWait", Signature: "(n int)", Group: Warpgroups, Op: "Machine.WGMMAWait", Needs: Target{SM: 90, Suffix: 'a'},
		Together: WarpgroupThreads, Unfuzzed: onlyWarpgroups},
	{Name: "FenceProxyAsync", Signature: "()", Group: Fences, Op: "Machine.FenceProxyAsync", Needs: Target{SM: 90},
		Unfuzzed: onlyWarpgroups},
	{Name: "SetMaxNRegInc", Signature: "(n int)", Group: Warpgroups, Op: "SetMaxNReg.Inc", Needs: Target{SM: 90, Suffix: 'a'},
		Together: WarpgroupThreads, Unfuzzed: onlyWarpgroups},
	{Name: "SetMaxNRegDec", Signature: "(n int)", Group: Warpgroups, Op: "SetMaxNReg.Dec", Needs: Target{SM: 90, Suffix: 'a'},
		Together: WarpgroupThreads, Unfuzzed: onlyWarpgroups},
	{Name: "CpAsync", Signature: "[T any](dst, src *T, cache ...CacheOp)", Group: AsyncCopies, Op: "Machine.CpAsync16",
		Needs: Target{SM: 80}, Unfuzzed: inFlight},
	{Name: "CpAsyncZeroFill", Signature: "[A Fragment[T], T any](dst *A, src []T, cache ...CacheOp)", Group: AsyncCopies,
		Op: "Machine.CpAsync16", Needs: Target{SM: 80}, Unfuzzed: inFlight},
	{Name: "CpAsyncCommitGroup", Signature: "()", Group: AsyncCopies, Op: "Machine.CpAsyncCommit", Needs: Target{SM: 80},
		Unfuzzed: inFlight},
	{Name: "CpAsyncWaitGroup", Signature: "(n int)", Group: AsyncCopies, Op: "Machine.CpAsyncWait", Needs: Target{SM: 80},
		Unfuzzed: inFlight},
	{Name: "CpAsyncWaitAll", Signature: "()", Group: AsyncCopies, Op: "Machine.CpAsyncWaitAll", Needs: Target{SM: 80},
		Unfuzzed: inFlight},

	{Name: "CpAsyncBulk", Signature: "[T any](dst, src []T, ready *MBarrier)", Group: TensorCopies, Op: "Machine.CpAsyncBulk",
		Needs: Target{SM: 90}, Unfuzzed: inFlight},
	{Name: "CpAsyncBulkMulticast", Signature: "[T any](dst, src []T, ready *MBarrier, blocks uint16)", Group: TensorCopies,
		Op: "Machine.CpAsyncBulkMulticast", Needs: Target{SM: 90}, Unfuzzed: inFlight},
	{Name: "CpAsyncBulkCluster", Signature: "[T any](dst, src []T, ready *MBarrier)", Group: TensorCopies,
		Op: "Machine.CpAsyncBulkCluster", Needs: Target{SM: 90}, Unfuzzed: inFlight},
	{Name: "CpAsyncBulkStore", Signature: "[T any](dst, src []T)", Group: TensorCopies, Op: "Machine.CpAsyncBulkStore",
		Needs: Target{SM: 90}, Unfuzzed: inFlight},
	{Name: "CpAsyncBulkPrefetch", Signature: "[T any](src []T)", Group: TensorCopies, Op: "Machine.CpAsyncBulkPrefetch",
		Needs: Target{SM: 90}, Unfuzzed: inFlight},
	{Name: "CpAsyncBulkTensor", Signature: "[T any](dst []T, m TensorMap[T], ready *MBarrier, at ...int)", Group: TensorCopies,
		Op: "Machine.CpAsyncBulkTensor1", Needs: Target{SM: 90}, Unfuzzed: withMaps},
	{Name: "CpAsyncBulkTensorMulticast", Signature: "[T any](dst []T, m TensorMap[T], ready *MBarrier, blocks uint16, at ...int)",
		Group: TensorCopies, Op: "Machine.CpAsyncBulkTensorMulticast1", Needs: Target{SM: 90}, Unfuzzed: withMaps},
	{Name: "CpAsyncBulkTensorStore", Signature: "[T any](m TensorMap[T], src []T, at ...int)", Group: TensorCopies,
		Op: "Machine.CpAsyncBulkTensorStore1", Needs: Target{SM: 90}, Unfuzzed: withMaps},
	{Name: "CpAsyncBulkPrefetchTensor", Signature: "[T any](m TensorMap[T], at ...int)", Group: TensorCopies,
		Op: "Machine.CpAsyncBulkPrefetchTensor1", Needs: Target{SM: 90}, Unfuzzed: withMaps},
	{Name: "PrefetchTensorMap", Signature: "[T any](m TensorMap[T])", Group: TensorCopies,
		Op: "Machine.PrefetchTensorMap", Needs: Target{SM: 90}, Unfuzzed: withMaps},
	{Name: "CpAsyncBulkCommitGroup", Signature: "()", Group: TensorCopies, Op: "Machine.CpAsyncBulkCommitGroup",
		Needs: Target{SM: 90}, Unfuzzed: inFlight},
	{Name: "CpAsyncBulkWaitGroup", Signature: "(n int)", Group: TensorCopies, Op: "Machine.CpAsyncBulkWaitGroup",
		Needs: Target{SM: 90}, Unfuzzed: inFlight},
	{Name: "CpAsyncBulkWaitGroupRead", Signature: "(n int)", Group: TensorCopies, Op: "Machine.CpAsyncBulkWaitGroupRead",
		Needs: Target{SM: 90}, Unfuzzed: inFlight},
	{Name: "FenceMBarrierInit", Signature: "()", Group: Fences, Op: "Machine.FenceMBarrierInit", Needs: Target{SM: 90},
		Unfuzzed: inFlight},

	{Name: "MBarrierInit", Signature: "(b *MBarrier, arrivals int)", Group: MBarriers,
		Op: "Machine.MBarrierInit", Needs: Target{SM: 80}, Unfuzzed: inFlight},
	{Name: "MBarrierInval", Signature: "(b *MBarrier)", Group: MBarriers,
		Op: "Machine.MBarrierInval", Needs: Target{SM: 80}, Unfuzzed: inFlight},
	{Name: "MBarrierArrive", Signature: "(b *MBarrier) MBarrierToken", Group: MBarriers,
		Op: "Machine.MBarrierArrive", Result: ByThread, Needs: Target{SM: 80}, Unfuzzed: inFlight},
	{Name: "MBarrierArriveCluster", Signature: "(b *MBarrier)", Group: MBarriers,
		Op: "Machine.MBarrierArriveCluster", Needs: Target{SM: 90}, Unfuzzed: inFlight},
	{Name: "MBarrierArriveClusterNoFence", Signature: "(b *MBarrier)", Group: MBarriers,
		Op: "Machine.MBarrierArriveClusterNoFence", Needs: Target{SM: 90}, Unfuzzed: inFlight},
	{Name: "MBarrierArriveDrop", Signature: "(b *MBarrier) MBarrierToken", Group: MBarriers,
		Op: "Machine.MBarrierArriveDrop", Result: ByThread, Needs: Target{SM: 80}, Unfuzzed: inFlight},
	{Name: "MBarrierArriveExpectTx", Signature: "(b *MBarrier, bytes int) MBarrierToken", Group: MBarriers,
		Op: "Machine.MBarrierArriveExpectTx", Result: ByThread, Needs: Target{SM: 90}, Unfuzzed: inFlight},
	{Name: "MBarrierExpectTx", Signature: "(b *MBarrier, bytes int)", Group: MBarriers,
		Op: "Machine.MBarrierExpectTx", Needs: Target{SM: 90}, Unfuzzed: inFlight},
	{Name: "MBarrierCompleteTx", Signature: "(b *MBarrier, bytes int)", Group: MBarriers,
		Op: "Machine.MBarrierCompleteTx", Needs: Target{SM: 90}, Unfuzzed: inFlight},
	{Name: "MBarrierTestWait", Signature: "(b *MBarrier, phase MBarrierToken) bool", Group: MBarriers,
		Op: "Machine.MBarrierTestWait", Result: ByThread, Needs: Target{SM: 80}, Unfuzzed: inFlight},
	{Name: "MBarrierTestWaitParity", Signature: "(b *MBarrier, parity int) bool", Group: MBarriers,
		Op: "Machine.MBarrierTestWaitParity", Result: ByThread, Needs: Target{SM: 80}, Unfuzzed: inFlight},
	{Name: "MBarrierTryWait", Signature: "(b *MBarrier, phase MBarrierToken) bool", Group: MBarriers,
		Op: "Machine.MBarrierTryWait", Result: ByThread, Needs: Target{SM: 80}, Unfuzzed: inFlight},
	{Name: "MBarrierTryWaitParity", Signature: "(b *MBarrier, parity int) bool", Group: MBarriers,
		Op: "Machine.MBarrierTryWaitParity", Result: ByThread, Needs: Target{SM: 80}, Unfuzzed: inFlight},
	{Name: "MBarrierTryWaitParityCluster", Signature: "(b *MBarrier, parity int) bool", Group: MBarriers,
		Op: "Machine.MBarrierTryWaitParityCluster", Result: ByThread, Needs: Target{SM: 90}, Unfuzzed: inFlight},
	{Name: "MBarrierWait", Signature: "(b *MBarrier, phase MBarrierToken)", Group: MBarriers, Unfuzzed: inFlight},
	{Name: "MBarrierWaitParity", Signature: "(b *MBarrier, parity int)", Group: MBarriers, Unfuzzed: inFlight},
	{Name: "MBarrierWaitParityCluster", Signature: "(b *MBarrier, parity int)", Group: MBarriers, Unfuzzed: inFlight},
	{Name: "CpAsyncMBarrierArrive", Signature: "(b *MBarrier)", Group: MBarriers,
		Op: "Machine.CpAsyncMBarrierArrive", Needs: Target{SM: 80}, Unfuzzed: inFlight},
	{Name: "CpAsyncMBarrierArriveNoInc", Signature: "(b *MBarrier)", Group: MBarriers,
		Op: "Machine.CpAsyncMBarrierArriveNoInc", Needs: Target{SM: 80}, Unfuzzed: inFlight},

	{Name: "Assert", Signature: "(cond bool, format string, values ...any)", Group: Checks, Op: "Check.Assert"},

	{Name: "Printf", Signature: "(format string, values ...any)", Group: Printing, Op: "Print",
		Unfuzzed: "it changes nothing that is compared"},
}

// withMaps says why random programs do not copy tensors.
const withMaps = "it needs sm_90 and a tensor map of the host; internal/proof/gpusuite/tensors compares"

// onlyWarpgroups says why random programs do not call what is of a warpgroup.
const onlyWarpgroups = "it needs sm_90a and blocks of whole warpgroups"

// inFlight is why random programs neither copy asynchronously nor use mbarriers.
const inFlight = "it needs a target of its own, and an order between what threads and copies do; internal/proof/gpusuite/copies compares"

// Register is a special register: a variable of package gpu that kernels read and cannot write.
type Register struct {
	Name   string
	Op     string    // of its field X. Y's and Z's follow it
	Result Variation // between which threads its fields differ
	Needs  Target    // the oldest target that has it, zero where all have
}

// Registers are the special registers. On the host they are zero.
var Registers = []Register{
	{"ThreadIdx", "SReg.TidX", ByThread, Target{}},
	{"BlockIdx", "SReg.CTAIdX", ByBlock, Target{}},
	{"BlockDim", "SReg.NTidX", Uniform, Target{}},
	{"GridDim", "SReg.NCTAIdX", Uniform, Target{}},
	{"ClusterIdx", "SReg.ClusterIdX", ByCluster, ClusterTarget},
	{"ClusterDim", "SReg.NCTAInClusterX", Uniform, ClusterTarget},
	{"BlockIdxInCluster", "SReg.CTAInClusterX", ByBlock, ClusterTarget},
}

// FindRegister is the row of a variable of package gpu, or nil if it is no special register.
func FindRegister(name string) *Register {
	for i := range Registers {
		if Registers[i].Name == name {
			return &Registers[i]
		}
	}
	return nil
}

// FindIntrinsic is the row of a function of package gpu, or nil.
func FindIntrinsic(name string) *Intrinsic {
	for i := range Intrinsics {
		if Intrinsics[i].Name == name {
			return &Intrinsics[i]
		}
	}
	return nil
}

// OnHost reports whether the function needs no other thread and no memory of a device, so that it
// does on the host what it does in a kernel.
func (in *Intrinsic) OnHost() bool {
	switch in.Group {
	case FloatingPoint, Mathematics, Approximation, HalfPrecision, Checks, Printing:
		return true
	}
	return false
}

// Param is a parameter of an intrinsic: "srcLane", "int".
type Param struct{ Name, Type string }

// Params are the parameters, in order.
func (in *Intrinsic) Params() []Param {
	_, text, _ := strings.Cut(in.Signature, "(")
	text, _, _ = strings.Cut(text, ")")
	return paramsOf(text)
}

// Results are the results: one without a name, or several with theirs.
func (in *Intrinsic) Results() []Param {
	text := in.ResultType()
	if list, ok := strings.CutPrefix(text, "("); ok {
		return paramsOf(strings.TrimSuffix(list, ")"))
	}
	if text == "" {
		return nil
	}
	return []Param{{Type: text}}
}

// paramsOf parses a list of names and types.
func paramsOf(text string) []Param {
	if text == "" {
		return nil
	}
	fields := strings.Split(text, ", ")
	params := make([]Param, len(fields))
	typ := ""
	for i := len(fields) - 1; i >= 0; i-- { // x, y T: the last of a list has the type
		name, t, ok := strings.Cut(fields[i], " ")
		if ok {
			typ = t
		}
		params[i] = Param{name, typ}
	}
	return params
}

// Constraint is the constraint of the type parameter T, and of a second, U, or "".
func (in *Intrinsic) Constraint() string {
	text, ok := strings.CutPrefix(strings.Replace(in.Signature, "[T, U ", "[T ", 1), "[T ")
	if !ok {
		return ""
	}
	constraint, _, _ := strings.Cut(text, "]")
	return constraint
}

// ResultType is the type of the result, the list of several, or "".
func (in *Intrinsic) ResultType() string {
	_, text, _ := strings.Cut(in.Signature, ")")
	return strings.TrimSpace(text)
}
