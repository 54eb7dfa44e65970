package ir

import "github.com/gridstride/gridstride/internal/abi"

// Op is an operation.
type Op uint8

// The operations. x, y are Args. T is Type. Instructions are shown as String prints and Parse reads
// them.
const (
	OpInvalid Op = iota

	Const    // the constant Int: v1 = I32 Const -5; v2 = F32 Const 0.5; v3 = Bool Const true
	ParamVal // parameter number Int: v1 = Ptr.global ParamVal a align=4
	Phi      // x from Preds[0], y from Preds[1], …: v3 = I64 Phi v1, v2

	// Integer arithmetic on I32 and I64, wrapping: v3 = I64 Add v1, v2. Division traps nowhere: a
	// Check precedes it, and DivS of the smallest by -1 is the smallest, RemS 0 (emission sees to
	// it).
	Add
	Subtract
	Mul
	DivS
	DivU
	RemS
	RemU
	MulHiS
	MulHiU
	MinS
	MinU
	MaxS
	MaxU
	Neg
	And // also Bool
	Or  // also Bool
	Xor // also Bool
	Not // also Bool
	// Shifts take an I32 amount read as unsigned. An amount of at least the width gives 0, for ShrS
	// the sign (Go's rule and PTX's).
	Shl
	ShrS
	ShrU
	RotL // amount modulo the width
	Popc // result I32
	Clz  // result I32
	Brev

	// Widths. Sext8 … Zext16 normalise the low bits of an I32: v2 = I32 Sext8 v1.
	Sext8
	Zext8
	Sext16
	Zext16
	Sext32 // I32 to I64
	Zext32 // I32 to I64
	Trunc  // I64 to I32

	// Floating point on F32 and F64, each rounded to nearest even. Those that are fast
	// (Value.Fast) may be contracted: v3 = F32 FAdd v1, v2; v4 = F32 FMul.fast v1, v2.
	FAdd
	FSub
	FMul
	FDiv
	FNeg
	FAbs
	FSqrt
	FMin     // Go's min: NaN wins, -0 < +0
	FMax     // Go's max
	FFma     // x*y+z rounded once
	FFmaDown // FFma rounded towards -Inf
	FFmaUp   // FFma rounded towards +Inf
	FFloor
	FCeil
	FTrunc
	FRoundEven
	FCopysign

	// The approximations of a GPU, by the names of package gpu: v2 = F32 ApproxSin v1.
	ApproxExp2
	ApproxLog2
	ApproxSin
	ApproxCos
	ApproxTanh
	ApproxRsqrt
	ApproxRcp

	// The approximations with .ftz, which are shorter: subnormal numbers are 0. In an exact kernel
	// they are first digits, on which no result may depend: v2 = F32 NearRcp v1.
	NearRcp
	NearRsqrt
	NearSqrt
	NearExp2
	NearLog2
	NearSin
	NearCos

	// Numbers of 16 bits. An I32 holds two, one in each half, and each half has a separate result. If
	// it holds a single number, the upper half is 0, in the result too. Sub is the format. A NaN that
	// comes out is 0x7fff: v3 = I32 HAdd.F16 v1, v2.
	HAdd
	HSub
	HMul
	HFma // x*y+z rounded once
	HMin // Go's min
	HMax // Go's max
	HNeg // of a pair; without Sub
	HAbs // of a pair; without Sub
	F16ToF
	FToH // an I32 with the number of 16 bits in its low half; Sub is the format and the rounding: FToH.BF16Zero v1
	FTo8 // an I32 with the number of 8 bits nearest to an F32, not beyond the largest; Sub is the format: FTo8.E4M3 v1
	// Prmt picks four bytes of x, which are 0 to 3, and y, 4 to 7: each four bits of z, from the
	// lowest on, number one byte of the result.
	Prmt

	// Conversions. Float to integer truncates, saturates, NaN is 0: v2 = I64 FToS v1.
	SToF // I32/I64 signed to T
	UToF
	FToS // T I32 or I64
	FToU
	FToF    // F32 to F64 or back
	Bitcast // F32↔I32, F64↔I64, Ptr↔I64

	Cmp    // Bool x Sub y; on Bool (Eq, Ne), integers, Ptr and floats: v3 = Bool Cmp.LtU v1, v2
	Select // T x ? y : z: v4 = I64 Select v1, v2, v3

	// Addresses.
	PtrAdd  // Ptr x + y bytes, y I64: v3 = Ptr.global PtrAdd v1, v2
	VarAddr // Ptr address of Var: v1 = Ptr.shared VarAddr cache align=4
	// Alloca is a Ptr to Size bytes of local memory, zeroed by explicit stores of lowering; in the
	// entry block only: v1 = Ptr.local Alloca size=256 align=4 name="acc"
	Alloca
	NilPtr // Ptr 0
	// MapShared is a generic Ptr to what x points to in shared memory, in the block of the cluster
	// with rank y, I32: v3 = Ptr MapShared v1, v2
	MapShared
	DynSize // I64 the dynamic shared memory's size in bytes

	// Memory.
	Load    // T from x: v2 = F32 Load.f32.global v1; v3 = F32 Load.f32.x4.global v1 align=16
	Store   // y (and further lanes) to x: Store.f32.shared v1, v2
	Extract // T lane Int of what has several results, as a vector load x: v4 = F32 Extract v3, 2
	// MemZero zeroes Size bytes at x: the zero value of a large struct or array. A pass expands it
	// to stores: MemZero v1 size=64 align=8
	MemZero
	MemCopy // copy Size bytes from y to x (no overlap unless equal): MemCopy v1, v2 size=64 align=8

	// Atomic is T the old value. Sub is the operation, Args are the pointer and the operand (for
	// CAS: expected, new): v4 = I32 Atomic.Add.device.b32.global v1, v2. Of 8 and 16 bits there is
	// CAS only, and the sum of a number of 16 bits. With two Lanes it is of 128 bits, Exch or CAS:
	// each operand is two I64, and Extract reads the result: v4 = I64
	// Atomic.Exch.acqrel.device.b64.x2.global v1, v2, v3
	Atomic
	AtomicLoad  // T from x, in one step and never merged: v2 = I32 AtomicLoad.acquire.block.b32.shared v1
	AtomicStore // y to x: AtomicStore.release.device.f32.global v1, v2
	Fence       // Scope: Fence.device

	// Special registers, warp and block operations. All but SReg are convergent.
	SReg    // I32 special register Sub: v1 = I32 SReg.TidX
	Barrier // bar.sync 0
	// GridBarrier is a Barrier of all threads of the grid.
	GridBarrier
	// BarrierRed is a Barrier whose threads each bring a Bool: whether all (And) or some (Or) are
	// true, or how many (Count): v3 = I32 BarrierRed.Count v1
	BarrierRed
	// NamedBarrier is barrier x, I32, for y threads, I32. Arrive does not wait: NamedBarrier.Sync
	// v1, v2
	NamedBarrier
	WarpSync // x I32 mask
	Shfl     // T (I32, I64, F32, F64) Args mask I32, value, lane or delta I32: v4 = F32 Shfl.Down v1, v2, v3
	Vote     // Args mask I32, predicate Bool; Any and All give Bool, Ballot I32: v3 = I32 Vote.Ballot v1, v2
	// Match has Args mask I32, value I32 or I64. Any gives the I32 mask of the lanes with an equal
	// value, All a Bool, whether all have one: v3 = I32 Match.Any v1, v2
	Match
	Redux      // I32 of the values of the lanes; Args mask I32, value I32; from sm_80: v3 = I32 Redux.Add v1, v2
	ActiveMask // I32
	Elect      // whether this lane is the one that is elected of a mask: v2 = Bool Elect v1
	// SetMaxNReg raises or lowers the registers of the warp's threads to a constant.
	SetMaxNReg
	// MMA is a product of matrices by all lanes of a warp. Sub is its form, Args are the registers of
	// A, B and C, and Extract reads D's registers: v7 = F64 MMA.M8N8K4F64.x2 v1, v2, v3, v4
	MMA

	// WGMMA starts a product of matrices by a warpgroup. Sub is its form. Args are whether the sum is
	// added to, the four options, A, B and the registers of the sum. Extract reads these after it.
	WGMMA
	// Hold keeps values in their registers. Extract reads its arguments after it, and no pass knows
	// that a value before and after are the same. It is no instruction.
	Hold
	// SharedAddr is the I64 address in shared memory that a pointer there has.
	SharedAddr
	// Machine is an instruction that stands for itself. Sub is one of MachineForms: v2 = I32
	// Machine.LdMatrix1 v1
	Machine

	// Clock is the I64 cycles or nanoseconds of a clock, at its place among the accesses of memory:
	// v1 = I64 Clock.Cycles
	Clock
	Nanosleep // about x I32 nanoseconds: Nanosleep v1

	// Print prints the values after its first argument, a Ptr to the format: Print v1, v2
	Print
	// Check ends the thread, recorded, unless it holds. Sub says which. Args are the values in the
	// message: Check.Index v1, v2.
	Check

	// Terminators.
	Jump   // Succs[0]: Jump b1
	Branch // x Bool: Succs[0] if true, else Succs[1]: Branch v1 b1 b2
	Return // the thread is done
	Panic  // unconditional failure; Sub says which, as Check

	NumOps
)

