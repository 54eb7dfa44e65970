package ir

import "strings"

// flags are the facts of an operation that passes must know.
type flags uint16

const (
	pure       flags = 1 << iota // no memory, no effect: may be removed, merged and moved
	commutes                     // x op y == y op x
	convergent                   // communicates in the warp or block: never copied, merged or moved across control flow
	reads                        // reads memory
	writes                       // writes memory
	terminator                   // ends its block
	costly                       // pure, but not worth running where its result may not be used
	effect                       // has another effect: may not be removed
	mayBeFast                    // on floats it takes Value.Fast
)

// opInfo describes an operation. sig is its type rule: the result, a colon, the arguments. Letters
// are
//
//	b i l p  Bool, I32, I64, Ptr           s  F32
//	N  I32 or I64      M  Bool, I32 or I64     F  F32 or F64      A  any
//	n  I32 or I64      f  F32 or F64           a  any
//	-  no result       *  the letter before it any number of times
//
// All capitals of a kind in one rule are the same type. Small letters are free of each other.
type opInfo struct {
	name  string
	sig   string
	flags flags
}

var opTable = [NumOps]opInfo{
	OpInvalid: {"Invalid", "-:", 0},

	Const:    {"Const", "A:", pure},
	ParamVal: {"ParamVal", "A:", pure},
	Phi:      {"Phi", "A:A*", pure},

	Add:      {"Add", "N:NN", pure | commutes},
	Subtract: {"Subtract", "N:NN", pure},
	Mul:      {"Mul", "N:NN", pure | commutes},
	DivS:     {"DivS", "N:NN", pure | costly},
	DivU:     {"DivU", "N:NN", pure | costly},
	RemS:     {"RemS", "N:NN", pure | costly},
	RemU:     {"RemU", "N:NN", pure | costly},
	MulHiS:   {"MulHiS", "N:NN", pure | commutes},
	MulHiU:   {"MulHiU", "N:NN", pure | commutes},
	MinS:     {"MinS", "N:NN", pure | commutes},
	MinU:     {"MinU", "N:NN", pure | commutes},
	MaxS:     {"MaxS", "N:NN", pure | commutes},
	MaxU:     {"MaxU", "N:NN", pure | commutes},
	Neg:      {"Neg", "N:N", pure},
	And:      {"And", "M:MM", pure | commutes},
	Or:       {"Or", "M:MM", pure | commutes},
	Xor:      {"Xor", "M:MM", pure | commutes},
	Not:      {"Not", "M:M", pure},
	Shl:      {"Shl", "N:Ni", pure},
	ShrS:     {"ShrS", "N:Ni", pure},
	ShrU:     {"ShrU", "N:Ni", pure},
	RotL:     {"RotL", "N:Ni", pure},
	Popc:     {"Popc", "i:n", pure},
	Clz:      {"Clz", "i:n", pure},
	Brev:     {"Brev", "N:N", pure},

	Sext8:  {"Sext8", "i:i", pure},
	Zext8:  {"Zext8", "i:i", pure},
	Sext16: {"Sext16", "i:i", pure},
	Zext16: {"Zext16", "i:i", pure},
	Sext32: {"Sext32", "l:i", pure},
	Zext32: {"Zext32", "l:i", pure},
	Trunc:  {"Trunc", "i:l", pure},

	FAdd:       {"FAdd", "F:FF", pure | commutes | mayBeFast},
	FSub:       {"FSub", "F:FF", pure | mayBeFast},
	FMul:       {"FMul", "F:FF", pure | commutes | mayBeFast},
	FDiv:       {"FDiv", "F:FF", pure | costly | mayBeFast},
	FNeg:       {"FNeg", "F:F", pure},
	FAbs:       {"FAbs", "F:F", pure},
	FSqrt:      {"FSqrt", "F:F", pure | costly | mayBeFast},
	FMin:       {"FMin", "F:FF", pure | mayBeFast},
	FMax:       {"FMax", "F:FF", pure | mayBeFast},
	FFma:       {"FFma", "F:FFF", pure},
	FFmaDown:   {"FFmaDown", "F:FFF", pure},
	FFmaUp:     {"FFmaUp", "F:FFF", pure},
	FFloor:     {"FFloor", "F:F", pure},
	FCeil:      {"FCeil", "F:F", pure},
	FTrunc:     {"FTrunc", "F:F", pure},
	FRoundEven: {"FRoundEven", "F:F", pure},
	FCopysign:  {"FCopysign", "F:FF", pure},

	ApproxExp2:  {"ApproxExp2", "s:s", pure | mayBeFast},
	ApproxLog2:  {"ApproxLog2", "s:s", pure | mayBeFast},
	ApproxSin:   {"ApproxSin", "s:s", pure | mayBeFast},
	ApproxCos:   {"ApproxCos", "s:s", pure | mayBeFast},
	ApproxTanh:  {"ApproxTanh", "s:s", pure},
	ApproxRsqrt: {"ApproxRsqrt", "s:s", pure | mayBeFast},
	ApproxRcp:   {"ApproxRcp", "s:s", pure | mayBeFast},

	NearRcp:   {"NearRcp", "s:s", pure},
	NearRsqrt: {"NearRsqrt", "s:s", pure},
	NearSqrt:  {"NearSqrt", "s:s", pure},
	NearExp2:  {"NearExp2", "s:s", pure},
	NearLog2:  {"NearLog2", "s:s", pure},
	NearSin:   {"NearSin", "s:s", pure},
	NearCos:   {"NearCos", "s:s", pure},

	HAdd:   {"HAdd", "i:ii", pure | commutes},
	HSub:   {"HSub", "i:ii", pure},
	HMul:   {"HMul", "i:ii", pure | commutes},
	HFma:   {"HFma", "i:iii", pure},
	HMin:   {"HMin", "i:ii", pure | commutes},
	HMax:   {"HMax", "i:ii", pure | commutes},
	HNeg:   {"HNeg", "i:i", pure},
	HAbs:   {"HAbs", "i:i", pure},
	F16ToF: {"F16ToF", "f:i", pure},
	FToH:   {"FToH", "i:f", pure},
	FTo8:   {"FTo8", "i:s", pure},
	Prmt:   {"Prmt", "i:iii", pure},

	SToF:    {"SToF", "f:n", pure},
	UToF:    {"UToF", "f:n", pure},
	FToS:    {"FToS", "n:f", pure | mayBeFast},
	FToU:    {"FToU", "n:f", pure | mayBeFast},
	FToF:    {"FToF", "f:f", pure},
	Bitcast: {"Bitcast", "a:a", pure},

	Cmp:    {"Cmp", "b:AA", pure | mayBeFast},
	Select: {"Select", "A:bAA", pure},

	PtrAdd:    {"PtrAdd", "p:pl", pure},
	VarAddr:   {"VarAddr", "p:", pure},
	Alloca:    {"Alloca", "p:", effect},
	NilPtr:    {"NilPtr", "p:", pure},
	MapShared: {"MapShared", "p:pi", pure},
	DynSize:   {"DynSize", "l:", pure},

	Load:    {"Load", "a:p", reads},
	Store:   {"Store", "-:paa*", writes | effect},
	Extract: {"Extract", "A:A", pure},
	MemZero: {"MemZero", "-:p", writes | effect},
	MemCopy: {"MemCopy", "-:pp", reads | writes | effect},

	Atomic:      {"Atomic", "A:pAA*", reads | writes | effect},
	AtomicLoad:  {"AtomicLoad", "a:p", reads | writes | effect},
	AtomicStore: {"AtomicStore", "-:pa", reads | writes | effect},
	Fence:       {"Fence", "-:", reads | writes | effect},

	SReg:         {"SReg", "i:", pure},
	Barrier:      {"Barrier", "-:", convergent | reads | writes | effect},
	GridBarrier:  {"GridBarrier", "-:", convergent | reads | writes | effect},
	BarrierRed:   {"BarrierRed", "a:b", convergent | reads | writes | effect},
	NamedBarrier: {"NamedBarrier", "-:ii", convergent | reads | writes | effect},
	WarpSync:     {"WarpSync", "-:i", convergent | reads | writes | effect},
	Shfl:         {"Shfl", "A:iAi", convergent | effect},
	Vote:         {"Vote", "a:ib", convergent | effect},
	Match:        {"Match", "a:in", convergent | effect},
	Redux:        {"Redux", "i:ii", convergent | effect},
	ActiveMask:   {"ActiveMask", "i:", convergent | effect},
	Elect:        {"Elect", "b:i", convergent | effect},
	SetMaxNReg:   {"SetMaxNReg", "-:i", convergent | reads | writes | effect},
	MMA:          {"MMA", "a:a*", convergent | effect},

	WGMMA:      {"WGMMA", "a:a*", convergent | reads | writes | effect},
	Hold:       {"Hold", "a:a*", convergent | reads | writes | effect},
	SharedAddr: {"SharedAddr", "l:p", pure},
	Machine:    {"Machine", "a:a*", convergent | reads | writes | effect}, // MachineForms have its type rules
	Clock:      {"Clock", "l:", reads | writes | effect},
	Nanosleep:  {"Nanosleep", "-:i", reads | writes | effect},

	Check: {"Check", "-:a*", effect},
	Print: {"Print", "-:pa*", reads | writes | effect},

	Jump:   {"Jump", "-:", terminator | effect},
	Branch: {"Branch", "-:b", terminator | effect},
	Return: {"Return", "-:", terminator | effect},
	Panic:  {"Panic", "-:a*", terminator | effect},
}

