package ptx

import (
	"math"

	"github.com/gridstride/gridstride/internal/abi"
)

// Pos is a position in PTX text. The zero Pos means the node was built, not parsed. Positions do
// not take part in the equality of modules.
type Pos struct {
	Line, Col int
}

// Module is one PTX module: the three header directives and the module-scope declarations in order.
// Empty lists are nil in a module that was parsed, except lists of operands.
type Module struct {
	Version     Version
	Target      []string // ".target sm_70, texmode_independent" is {"sm_70", "texmode_independent"}
	AddressSize int      // 32 or 64
	Decls       []Decl
	// Source is the text the module was parsed from, zero for a module that was built.
	Source Source
}

// Version is a PTX ISA version, as in ".version 7.0".
type Version struct {
	Major, Minor int
}

// Decl is a module-scope declaration: *File, *Var, *Func, *Section or *Pragma.
type Decl interface{ decl() }

// Stmt is a statement of a function body: *Instr, *Label, *Regs, *Var, *Loc, *Block, *Pragma,
// *BranchTargets, *CallTargets or *CallPrototype.
type Stmt interface{ stmt() }

// File binds a number to the name of a source file: ".file 1 "dot.go"".
type File struct {
	Pos   Pos
	Index int
	Name  string
	Time  uint64 // modification time and size; both zero when absent
	Size  uint64
}

// Loc gives the source line of the instructions after it: ".loc 1 24 2". Inlined code names the
// function and the position it was inlined at: ".loc 1 7 2, function_name $L__info_string0,
// inlined_at 1 24 3". Without a name the position is a comment, ".loc 1 7 2 // inlined_at 1 24 3",
// which any version of PTX accepts.
type Loc struct {
	Pos             Pos
	File, Line, Col int
	Function        string // label in a .debug_str section, "" for none
	FunctionOffset  int64
	InlinedAt       *Loc
}

// Linkage is how a declaration is seen from other modules.
type Linkage string

// The linking directives. The zero Linkage is local to the module.
const (
	Local   Linkage = ""
	Extern  Linkage = "extern"
	Visible Linkage = "visible"
	Weak    Linkage = "weak"
	Common  Linkage = "common"
)

// Space is a PTX state space, written without its dot.
type Space string

// The state spaces.
const (
	RegSpace    Space = "reg"
	GlobalSpace Space = "global"
	SharedSpace Space = "shared"
	LocalSpace  Space = "local"
	ParamSpace  Space = "param"
	ConstSpace  Space = "const"
	// GenericSpace is the space of an access without a state space suffix.
	GenericSpace Space = ""
)

// Type is a PTX fundamental type, written without its dot: "u32", "f64", "pred", "b8".
type Type string

// The fundamental types that registers and variables have.
const (
	Pred  Type = "pred"
	B8    Type = "b8"
	B16   Type = "b16"
	B32   Type = "b32"
	B64   Type = "b64"
	B128  Type = "b128"
	U8    Type = "u8"
	U16   Type = "u16"
	U32   Type = "u32"
	U64   Type = "u64"
	S8    Type = "s8"
	S16   Type = "s16"
	S32   Type = "s32"
	S64   Type = "s64"
	F16   Type = "f16"
	F16x2 Type = "f16x2"
	F32   Type = "f32"
	F64   Type = "f64"
)

// Types that only instructions have. Their values are held in .b16 and .b32 registers.
const (
	BF16   Type = "bf16"
	BF16x2 Type = "bf16x2"
	TF32   Type = "tf32"
	U16x2  Type = "u16x2"
	S16x2  Type = "s16x2"
	E4M3   Type = "e4m3"
	E4M3x2 Type = "e4m3x2"
	E5M2   Type = "e5m2"
	E5M2x2 Type = "e5m2x2"

	// Of cvt.pack alone: no register has them, and Bits is 0.
	U4 Type = "u4"
	S4 Type = "s4"
	U2 Type = "u2"
	S2 Type = "s2"
)