// Sub refines an operation.
type Sub uint16

// Comparisons. Float comparisons are ordered (false on NaN) except Ne, as Go's are. Unsigned ones
// are for integers and Ptr.
const (
	SubNone Sub = iota
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	LtU
	LeU
	GtU
	GeU
)

// Checks and panics, with their arguments. They are the kinds of the fault record.
const (
	CheckIndex      = Sub(abi.FaultIndex)      // x I64 index, y I64 length: fails unless 0 <= x < y
	CheckSliceHigh  = Sub(abi.FaultSliceHigh)  // x I64 high, y I64 capacity: fails unless 0 <= x <= y; s[:x]
	CheckSliceLen   = Sub(abi.FaultSliceLen)   // the same where y is a length (arrays)
	CheckSliceLow   = Sub(abi.FaultSliceLow)   // x I64 low, y I64 high: fails unless 0 <= x <= y; s[x:y]
	CheckSliceMax   = Sub(abi.FaultSliceMax)   // x I64 max, y I64 capacity; s[::x]
	CheckSliceHigh3 = Sub(abi.FaultSliceHigh3) // x I64 high, y I64 max; s[:x:y]
	CheckSliceToArr = Sub(abi.FaultSliceToArr) // x I64 length of the slice, y I64 of the array: fails unless x >= y
	CheckDivide     = Sub(abi.FaultDivide)     // x I32 or I64 divisor: fails if zero
	CheckShift      = Sub(abi.FaultShift)      // x I32 or I64 signed shift amount: fails if negative
	CheckNil        = Sub(abi.FaultNil)        // x Ptr: fails if nil
	// x Bool, y Ptr to the message or NilPtr: fails if false. With further values y is their
	// format.
	CheckAssert  = Sub(abi.FaultAssert)
	CheckPanic   = Sub(abi.FaultPanic)   // x Ptr to the message or NilPtr; of Panic only
	CheckMakeLen = Sub(abi.FaultMakeLen) // x I64 length: fails if negative

	CheckSliceMaxLen = Sub(abi.FaultSliceMaxLen) // as CheckSliceMax where y is a length (arrays)
	CheckSliceLow3   = Sub(abi.FaultSliceLow3)   // as CheckSliceLow; s[x:y:]
	CheckOverflow    = Sub(abi.FaultOverflow)    // x Bool: fails if false, the quotient would overflow
	CheckType        = Sub(abi.FaultType)        // x Ptr to the message; of Panic only
)