// subTable names the refinements. Each kind of operation takes the refinements of one range.
var subTable = map[Sub]string{
	Eq: "Eq", Ne: "Ne", Lt: "Lt", Le: "Le", Gt: "Gt", Ge: "Ge", LtU: "LtU", LeU: "LeU", GtU: "GtU", GeU: "GeU",
	CheckIndex: "Index", CheckSliceHigh: "SliceHigh", CheckSliceLen: "SliceLen", CheckSliceLow: "SliceLow",
	CheckSliceMax: "SliceMax", CheckSliceHigh3: "SliceHigh3", CheckSliceToArr: "SliceToArr", CheckDivide: "Divide",
	CheckShift: "Shift", CheckNil: "Nil", CheckAssert: "Assert", CheckPanic: "Panic", CheckMakeLen: "MakeLen",
	CheckSliceMaxLen: "SliceMaxLen", CheckSliceLow3: "SliceLow3",
	CheckOverflow: "Overflow", CheckType: "Type",
	AtomAdd: "Add", AtomMinS: "MinS", AtomMinU: "MinU", AtomMaxS: "MaxS", AtomMaxU: "MaxU", AtomAnd: "And",
	AtomOr:  "Or",
	AtomXor: "Xor", AtomExch: "Exch", AtomCAS: "CAS", AtomInc: "Inc", AtomDec: "Dec",
	AtomAddF16: "AddF16", AtomAddBF16: "AddBF16",
	ShflIdx: "Idx", ShflUp: "Up", ShflDown: "Down", ShflXor: "Xor", VoteAny: "Any", VoteAll: "All",
	VoteBallot: "Ballot",
	TidX:       "TidX", TidY: "TidY", TidZ: "TidZ", NTidX: "NTidX", NTidY: "NTidY", NTidZ: "NTidZ",
	CTAIdX: "CTAIdX", CTAIdY: "CTAIdY", CTAIdZ: "CTAIdZ", NCTAIdX: "NCTAIdX", NCTAIdY: "NCTAIdY", NCTAIdZ: "NCTAIdZ",
	ClusterIdX: "ClusterIdX", ClusterIdY: "ClusterIdY", ClusterIdZ: "ClusterIdZ",
	CTAInClusterX: "CTAInClusterX", CTAInClusterY: "CTAInClusterY", CTAInClusterZ: "CTAInClusterZ",
	NCTAInClusterX: "NCTAInClusterX", NCTAInClusterY: "NCTAInClusterY", NCTAInClusterZ: "NCTAInClusterZ",
	BlockRank: "BlockRank", ClusterSize: "ClusterSize", LaneID: "LaneID",
	F16: "F16", BF16: "BF16", F16Nearest: "F16Nearest", F16Zero: "F16Zero", F16Down: "F16Down", F16Up: "F16Up",
	BF16Nearest: "BF16Nearest", BF16Zero: "BF16Zero", BF16Down: "BF16Down", BF16Up: "BF16Up",
	E4M3: "E4M3", E5M2: "E5M2",
	MatchAny: "Any", MatchAll: "All",
	ReduxAdd: "Add", ReduxMinS: "MinS", ReduxMinU: "MinU", ReduxMaxS: "MaxS", ReduxMaxU: "MaxU", ReduxAnd: "And",
	ReduxOr: "Or", ReduxXor: "Xor",
	BarAnd: "And", BarOr: "Or", BarCount: "Count", BarSync: "Sync", BarArrive: "Arrive",
	RegInc: "Inc", RegDec: "Dec",
	ClockCycles: "Cycles", ClockNanoseconds: "Nanoseconds",
}