// Var declares a variable outside the register space, at module scope, in a function body or as a
// parameter: ".shared .align 4 .f32 cache[256]", ".param .u64 a", ".visible .const .align 8 .b8
// table[2][3] = {{1, 2, 3}, {4, 5, 6}}".
type Var struct {
	Pos     Pos
	Linkage Linkage
	Space   Space
	Align   int // 0 when not written: natural alignment of Type
	Vector  int // 2 or 4 for .v2 and .v4, else 0
	Type    Type
	Name    string
	Dims    []int // array dimensions; a first dimension of -1 is written "[]" (extern shared memory)
	// Ptr is the parameter attribute ".ptr .global .align 4", or nil.
	Ptr *PtrAttr
	// Init is the initialiser, nil when absent: an Int, Float, Name or Offset, or a nested List.
	Init Operand
	// Attributes are ".attribute(…)" contents, as written.
	Attributes []string
	// Part says which part of dynamic shared memory an extern array in shared memory is. It is nil
	// if no comment says so.
	Part *SharedPart
	// Shape is the Go type of a variable in shared memory, and of what a kernel's parameter points
	// to; nil when no comment says it. ".shared .align 16 .b32 tile[627]; // type [19][33]int32".
	Shape *abi.Shape
}

// SharedPart is a part of dynamic shared memory that is one variable of a kernel. PTX cannot
// express it, so it is written as a comment: ".extern .shared .align 128 .b8 K_tile[]; // part of K
// 65536 bytes at 0 as tile".
type SharedPart struct {
	Kernel       string
	Size, Offset int
	Name         string // of the variable in the source
}

// PtrAttr is the ".ptr" attribute of a kernel parameter.
type PtrAttr struct {
	Space Space
	Align int
}

// Func is a kernel (".entry") or a device function (".func"). A prototype has a nil Body.
type Func struct {
	Pos     Pos
	Linkage Linkage
	Entry   bool
	Name    string
	Results []*Var // return parameters of a .func; a register parameter has Space RegSpace
	Params  []*Var
	NoRet   bool // ".noreturn"
	// Perf are the performance-tuning and other directives between the parameters and the body:
	// ".maxntid 256, 1, 1" is {Name: "maxntid", Args: {256, 1, 1}}.
	Perf []Directive
	Body *Block
	// Variables are the variables of the source by the register that holds them: what the compiler that
	// made the function knows. The text of a module does not have them.
	Variables map[string]string
	// Footprint is what the function takes of a multiprocessor, by the compiler that made the function.
	// A module that was parsed does not have it.
	Footprint Footprint
}

// Footprint is what a thread of a kernel, or a block, takes of a multiprocessor.
type Footprint struct {
	Live   int // registers of 32 bits that are needed at once, besides a warp's own
	Local  int // bytes of local memory of a thread
	Shared int // bytes of shared memory of a block whose size the kernel fixes
}

// Directive is a numeric directive of a function, such as ".maxntid 256, 1, 1" or ".reqntid 128".
type Directive struct {
	Name string // without its dot
	Args []int
}

// Section is a debug section, kept as its text: nothing here interprets DWARF.
type Section struct {
	Pos  Pos
	Name string
	// Lines are the lines between the braces, trimmed. A Loc.Function names a label among them.
	Lines []string
}

// Block is a braced list of statements with its own scope of names.
type Block struct {
	Pos   Pos
	Stmts []Stmt
}

// Label marks an instruction to branch to: "$L__BB0_2:".
type Label struct {
	Pos  Pos
	Name string
}

// Regs declares registers: ".reg .f32 %f<9>" declares %f0 to %f8 (Count 9), and ".reg .pred p, q"
// has Count 0.
type Regs struct {
	Pos    Pos
	Type   Type
	Vector int // 2 or 4, else 0
	Names  []string
	Count  int
}

// Pragma is ".pragma "nounroll";" at module, function or statement scope.
type Pragma struct {
	Pos  Pos
	Text []string
}

// BranchTargets is "ts: .branchtargets L1, L2;", the table of a brx.idx.
type BranchTargets struct {
	Pos    Pos
	Name   string
	Labels []string
}

// CallTargets is "ts: .calltargets f, g;".
type CallTargets struct {
	Pos   Pos
	Name  string
	Funcs []string
}

// CallPrototype is "p: .callprototype (.param .b32 _) _ (.param .b64 _);", the signature of an
// indirect call.
type CallPrototype struct {
	Pos     Pos
	Name    string
	Results []*Var
	Params  []*Var
	NoRet   bool
}

