package code

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
	"github.com/gridstride/gridstride/internal/machine/sim/tensor"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Attributes say what an instruction's modifiers say, apart from its types and its state space. The
// zero value of a field is the absence of its modifier.
type Attributes struct {
	Flags
	Rounding softfloat.Rounding
	Compare  Compare
	Combine  Combine  // how a predicate is combined with a comparison
	Fn       Function // of atomics, votes, reductions, mbarriers and setmaxnreg
	Mode     Mode

	Order event.MemOrder // "" if none is written
	Scope event.Scope    // of membar, too

	// Of products and of fragments of wmma.
	Shape        tensor.Shape
	BType, CType ptx.Type // the types of B and C, if the opcode names them
	Matrix       byte     // of wmma.load and wmma.store: 'a', 'b', or 'c' for C and D

	// Of tensors, textures and surfaces.
	Dims    int // coordinates along axes; 3 for a cube
	Channel int // of tld4: 0 for red to 3 for alpha
	Query   Query
	Clamp   Clamp
	Field   Field // of a tensor map

	Class Class // of testp

	// Of video instructions: the parts of the result and of the operands, the operation that
	// combines the result with C, and by how many bits it is shifted right.
	DSel, ASel, BSel Selector
	Second           Function
	Scale            uint
}

// Flags are the modifiers that an instruction either has or has not.
type Flags uint64

// Has reports whether all of some flags are set.
func (f Flags) Has(some Flags) bool { return f&some == some }

// The flags, in groups by the instructions that have them.
const (
	// Arithmetic.
	Wide         Flags = 1 << iota // the product has twice the width
	High                           // the upper half of the product counts
	Saturate                       // .sat
	SatFinite                      // .satfinite
	ReLU                           // negative results become 0
	FTZ                            // subnormal numbers become 0
	Approx                         // by the function unit
	Full                           // div.full
	PropagateNaN                   // .NaN of min and max
	XorSign                        // min and max of the magnitudes, with the product of the signs
	Integral                       // .rni and its like round to an integral value
	CarryOut                       // .cc
	ShiftAmount                    // bfind.shiftamt
	Left                           // shf.l
	Pack                           // cvt.pack
	Accumulate                     // the results of video lanes are added to C
	PlusOne                        // vmad.po
	NegateA
	NegateB
	NegateC

	// Memory and barriers.
	Volatile
	Proxy          // of fences
	TensorMapProxy // a fence for tensor maps
	InitsMbarrier  // fence.mbarrier_init
	Parity         // the test of an mbarrier names a parity
	OfCluster      // a barrier of the cluster
	OfWarp         // a barrier of the warp
	Arrives
	Reduces // of a barrier, and of bulk copies
	SharedCluster

	// Copies and products.
	Bulk
	Tensor
	Prefetch
	OnMbarrier // cp.async.mbarrier.arrive
	NoInc
	CommitGroup
	WaitGroup
	WaitAll
	Reads // a wait for the reads of copies alone
	Multicast
	CompletesTx
	Transposed
	ByRows
	Multiplies // wmma.mma
	Fences     // wgmma.fence

	// Textures and surfaces.
	Cube
	Layered
)

// Compare is a comparison.
type Compare string

// The comparisons. The names of the unordered ones, which hold for NaN, end in U.
const (
	EQ  Compare = "eq"
	NE  Compare = "ne"
	LT  Compare = "lt"
	LE  Compare = "le"
	GT  Compare = "gt"
	GE  Compare = "ge"
	LO  Compare = "lo"
	LS  Compare = "ls"
	HI  Compare = "hi"
	HS  Compare = "hs"
	EQU Compare = "equ"
	NEU Compare = "neu"
	LTU Compare = "ltu"
	LEU Compare = "leu"
	GTU Compare = "gtu"
	GEU Compare = "geu"
	Num Compare = "num"
	NaN Compare = "nan"
)

// Combine is a Boolean operation.
type Combine string