func init() {
	for i := range Products {
		subTable[Products[i].Sub] = Products[i].String()
	}
	for i := range MachineForms {
		subTable[FirstMachine+Sub(i)] = MachineForms[i].Name
	}
	for i := range WGProducts {
		subTable[FirstWGMMA+Sub(i)] = WGProducts[i].String()
	}
	subRange[WGMMA] = [2]Sub{FirstWGMMA, FirstWGMMA + Sub(len(WGProducts)) - 1}
	subRange[Machine] = [2]Sub{FirstMachine, FirstMachine + Sub(len(MachineForms)) - 1}
}

// subRange says which refinements an operation takes: first to last, inclusive.
var subRange = map[Op][2]Sub{
	Cmp:    {Eq, GeU},
	Check:  {CheckIndex, CheckType},
	Panic:  {CheckIndex, CheckType},
	Atomic: {AtomAdd, AtomAddBF16},
	Shfl:   {ShflIdx, ShflXor},
	Vote:   {VoteAny, VoteBallot},
	Match:  {MatchAny, MatchAll},
	Redux:  {ReduxAdd, ReduxXor},
	SReg:   {TidX, LaneID},
	HAdd:   {F16, BF16},
	HSub:   {F16, BF16},
	HMul:   {F16, BF16},
	HFma:   {F16, BF16},
	HMin:   {F16, BF16},
	HMax:   {F16, BF16},
	FToH:   {F16Nearest, BF16Up},
	FTo8:   {E4M3, E5M2},
	Clock:  {ClockCycles, ClockNanoseconds},
	MMA:    {M16N8K8F32F16, M16N8K32F32E5M2E4M3},

	SetMaxNReg: {RegInc, RegDec},

	BarrierRed:   {BarAnd, BarCount},
	NamedBarrier: {BarSync, BarArrive},
}