// Atomic operations. CAS takes Args pointer, compare, new. Inc and Dec are CUDA's wrapping
// counters.
const (
	AtomAdd Sub = iota + 64
	AtomMinS
	AtomMinU
	AtomMaxS
	AtomMaxU
	AtomAnd
	AtomOr
	AtomXor
	AtomExch
	AtomCAS
	AtomInc
	AtomDec
	AtomAddF16  // of a number of 16 bits, or of a pair of them in 32
	AtomAddBF16 // the same
)

// Shuffles and votes.
const (
	ShflIdx Sub = iota + 96
	ShflUp
	ShflDown
	ShflXor
	VoteAny
	VoteAll
	VoteBallot
)

// Comparisons and reductions of warps, barriers of blocks, clocks.
const (
	MatchAny Sub = iota + 160
	MatchAll
	ReduxAdd
	ReduxMinS
	ReduxMinU
	ReduxMaxS
	ReduxMaxU
	ReduxAnd
	ReduxOr
	ReduxXor
	BarAnd
	BarOr
	BarCount
	BarSync
	BarArrive
	ClockCycles
	ClockNanoseconds
)

// Special registers.
const (
	TidX Sub = iota + 128
	TidY
	TidZ
	NTidX
	NTidY
	NTidZ
	CTAIdX
	CTAIdY
	CTAIdZ
	NCTAIdX
	NCTAIdY
	NCTAIdZ
	ClusterIdX
	ClusterIdY
	ClusterIdZ
	CTAInClusterX
	CTAInClusterY
	CTAInClusterZ
	NCTAInClusterX
	NCTAInClusterY
	NCTAInClusterZ
	BlockRank
	ClusterSize
	LaneID
)

// LowHalves is the selector of Prmt for the pair of the low halves of x and y, x's below.
const LowHalves = 0x5410

// Formats of numbers of 16 bits, and conversions to them: to nearest even, towards zero, -Inf and
// +Inf; and formats of numbers of 8 bits.
const (
	F16 Sub = iota + 192
	BF16
	F16Nearest
	F16Zero
	F16Down
	F16Up
	BF16Nearest
	BF16Zero
	BF16Down
	BF16Up
	E4M3
	E5M2
)

// What becomes of the registers of a thread.
const (
	RegInc Sub = iota + 216
	RegDec
)

// Products of matrices, in the order of [Products].
const (
	M16N8K8F32F16 Sub = iota + 224
	M16N8K16F32F16
	M16N8K16F16F16
	M16N8K8F32BF16
	M16N8K16F32BF16
	M16N8K4F32TF32
	M16N8K8F32TF32
	M8N8K4F64
	M16N8K4F64
	M16N8K8F64
	M16N8K16F64
	M16N8K16S32S8
	M16N8K16S32U8
	M16N8K32S32S8
	M16N8K32S32U8
	M16N8K32F32E4M3
	M16N8K32F32E5M2
	M16N8K32F32E4M3E5M2
	M16N8K32F32E5M2E4M3
)

// Order is the memory order of an atomic.
type Order uint8

// The orders. The text of an instruction leaves Relaxed out.
const (
	Relaxed Order = iota
	Acquire
	Release
	AcqRel
)

// Scope is how far an atomic or a fence reaches.
type Scope uint8

// The scopes: one block, the device, and the system with its host and other devices.
const (
	ScopeNone Scope = iota
	ScopeBlock
	ScopeDevice
	ScopeSystem
)