// The Boolean operations; "" takes the first operand.
const (
	CombineAnd Combine = "and"
	CombineOr  Combine = "or"
	CombineXor Combine = "xor"
)

// Function names the operation of an instruction that is named for its place: atom.add, vote.all.
type Function string

// The functions.
const (
	FnAdd            Function = "add"
	FnMin            Function = "min"
	FnMax            Function = "max"
	FnAnd            Function = "and"
	FnOr             Function = "or"
	FnXor            Function = "xor"
	FnExch           Function = "exch"
	FnCAS            Function = "cas"
	FnInc            Function = "inc"
	FnDec            Function = "dec"
	FnPopc           Function = "popc"
	FnAll            Function = "all"
	FnAny            Function = "any"
	FnUni            Function = "uni"
	FnBallot         Function = "ballot"
	FnInit           Function = "init"
	FnInval          Function = "inval"
	FnArrive         Function = "arrive"
	FnArriveDrop     Function = "arrive_drop"
	FnArriveExpectTx Function = "arrive.expect_tx"
	FnExpectTx       Function = "expect_tx"
	FnCompleteTx     Function = "complete_tx"
	FnTestWait       Function = "test_wait"
	FnTryWait        Function = "try_wait"
)

// Mode is how shfl finds a lane, what shf, bmsk and szext do with large amounts, and which bytes
// prmt takes.
type Mode string

// The modes.
const (
	ShuffleUp   Mode = "up"
	ShuffleDown Mode = "down"
	ShuffleBfly Mode = "bfly"
	ShuffleIdx  Mode = "idx"

	AmountClamp Mode = "clamp"
	AmountWrap  Mode = "wrap"

	PermuteF4E  Mode = "f4e"
	PermuteB4E  Mode = "b4e"
	PermuteRC8  Mode = "rc8"
	PermuteECL  Mode = "ecl"
	PermuteECR  Mode = "ecr"
	PermuteRC16 Mode = "rc16"
)

// Class is a class of floating-point numbers.
type Class string

// The classes.
const (
	Finite     Class = "finite"
	Infinite   Class = "infinite"
	Number     Class = "number"
	NotANumber Class = "notanumber"
	Normal     Class = "normal"
	Subnormal  Class = "subnormal"
)

// Query names the property that txq and suq read.
type Query string

// The queries.
const (
	QueryWidth  Query = "width"
	QueryHeight Query = "height"
	QueryDepth  Query = "depth"
	QueryLayers Query = "array_size"
)

// Clamp names the effect of an access outside a surface: "trap", "clamp" or "zero".
type Clamp string

// Field is a field of a tensor map, as tensormap.replace names it.
type Field string

// Selector names parts of a register, as video instructions write it without the dot: "b0", "h1",
// "b3210", "" for all of it.
type Selector string

// AttributesOf reads modifiers. It skips those that make no difference to the machine, such as hints
// for caches and .aligned.
func AttributesOf(mods ptx.Modifiers) (a Attributes) {
	for _, m := range mods {
		if read, ok := readers[m.Group]; ok {
			read(&a, m.Value)
		} else {
			a.Flags |= flags[m.Group]
		}
	}
	return a
}

// set sets a flag if a group has a value.
func set(flag Flags, value string) func(a *Attributes, v string) {
	return func(a *Attributes, v string) {
		if v == value {
			a.Flags |= flag
		}
	}
}

// matrix reads which matrix wmma loads or stores. D has the form of C.
func matrix(a *Attributes, v string) {
	if a.Matrix = v[0]; v == "d" {
		a.Matrix = 'c'
	}
}