// checkArgs are the types of a Check's or Panic's arguments, in the letters of opInfo.
var checkArgs = map[Sub]string{
	CheckIndex: "ll", CheckSliceHigh: "ll", CheckSliceLen: "ll", CheckSliceLow: "ll", CheckSliceMax: "ll",
	CheckSliceHigh3: "ll", CheckSliceToArr: "ll", CheckDivide: "n", CheckShift: "n", CheckNil: "p",
	CheckAssert: "bpa*", CheckPanic: "p", CheckMakeLen: "l", CheckSliceMaxLen: "ll", CheckSliceLow3: "ll",
	CheckOverflow: "b", CheckType: "p",
}

var typeNames = [...]string{Void: "Void", Bool: "Bool", I32: "I32", I64: "I64", F32: "F32", F64: "F64", Ptr: "Ptr"}

// memInfo describes a memory type: its name in text, its size and the type of its values.
var memInfo = [...]struct {
	name string
	size int
	typ  Type
}{
	MemNone: {"none", 0, Void},
	U8:      {"u8", 1, I32}, // also Bool
	S8:      {"s8", 1, I32},
	U16:     {"u16", 2, I32},
	S16:     {"s16", 2, I32},
	B32:     {"b32", 4, I32},
	B64:     {"b64", 8, I64},
	MF32:    {"f32", 4, F32},
	MF64:    {"f64", 8, F64},
	MPtr:    {"ptr", 8, Ptr},
}