// Instr is one instruction: "@%p1 ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16];" is
// Guard {%p1}, Op "ld", Mods {"global", "v4", "f32"} and two Args.
type Instr struct {
	Pos   Pos
	Guard *Guard
	Op    string   // the opcode's first part: "ld", "mad", "bar"
	Mods  []string // the rest of the opcode, without dots, in order; "shared::cta" is one
	Args  []Operand
	// Byte is the register with the address of the one byte that a compare-and-swap of a word is
	// meant for, or "" if it is meant for the word. PTX has no atomics on bytes, so the register is
	// named in a comment: "atom.global.cas.b32 %r3, [%rd2], %r1, %r2; // byte at %rd1".
	Byte string
}

// Guard is the predicate of an instruction: "@%p1" or "@!%p1".
type Guard struct {
	Reg string
	Not bool
}

// Operand is Name, Int, Float, Addr, Texel, Vec, List, Pair, Not, Neg or Offset.
type Operand interface{ operand() }

// Name is an identifier: a register, a special register ("%tid.x"), a variable, a label, a function
// or "_". Its scope tells which: see Scope.
type Name string

// Int is an integer constant. Its 64 bits are two's complement. Unsigned records a "U" suffix or a
// value above the range of s64, which decides how a constant expression would be evaluated, never
// how it is stored.
type Int struct {
	Bits     uint64
	Unsigned bool
}

// Float is a floating-point constant. Single constants are written 0fXXXXXXXX, double constants
// 0dXXXXXXXXXXXXXXXX. A decimal constant parses as a double.
type Float struct {
	Bits   uint64 // IEEE 754 bits; the low 32 when Single
	Single bool
}

// As is the bits of the constant as a value of type t; types of bits take it as it is written.
func (f Float) As(t Type) uint64 {
	switch {
	case f.Single && t.Bits() == 64:
		return math.Float64bits(float64(math.Float32frombits(uint32(f.Bits))))
	case !f.Single && t.Bits() == 32:
		return uint64(math.Float32bits(float32(math.Float64frombits(f.Bits))))
	}
	return f.Bits
}

// Addr is a bracketed address: "[%rd1+16]", "[cache]", "[cache+4]", "[%r1]", "[4096]". If Base is
// an Int, there is no Offset.
type Addr struct {
	Base   Operand // Name or Int
	Offset int64
}

// Texel is a bracketed list: a texture, a surface or a tensor map, perhaps a sampler, and
// coordinates: "[tex, {%f1, %f2}]". In the table only copies of tensors have one.
type Texel []Operand

// Offset is a variable's address plus a constant outside brackets, such as "cache+4". In
// initialisers it may also be "generic(x)".
type Offset struct {
	Name    string
	Offset  int64
	Generic bool
}

// Vec is a vector operand: "{%f1, %f2}". A nested vector is an element that is a Vec.
type Vec []Operand

// List is a parenthesised list, such as the results and arguments of a call, or a braced
// initialiser.
type List []Operand

// Pair is two destinations: "%p1|%p2" of setp, "%r1|%p1" of shfl.sync.
type Pair struct {
	First, Second Operand
}

// Not is a negated predicate operand: "!%p1".
type Not struct {
	Reg string
}

func (*File) decl()    {}
func (*Var) decl()     {}
func (*Func) decl()    {}
func (*Section) decl() {}
func (*Pragma) decl()  {}

func (*Instr) stmt()         {}
func (*Label) stmt()         {}
func (*Regs) stmt()          {}
func (*Var) stmt()           {}
func (*Loc) stmt()           {}
func (*Block) stmt()         {}
func (*Pragma) stmt()        {}
func (*BranchTargets) stmt() {}
func (*CallTargets) stmt()   {}
func (*CallPrototype) stmt() {}

func (Name) operand()   {}
func (Int) operand()    {}
func (Float) operand()  {}
func (Addr) operand()   {}
func (Texel) operand()  {}
func (Offset) operand() {}
func (Vec) operand()    {}
func (List) operand()   {}
func (Pair) operand()   {}
func (Not) operand()    {}