// readers read the modifiers of groups.
var readers = map[string]func(a *Attributes, v string){
	"rnd":       rounding,
	"rna":       rounding,
	"cmp":       func(a *Attributes, v string) { a.Compare = Compare(v) },
	"bool":      func(a *Attributes, v string) { a.Combine = Combine(v) },
	"op":        func(a *Attributes, v string) { a.Fn = Function(v) },
	"expect_tx": func(a *Attributes, _ string) { a.Fn = FnArriveExpectTx },
	"mode":      func(a *Attributes, v string) { a.Mode = Mode(v) },
	"half":      set(High, "hi"),
	"dir":       set(Left, "l"),
	"kind":      func(a *Attributes, v string) { a.Class = Class(v) },
	"sem":       func(a *Attributes, v string) { a.Order = event.MemOrder(v) },
	"scope":     func(a *Attributes, v string) { a.Scope = event.Scope(v) },
	"level":     func(a *Attributes, v string) { a.Scope = levels[v] },
	"space":     set(SharedCluster, "shared::cluster"),

	"shape":  shape,
	"btype":  func(a *Attributes, v string) { a.BType = ptx.Type(v) },
	"ctype":  func(a *Attributes, v string) { a.CType = ptx.Type(v) },
	"layout": set(ByRows, "row"),
	"a":      matrix, "b": matrix, "c": matrix, "d": matrix,

	"dim":     dimensions,
	"channel": func(a *Attributes, v string) { a.Channel = map[string]int{"r": 0, "g": 1, "b": 2, "a": 3}[v] },
	"query":   func(a *Attributes, v string) { a.Query = Query(v) },
	"clamp":   func(a *Attributes, v string) { a.Clamp = Clamp(v) },
	"field":   func(a *Attributes, v string) { a.Field = Field(v) },

	"dsel":  func(a *Attributes, v string) { a.DSel = Selector(v) },
	"asel":  func(a *Attributes, v string) { a.ASel = Selector(v) },
	"bsel":  func(a *Attributes, v string) { a.BSel = Selector(v) },
	"op2":   func(a *Attributes, v string) { a.Second = Function(v) },
	"scale": func(a *Attributes, v string) { a.Scale = map[string]uint{"shr7": 7, "shr15": 15}[v] },
}

// levels are the scopes of membar.
var levels = map[string]event.Scope{"cta": event.CTA, "gl": event.GPU, "sys": event.System}

func rounding(a *Attributes, v string) {
	a.Rounding = softfloat.Roundings[v]
	if len(v) == len("rni") && v != "rna" {
		a.Flags |= Integral
	}
}

// shape reads "m16n8k16". It skips m8n8, the only shape of ldmatrix.
func shape(a *Attributes, v string) {
	var s tensor.Shape
	if n, _ := fmt.Sscanf(v, "m%dn%dk%d", &s.M, &s.N, &s.K); n == 3 {
		a.Shape = s
	}
}

// dimensions reads "2d", and of textures and surfaces also "a2d", "cube" and "acube".
func dimensions(a *Attributes, v string) {
	if v[0] == 'a' {
		a.Flags |= Layered
		v = v[1:]
	}
	if v == "cube" {
		a.Flags |= Cube
		a.Dims = 3
		return
	}
	a.Dims = int(v[0] - '0')
}

// flags are the flags by their modifiers.
var flags = map[string]Flags{
	"wide": Wide, "hi": High, "sat": Saturate, "satfinite": SatFinite, "relu": ReLU, "ftz": FTZ, "approx": Approx,
	"full": Full, "NaN": PropagateNaN, "xorsign": XorSign, "cc": CarryOut, "shiftamt": ShiftAmount, "pack": Pack,
	"add": Accumulate, "po": PlusOne,

	"volatile": Volatile, "proxy": Proxy, "tensormap::generic": TensorMapProxy, "mbarrier_init": InitsMbarrier,
	"parity": Parity, "cluster": OfCluster, "warp": OfWarp, "arrive": Arrives, "red": Reduces,
	"reduce": Reduces,

	"bulk": Bulk, "tensor": Tensor, "prefetch": Prefetch, "mbarrier": OnMbarrier, "noinc": NoInc,
	"commit_group": CommitGroup, "wait_group": WaitGroup, "wait_all": WaitAll, "read": Reads,
	"multicast::cluster": Multicast, "mbarrier::complete_tx::bytes": CompletesTx, "trans": Transposed, "mma": Multiplies,
	"fence": Fences,
}