var spaceNames = [...]string{
	Unknown: "unknown", Global: "global", Shared: "shared", Local: "local", Constant: "const",
	Generic: "generic",
}

var scopeNames = [...]string{ScopeNone: "none", ScopeBlock: "block", ScopeDevice: "device", ScopeSystem: "system"}

var orderNames = [...]string{Relaxed: "relaxed", Acquire: "acquire", Release: "release", AcqRel: "acqrel"}

func (op Op) String() string   { return opTable[op].name }
func (o Order) String() string { return orderNames[o] }
func (t Type) String() string  { return typeNames[t] }
func (m Mem) String() string   { return memInfo[m].name }
func (s Space) String() string { return spaceNames[s] }
func (s Scope) String() string { return scopeNames[s] }
func (s Sub) String() string   { return subTable[s] }

// Size is the number of bytes a value of memory type m occupies.
func (m Mem) Size() int { return memInfo[m].size }

// Type is the type of the values that memory type m holds. U8 holds Bool values as well as I32
// ones.
func (m Mem) Type() Type { return memInfo[m].typ }

// Holds reports whether a value of type t can be loaded from and stored as m.
func (m Mem) Holds(t Type) bool { return memInfo[m].typ == t && t != Void || m == U8 && t == Bool }

// Bits is the width of a type: 1 for Bool, 64 for Ptr.
func (t Type) Bits() int {
	switch t {
	case Bool:
		return 1
	case I32, F32:
		return 32
	case I64, F64, Ptr:
		return 64
	}
	return 0
}

// IsInt reports whether t is I32 or I64.
func (t Type) IsInt() bool { return t == I32 || t == I64 }

// IsFloat reports whether t is F32 or F64.
func (t Type) IsFloat() bool { return t == F32 || t == F64 }

// Pure reports whether the operation has no effect and reads no memory: it may be removed, merged
// with an equal one, and moved to any place where its arguments are known.
func (op Op) Pure() bool { return opTable[op].flags&pure != 0 }

// MayBeFast reports whether an operation of these arguments takes Value.Fast.
func (op Op) MayBeFast(args ...*Value) bool {
	return opTable[op].flags&mayBeFast != 0 && len(args) > 0 && args[0].Type.IsFloat()
}

// Costly reports whether a pure operation should not run where its result may go unused.
func (op Op) Costly() bool { return opTable[op].flags&costly != 0 }

// Commutes reports whether exchanging the two arguments changes nothing.
func (op Op) Commutes() bool { return opTable[op].flags&commutes != 0 }

// Several reports whether the operation may have several results, which Extract reads.
func (op Op) Several() bool {
	return op == Load || op == Atomic || op == MMA || op == WGMMA || op == Hold || op == Machine
}

// IsAtomic reports whether the operation is Atomic, AtomicLoad or AtomicStore.
func (op Op) IsAtomic() bool { return op == Atomic || op == AtomicLoad || op == AtomicStore }

