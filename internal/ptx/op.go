package ptx

// Op is an operation of the instruction table: the first part of an opcode.
type Op string

// The operations, in the order of the instruction table.
const (
	// Integer arithmetic.
	OpAdd   Op = "add"
	OpSub   Op = "sub"
	OpMul   Op = "mul"
	OpMad   Op = "mad"
	OpMul24 Op = "mul24"
	OpMad24 Op = "mad24"
	OpSad   Op = "sad"
	OpDiv   Op = "div"
	OpRem   Op = "rem"
	OpAbs   Op = "abs"
	OpNeg   Op = "neg"
	OpMin   Op = "min"
	OpMax   Op = "max"
	OpPopc  Op = "popc"
	OpClz   Op = "clz"
	OpBfind Op = "bfind"
	OpFns   Op = "fns"
	OpBrev  Op = "brev"
	OpBfe   Op = "bfe"
	OpBfi   Op = "bfi"
	OpSzext Op = "szext"
	OpBmsk  Op = "bmsk"
	OpDp4a  Op = "dp4a"
	OpDp2a  Op = "dp2a"

	// Extended precision.
	OpAddc Op = "addc"
	OpSubc Op = "subc"
	OpMadc Op = "madc"

	// Floating point.
	OpTestp    Op = "testp"
	OpCopysign Op = "copysign"
	OpFma      Op = "fma"
	OpRcp      Op = "rcp"
	OpSqrt     Op = "sqrt"
	OpRsqrt    Op = "rsqrt"
	OpSin      Op = "sin"
	OpCos      Op = "cos"
	OpLg2      Op = "lg2"
	OpEx2      Op = "ex2"
	OpTanh     Op = "tanh"

	// Comparison and selection.
	OpSet  Op = "set"
	OpSetp Op = "setp"
	OpSelp Op = "selp"
	OpSlct Op = "slct"

	// Logic.
	OpAnd  Op = "and"
	OpOr   Op = "or"
	OpXor  Op = "xor"
	OpNot  Op = "not"
	OpCnot Op = "cnot"
	OpLop3 Op = "lop3"
	OpShf  Op = "shf"
	OpShl  Op = "shl"
	OpShr  Op = "shr"
	OpPrmt Op = "prmt"

	// Video.
	OpVadd      Op = "vadd"
	OpVsub      Op = "vsub"
	OpVabsdiff  Op = "vabsdiff"
	OpVmin      Op = "vmin"
	OpVmax      Op = "vmax"
	OpVshl      Op = "vshl"
	OpVshr      Op = "vshr"
	OpVmad      Op = "vmad"
	OpVset      Op = "vset"
	OpVadd2     Op = "vadd2"
	OpVsub2     Op = "vsub2"
	OpVavrg2    Op = "vavrg2"
	OpVabsdiff2 Op = "vabsdiff2"
	OpVmin2     Op = "vmin2"
	OpVmax2     Op = "vmax2"
	OpVset2     Op = "vset2"
	OpVadd4     Op = "vadd4"
	OpVsub4     Op = "vsub4"
	OpVavrg4    Op = "vavrg4"
	OpVabsdiff4 Op = "vabsdiff4"
	OpVmin4     Op = "vmin4"
	OpVmax4     Op = "vmax4"
	OpVset4     Op = "vset4"

	// Data movement.
	OpMov           Op = "mov"
	OpLd            Op = "ld"
	OpLdu           Op = "ldu"
	OpSt            Op = "st"
	OpPrefetch      Op = "prefetch"
	OpPrefetchu     Op = "prefetchu"
	OpApplypriority Op = "applypriority"
	OpDiscard       Op = "discard"
	OpCreatepolicy  Op = "createpolicy"
	OpIsspacep      Op = "isspacep"
	OpCvta          Op = "cvta"
	OpMapa          Op = "mapa"
	OpGetctarank    Op = "getctarank"
	OpAlloca        Op = "alloca"
	OpStacksave     Op = "stacksave"
	OpStackrestore  Op = "stackrestore"

	// Textures and surfaces.
	OpTex  Op = "tex"
	OpTld4 Op = "tld4"
	OpTxq  Op = "txq"
	OpSuld Op = "suld"
	OpSust Op = "sust"
	OpSuq  Op = "suq"

	// Conversion.
	OpCvt Op = "cvt"

	// Atomics.
	OpAtom Op = "atom"
	OpRed  Op = "red"

	// Barriers and fences.
	OpBar            Op = "bar"
	OpBarrier        Op = "barrier"
	OpMembar         Op = "membar"
	OpFence          Op = "fence"
	OpGriddepcontrol Op = "griddepcontrol"

	// Warp-wide operations.
	OpShfl       Op = "shfl"
	OpVote       Op = "vote"
	OpMatch      Op = "match"
	OpActivemask Op = "activemask"
	OpElect      Op = "elect"
	OpSetmaxnreg Op = "setmaxnreg"
	OpRedux      Op = "redux"

	// Matrix products of a warp.
	OpMma Op = "mma"

	// Matrices of a warp in shared memory.
	OpLdmatrix Op = "ldmatrix"
	OpStmatrix Op = "stmatrix"

	// Matrices of a warp whose fragments only these instructions know.
	OpWmma Op = "wmma"

	// Matrix products of a warpgroup.
	OpWgmma Op = "wgmma"

	// Control flow.
	OpBra       Op = "bra"
	OpCall      Op = "call"
	OpBrx       Op = "brx"
	OpRet       Op = "ret"
	OpExit      Op = "exit"
	OpTrap      Op = "trap"
	OpBrkpt     Op = "brkpt"
	OpNanosleep Op = "nanosleep"
	OpPmevent   Op = "pmevent"

	// Asynchronous copies.
	OpCp        Op = "cp"
	OpTensormap Op = "tensormap"
	OpMbarrier  Op = "mbarrier"
)