// Acquires reports whether accesses after an atomic of the order see what was released.
func (o Order) Acquires() bool { return o == Acquire || o == AcqRel }

// Releases reports whether an atomic of the order releases the accesses before it.
func (o Order) Releases() bool { return o == Release || o == AcqRel }

// Convergent reports whether the operation communicates within its warp or block. Such an operation
// is never duplicated, merged with another, or moved across control flow.
func (op Op) Convergent() bool { return opTable[op].flags&convergent != 0 }

// Terminator reports whether the operation ends a block.
func (op Op) Terminator() bool { return opTable[op].flags&terminator != 0 }

// Reads reports whether the operation may read memory, or orders reads as a barrier does.
func (op Op) Reads() bool { return opTable[op].flags&reads != 0 }

// Writes reports whether the operation may write memory, or makes other threads' writes visible as
// a barrier does.
func (op Op) Writes() bool { return opTable[op].flags&writes != 0 }

// Removable reports whether the operation may be dropped when its result is not used.
func (op Op) Removable() bool { return opTable[op].flags&effect == 0 || op == Alloca }

// opByName and the other reverse tables serve the parser.
var (
	opByName    = reverse(opTable[:], func(i opInfo) string { return i.name })
	typeByName  = reverse(typeNames[:], func(s string) string { return s })
	spaceByName = reverse(spaceNames[:], func(s string) string { return s })
	scopeByName = reverse(scopeNames[:], func(s string) string { return s })
	orderByName = reverse(orderNames[:], func(s string) string { return s })
	memByName   = func() map[string]Mem {
		m := map[string]Mem{}
		for i, info := range memInfo {
			m[info.name] = Mem(i)
		}
		return m
	}()
)

func reverse[T any](table []T, name func(T) string) map[string]int {
	m := map[string]int{}
	for i, t := range table {
		m[name(t)] = i
	}
	return m
}

// subByName finds the refinement of op called name.
func subByName(op Op, name string) (Sub, bool) {
	r := subRange[op]
	for s := r[0]; s <= r[1] && s != SubNone; s++ {
		if subTable[s] == name {
			return s, true
		}
	}
	return SubNone, false
}

// rule is the type rule of an operation: the letter of its result, and the letters of its
// arguments.
func rule(op Op, sub Sub) (result byte, args string) {
	sig := opTable[op].sig
	switch {
	case op == Check || op == Panic:
		return sig[0], checkArgs[sub]
	case op == Machine && sub >= FirstMachine:
		sig = MachineFormOf(sub).Sig
	}
	return sig[0], sig[2:]
}

// argLetter is the letter of op's type rule for argument i, or 0.
func argLetter(op Op, sub Sub, i int) byte {
	_, args := rule(op, sub)
	if n := len(args); n > 0 && args[n-1] == '*' && i >= n-2 {
		return args[n-2]
	}
	if i >= len(args) {
		return 0
	}
	return args[i]
}

// fixedTypes are the letters of a type rule that name one type.
var fixedTypes = map[byte]Type{'b': Bool, 'i': I32, 'l': I64, 'p': Ptr, 's': F32, '-': Void}

// ArgType is the type of argument i. ok is false where the operation takes several.
func (op Op) ArgType(i int) (t Type, ok bool) {
	t, ok = fixedTypes[argLetter(op, SubNone, i)]
	return t, ok
}

// ResultType is the type of the result. ok is false where the operation has several.
func (op Op) ResultType() (t Type, ok bool) {
	t, ok = fixedTypes[opTable[op].sig[0]]
	return t, ok
}

// minArgs is the least number of arguments of op, and whether more are allowed.
func minArgs(op Op, sub Sub) (n int, more bool) {
	_, args := rule(op, sub)
	if rest, ok := strings.CutSuffix(args, "*"); ok {
		return len(rest) - 1, true
	}
	return len(args), false
}
