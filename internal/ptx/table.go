package ptx

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
)

// instructionTable is every instruction form that the verifier and the simulator know. A line is
//
//	op modifiers : operands @ version sm_N
//
// after the "Syntax" part of each instruction's section in the PTX ISA manual.
//
// Modifiers are written in their order. Another order is accepted if it is clear, as in ptxas. A
// word is the modifier itself. "rnd" and the other names of modifierGroups are one modifier of a
// group. "kind=a|b" is one of the modifiers written out, which Decoded.Mod("kind") returns. "T="
// and "U=" name the instruction's types. A '?' at the end makes it optional.
//
// Operands are separated by commas. One is a type (T, U, W for twice as wide as T, or a fundamental
// type), or one of
//
//	[a]      a memory address in the instruction's state space
//	[global] a memory address in that state space
//	[tensor] the address of a tensor map, and coordinates, as many as the group "dim" says
//	[texture] the handle of a texture, and coordinates, the layer before them
//	[surface] the handle of a surface, and coordinates, the layer before them
//	[handle] the handle of a texture or surface
//	slopes   how fast the coordinates of a texture change along an axis of the screen
//	label    a label            targets  a .branchtargets table
//	imm      an integer constant
//	call     the results, function and arguments of a call
//	source   what mov copies: a register, special register, constant, address, or a vector that is packed
//
// In video instructions a selector may follow a type: ".part" for a byte or half word, ".halves"
// and ".bytes" for several of two registers, ".hmask" and ".bmask" for what is written, ".neg" for
// a register that may be negated, and ".negpart" for both.
//
// with before it
//
//	>  the operand is written        ~  a register may be wider than the type
//	*  a vector when the instruction has .v2, .v4 or .v8
//
// and after it "{n}" for a vector of n elements whatever the modifiers are, "_" if the result may
// be thrown away, "%" if a special register is allowed, "|pred" for a second result, "|pred?" for a
// second result that may be omitted, "?" for an operand that may be omitted, "/bool" for one that
// is there if and only if the instruction has a modifier of the group "bool".
//
// Two lines may have the same modifiers if they differ in the number of operands, or in which
// operands are predicates.
//
// The version and target after '@' are written if the version is above 6.0, and modifierNeeds adds
// to them. They are from the manual's "PTX ISA Notes" and "Target ISA Notes", and ptxas confirms
// them (TestAgainstPtxas).
const instructionTable = `
# Integer arithmetic
add T=u16|u32|u64|s16|s64 : >T, T, T
add sat? T=s32 : >T, T, T
add T=u16x2|s16x2 : >T, T, T @ 8.0 sm_90
sub T=u16|u32|u64|s16|s64 : >T, T, T
sub sat? T=s32 : >T, T, T
mul half=lo|hi T=u16|u32|u64|s16|s32|s64 : >T, T, T
mul wide T=u16|u32|s16|s32 : >W, T, T
mad half=lo|hi T=u16|u32|u64|s16|s32|s64 : >T, T, T, T
mad hi sat T=s32 : >T, T, T, T
mad wide T=u16|u32|s16|s32 : >W, T, T, W
mul24 half=lo|hi T=u32|s32 : >T, T, T
mad24 half=lo|hi T=u32|s32 : >T, T, T, T
mad24 hi sat T=s32 : >T, T, T, T
sad T=u16|u32|u64|s16|s32|s64 : >T, T, T, T
div T=u16|u32|u64|s16|s32|s64 : >T, T, T
rem T=u16|u32|u64|s16|s32|s64 : >T, T, T
abs T=s16|s32|s64 : >T, T
neg T=s16|s32|s64 : >T, T
min T=u16|u32|u64|s16|s32|s64 : >T, T, T
min relu T=s32 : >T, T, T @ 8.0 sm_90
min T=u16x2 : >T, T, T @ 8.0 sm_90
min relu? T=s16x2 : >T, T, T @ 8.0 sm_90
max T=u16|u32|u64|s16|s32|s64 : >T, T, T
max relu T=s32 : >T, T, T @ 8.0 sm_90
max T=u16x2 : >T, T, T @ 8.0 sm_90
max relu? T=s16x2 : >T, T, T @ 8.0 sm_90
popc T=b32|b64 : >u32, T
clz T=b32|b64 : >u32, T
bfind shiftamt? T=u32|u64|s32|s64 : >u32, T
fns T=b32 : >b32, b32, b32, s32
brev T=b32|b64 : >T, T
bfe T=u32|u64|s32|s64 : >T, T, u32, u32
bfi T=b32|b64 : >T, T, T, u32, u32
szext mode=clamp|wrap T=u32|s32 : >T, T, u32 @ 7.6 sm_70
bmsk mode=clamp|wrap T=b32 : >T, u32, u32 @ 7.6 sm_70
dp4a T=u32|s32 U=u32|s32 : >u32, u32, u32, u32
dp2a half=lo|hi T=u32|s32 U=u32|s32 : >u32, u32, u32, u32

# Extended precision: CC.CF carries between them
add cc T=u32|s32|u64|s64 : >T, T, T
addc cc? T=u32|s32|u64|s64 : >T, T, T
sub cc T=u32|s32|u64|s64 : >T, T, T
subc cc? T=u32|s32|u64|s64 : >T, T, T
mad half=lo|hi cc T=u32|s32|u64|s64 : >T, T, T, T
madc half=lo|hi cc? T=u32|s32|u64|s64 : >T, T, T, T

# Floating point
testp kind=finite|infinite|number|notanumber|normal|subnormal T=f32|f64 : >pred, T
copysign T=f32|f64 : >T, T, T
add rnd? ftz? sat? T=f32 : >T, T, T
add rnd? T=f64 : >T, T, T
add rnd=rn? ftz? sat? T=f16|f16x2 : >T, T, T
add rnd=rn? T=bf16|bf16x2 : >T, T, T @ 7.8 sm_90
sub rnd? ftz? sat? T=f32 : >T, T, T
sub rnd? T=f64 : >T, T, T
sub rnd=rn? ftz? sat? T=f16|f16x2 : >T, T, T
sub rnd=rn? T=bf16|bf16x2 : >T, T, T @ 7.8 sm_90
mul rnd? ftz? sat? T=f32 : >T, T, T
mul rnd? T=f64 : >T, T, T
mul rnd=rn? ftz? sat? T=f16|f16x2 : >T, T, T
mul rnd=rn? T=bf16|bf16x2 : >T, T, T @ 7.8 sm_90
fma rnd ftz? sat? T=f32 : >T, T, T, T
fma rnd T=f64 : >T, T, T, T
fma rnd=rn ftz? sat? T=f16|f16x2 : >T, T, T, T
fma rnd=rn ftz? relu T=f16|f16x2 : >T, T, T, T @ 7.0 sm_80
fma rnd=rn relu? T=bf16|bf16x2 : >T, T, T, T @ 7.0 sm_80
mad rnd ftz? sat? T=f32 : >T, T, T, T
mad rnd T=f64 : >T, T, T, T
div approx ftz? T=f32 : >T, T, T
div full ftz? T=f32 : >T, T, T
div rnd ftz? T=f32 : >T, T, T
div rnd T=f64 : >T, T, T
abs ftz? T=f32 : >T, T
abs T=f64 : >T, T
abs ftz? T=f16|f16x2 : >T, T @ 6.5 sm_53
abs T=bf16|bf16x2 : >T, T @ 7.0 sm_80
neg ftz? T=f32 : >T, T
neg T=f64 : >T, T
neg ftz? T=f16|f16x2 : >T, T
neg T=bf16|bf16x2 : >T, T @ 7.0 sm_80
min ftz? T=f32 : >T, T, T
min ftz? NaN T=f32 : >T, T, T @ 7.0 sm_80
min ftz? NaN? xorsign abs T=f32 : >T, T, T @ 7.2 sm_86
min T=f64 : >T, T, T
min ftz? NaN? T=f16|f16x2 : >T, T, T @ 7.0 sm_80
min ftz? NaN? xorsign abs T=f16|f16x2 : >T, T, T @ 7.2 sm_86
min NaN? T=bf16|bf16x2 : >T, T, T @ 7.0 sm_80
min NaN? xorsign abs T=bf16|bf16x2 : >T, T, T @ 7.2 sm_86
max ftz? T=f32 : >T, T, T
max ftz? NaN T=f32 : >T, T, T @ 7.0 sm_80
max ftz? NaN? xorsign abs T=f32 : >T, T, T @ 7.2 sm_86
max T=f64 : >T, T, T
max ftz? NaN? T=f16|f16x2 : >T, T, T @ 7.0 sm_80
max ftz? NaN? xorsign abs T=f16|f16x2 : >T, T, T @ 7.2 sm_86
max NaN? T=bf16|bf16x2 : >T, T, T @ 7.0 sm_80
max NaN? xorsign abs T=bf16|bf16x2 : >T, T, T @ 7.2 sm_86
rcp approx ftz? T=f32 : >T, T
rcp approx ftz T=f64 : >T, T
rcp rnd ftz? T=f32 : >T, T
rcp rnd T=f64 : >T, T
sqrt approx ftz? T=f32 : >T, T
sqrt rnd ftz? T=f32 : >T, T
sqrt rnd T=f64 : >T, T
rsqrt approx ftz? T=f32 : >T, T
rsqrt approx ftz? T=f64 : >T, T
sin approx ftz? T=f32 : >T, T
cos approx ftz? T=f32 : >T, T
lg2 approx ftz? T=f32 : >T, T
ex2 approx ftz? T=f32 : >T, T
ex2 approx T=f16|f16x2 : >T, T @ 7.0 sm_75
ex2 approx ftz T=bf16|bf16x2 : >T, T @ 7.8 sm_90
tanh approx T=f32|f16|f16x2 : >T, T @ 7.0 sm_75
tanh approx T=bf16|bf16x2 : >T, T @ 7.8 sm_90

# Comparison and selection
set icmp bool? T=u32|s32|f32 U=u16|u32|u64|s16|s32|s64 : >T, U, U, pred/bool
set ucmp bool? T=u32|s32|f32 U=u16|u32|u64 : >T, U, U, pred/bool
set bcmp bool? T=u32|s32|f32 U=b16|b32|b64 : >T, U, U, pred/bool
set fcmp bool? ftz? T=u32|s32|f32 U=f32 : >T, U, U, pred/bool
set fcmp bool? T=u32|s32|f32 U=f64 : >T, U, U, pred/bool
set fcmp bool? ftz? T=f16 U=f16 : >T, U, U, pred/bool
set fcmp bool? ftz? T=u16|s16|u32|s32 U=f16 : >T, U, U, pred/bool @ 6.5 sm_53
set fcmp bool? ftz? T=f16x2 U=f16x2 : >T, U, U, pred/bool
set fcmp bool? ftz? T=u32|s32 U=f16x2 : >T, U, U, pred/bool @ 6.5 sm_53
set fcmp bool? T=bf16|u16|s16|u32|s32 U=bf16 : >T, U, U, pred/bool @ 7.8 sm_90
set fcmp bool? T=bf16x2|u32|s32 U=bf16x2 : >T, U, U, pred/bool @ 7.8 sm_90
setp icmp bool? T=u16|u32|u64|s16|s32|s64 : >pred_|pred?, T, T, pred/bool
setp ucmp bool? T=u16|u32|u64 : >pred_|pred?, T, T, pred/bool
setp bcmp bool? T=b16|b32|b64 : >pred_|pred?, T, T, pred/bool
setp fcmp bool? ftz? T=f32 : >pred_|pred?, T, T, pred/bool
setp fcmp bool? T=f64 : >pred_|pred?, T, T, pred/bool
setp fcmp bool? ftz? T=f16 : >pred_, T, T, pred/bool
setp fcmp bool? ftz? T=f16x2 : >pred_|pred?, T, T, pred/bool
setp fcmp bool? T=bf16 : >pred_, T, T, pred/bool @ 7.8 sm_90
setp fcmp bool? T=bf16x2 : >pred_|pred?, T, T, pred/bool @ 7.8 sm_90
selp T=b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64 : >T, T, T, pred
slct T=b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64 U=s32 : >T, T, T, U
slct ftz? T=b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64 U=f32 : >T, T, T, U

# Logic, shifts, bytes
and T=pred|b16|b32|b64 : >T, T, T
or T=pred|b16|b32|b64 : >T, T, T
xor T=pred|b16|b32|b64 : >T, T, T
not T=pred|b16|b32|b64 : >T, T
cnot T=b16|b32|b64 : >T, T
lop3 T=b32 : >T, T, T, T, imm
lop3 bool=and|or T=b32 : >T_|pred, T, T, T, imm, pred @ 8.2 sm_70
shf dir=l|r mode=clamp|wrap T=b32 : >T, T, T, u32
shl T=b16|b32|b64 : >T, T, u32
shr T=b16|b32|b64|u16|u32|u64|s16|s32|s64 : >T, T, u32
prmt T=b32 mode=f4e|b4e|rc8|ecl|ecr|rc16? : >T, T, T, T

# Video: of bytes and half words, which a selector behind a register names
vadd T=u32|s32 U=u32|s32 btype=u32|s32 sat? : >u32.part, u32.part, u32.part, u32?
vadd T=u32|s32 U=u32|s32 btype=u32|s32 sat? op2=add|min|max : >u32, u32.part, u32.part, u32
vsub T=u32|s32 U=u32|s32 btype=u32|s32 sat? : >u32.part, u32.part, u32.part, u32?
vsub T=u32|s32 U=u32|s32 btype=u32|s32 sat? op2=add|min|max : >u32, u32.part, u32.part, u32
vabsdiff T=u32|s32 U=u32|s32 btype=u32|s32 sat? : >u32.part, u32.part, u32.part, u32?
vabsdiff T=u32|s32 U=u32|s32 btype=u32|s32 sat? op2=add|min|max : >u32, u32.part, u32.part, u32
vmin T=u32|s32 U=u32|s32 btype=u32|s32 sat? : >u32.part, u32.part, u32.part, u32?
vmin T=u32|s32 U=u32|s32 btype=u32|s32 sat? op2=add|min|max : >u32, u32.part, u32.part, u32
vmax T=u32|s32 U=u32|s32 btype=u32|s32 sat? : >u32.part, u32.part, u32.part, u32?
vmax T=u32|s32 U=u32|s32 btype=u32|s32 sat? op2=add|min|max : >u32, u32.part, u32.part, u32
vshl T=u32|s32 U=u32|s32 btype=u32 sat? mode=clamp|wrap : >u32.part, u32.part, u32.part, u32?
vshl T=u32|s32 U=u32|s32 btype=u32 sat? mode=clamp|wrap op2=add|min|max : >u32, u32.part, u32.part, u32
vshr T=u32|s32 U=u32|s32 btype=u32 sat? mode=clamp|wrap : >u32.part, u32.part, u32.part, u32?
vshr T=u32|s32 U=u32|s32 btype=u32 sat? mode=clamp|wrap op2=add|min|max : >u32, u32.part, u32.part, u32
vmad T=u32|s32 U=u32|s32 btype=u32|s32 sat? scale=shr7|shr15? : >u32, u32.negpart, u32.negpart, u32.neg
vmad T=u32|s32 U=u32|s32 btype=u32|s32 po sat? scale=shr7|shr15? : >u32, u32.part, u32.part, u32
vset T=u32|s32 U=u32|s32 icmp : >u32.part, u32.part, u32.part, u32?
vset T=u32|s32 U=u32|s32 icmp op2=add|min|max : >u32, u32.part, u32.part, u32
vadd2 T=u32|s32 U=u32|s32 btype=u32|s32 sat? : >u32.hmask, u32.halves, u32.halves, u32
vadd2 T=u32|s32 U=u32|s32 btype=u32|s32 add : >u32.hmask, u32.halves, u32.halves, u32
vsub2 T=u32|s32 U=u32|s32 btype=u32|s32 sat? : >u32.hmask, u32.halves, u32.halves, u32
vsub2 T=u32|s32 U=u32|s32 btype=u32|s32 add : >u32.hmask, u32.halves, u32.halves, u32
vavrg2 T=u32|s32 U=u32|s32 btype=u32|s32 sat? : >u32.hmask, u32.halves, u32.halves, u32
vavrg2 T=u32|s32 U=u32|s32 btype=u32|s32 add : >u32.hmask, u32.halves, u32.halves, u32
vabsdiff2 T=u32|s32 U=u32|s32 btype=u32|s32 sat? : >u32.hmask, u32.halves, u32.halves, u32
vabsdiff2 T=u32|s32 U=u32|s32 btype=u32|s32 add : >u32.hmask, u32.halves, u32.halves, u32
vmin2 T=u32|s32 U=u32|s32 btype=u32|s32 sat? : >u32.hmask, u32.halves, u32.halves, u32
vmin2 T=u32|s32 U=u32|s32 btype=u32|s32 add : >u32.hmask, u32.halves, u32.halves, u32
vmax2 T=u32|s32 U=u32|s32 btype=u32|s32 sat? : >u32.hmask, u32.halves, u32.halves, u32
vmax2 T=u32|s32 U=u32|s32 btype=u32|s32 add : >u32.hmask, u32.halves, u32.halves, u32
vset2 T=u32|s32 U=u32|s32 icmp add? : >u32.hmask, u32.halves, u32.halves, u32
vadd4 T=u32|s32 U=u32|s32 btype=u32|s32 sat? : >u32.bmask, u32.bytes, u32.bytes, u32
vadd4 T=u32|s32 U=u32|s32 btype=u32|s32 add : >u32.bmask, u32.bytes, u32.bytes, u32
vsub4 T=u32|s32 U=u32|s32 btype=u32|s32 sat? : >u32.bmask, u32.bytes, u32.bytes, u32
vsub4 T=u32|s32 U=u32|s32 btype=u32|s32 add : >u32.bmask, u32.bytes, u32.bytes, u32
vavrg4 T=u32|s32 U=u32|s32 btype=u32|s32 sat? : >u32.bmask, u32.bytes, u32.bytes, u32
vavrg4 T=u32|s32 U=u32|s32 btype=u32|s32 add : >u32.bmask, u32.bytes, u32.bytes, u32
vabsdiff4 T=u32|s32 U=u32|s32 btype=u32|s32 sat? : >u32.bmask, u32.bytes, u32.bytes, u32
vabsdiff4 T=u32|s32 U=u32|s32 btype=u32|s32 add : >u32.bmask, u32.bytes, u32.bytes, u32
vmin4 T=u32|s32 U=u32|s32 btype=u32|s32 sat? : >u32.bmask, u32.bytes, u32.bytes, u32
vmin4 T=u32|s32 U=u32|s32 btype=u32|s32 add : >u32.bmask, u32.bytes, u32.bytes, u32
vmax4 T=u32|s32 U=u32|s32 btype=u32|s32 sat? : >u32.bmask, u32.bytes, u32.bytes, u32
vmax4 T=u32|s32 U=u32|s32 btype=u32|s32 add : >u32.bmask, u32.bytes, u32.bytes, u32
vset4 T=u32|s32 U=u32|s32 icmp add? : >u32.bmask, u32.bytes, u32.bytes, u32

# Data movement
mov T=pred|b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64 : >T, source
mov T=b128 : >T, source @ 8.3 sm_70
ld weak? ldspace? cop=ca|cg|cs|lu|cv? hint? l2size? vec? T=mem : >~*T, [a], b64/hint
ld weak? ldspace? l1evict hint? l2size? vec? T=mem : >~*T, [a], b64/hint
ld volatile space=global|shared|shared::cta|shared::cluster? l2size? vec? T=mem : >~*T, [a]
ld volatile space=local vec? T=mem : >~*T, [a] @ 9.1
ld sem=relaxed|acquire scope space=global|shared|shared::cta|shared::cluster? l1evict? hint? l2size? vec? T=mem : >~*T, [a], b64/hint
ld space=global cop=ca|cg|cs? nc hint? l2size? vec? T=mem : >~*T, [a], b64/hint
ld space=global nc l1evict hint? l2size? vec? T=mem : >~*T, [a], b64/hint
ldu space=global? vec? T=mem : >~*T, [a]
st weak? stspace? cop=wb|cg|cs|wt? hint? vec? T=mem : [a], ~*T, b64/hint
st weak? stspace? l1evict hint? vec? T=mem : [a], ~*T, b64/hint
st volatile space=global|shared|shared::cta|shared::cluster? vec? T=mem : [a], ~*T
st volatile space=local vec? T=mem : [a], ~*T @ 9.1
st sem=relaxed|release scope space=global|shared|shared::cta|shared::cluster? l1evict? hint? vec? T=mem : [a], ~*T, b64/hint
prefetch space=global|local? level=L1|L2 : [a]
prefetch space=global level=L2::evict_last|L2::evict_normal : [a] @ 7.4 sm_80
prefetch space=const|param? tensormap : [a] @ 8.0 sm_90
prefetchu level=L1 : [a]
applypriority space=global? L2::evict_normal : [a], imm @ 7.4 sm_80
discard space=global? L2 : [a], imm @ 7.4 sm_80
createpolicy fractional primary=L2::evict_last|L2::evict_first|L2::evict_normal|L2::evict_unchanged second=L2::evict_first|L2::evict_unchanged? T=b64 : >T, f32? @ 7.4 sm_80
isspacep space=global|local|shared|const : >pred, u64
isspacep space=shared::cta : >pred, u64
isspacep space=shared::cluster : >pred, u64
isspacep space=param : >pred, u64 @ 7.7 sm_70
cvta space=global|local|shared|const|shared::cta|shared::cluster T=u64|u32 : >T, source
cvta space=param T=u64|u32 : >T, source @ 7.7 sm_70
cvta to space=global|local|shared|const|shared::cta|shared::cluster T=u64|u32 : >T, source
cvta to space=param T=u64|u32 : >T, source @ 7.7 sm_70
mapa T=u32|u64 : >T, T, u32 @ 7.8 sm_90
mapa space=shared::cluster T=u32|u64 : >T, source, u32 @ 7.8 sm_90
getctarank space=shared::cluster? T=u32|u64 : >u32, T @ 7.8 sm_90
alloca T=u32|u64 : >T, T, imm? @ 7.3 sm_52
stacksave T=u32|u64 : >T @ 7.3 sm_52
stackrestore T=u32|u64 : T @ 7.3 sm_52

# Textures and surfaces, by a handle in a register
tex dim=1d|2d|3d|a1d|a2d vec=v4 T=u32|s32|f32 U=s32|f32 : >*T, [texture]
tex dim=cube|acube vec=v4 T=u32|s32|f32 U=f32 : >*T, [texture]
tex mip=level dim=1d|2d|3d|a1d|a2d|cube|acube vec=v4 T=u32|s32|f32 U=f32 : >*T, [texture], f32
tex mip=grad dim=1d|2d|3d|a1d|a2d|cube|acube vec=v4 T=u32|s32|f32 U=f32 : >*T, [texture], slopes, slopes
tld4 channel=r|g|b|a dim=2d|a2d|cube|acube vec=v4 T=u32|s32|f32 U=f32 : >*T, [texture]
txq query=width|height|depth|array_size T=b32 : >T, [handle]
suld b dim=1d|2d|3d|a1d|a2d cop=ca|cg|cs|cv? vec? T=b8|b16|b32|b64 clamp=trap|clamp|zero : >~*T, [surface]
sust b dim=1d|2d|3d|a1d|a2d cop=wb|cg|cs|wt? vec? T=b8|b16|b32|b64 clamp=trap|clamp|zero : [surface], ~*T
suq query=width|height|depth|array_size T=b32 : >T, [handle]

# Conversion
cvt sat? T=u8|u16|u32|u64|s8|s16|s32|s64 U=u8|u16|u32|u64|s8|s16|s32|s64 : >~T, ~U%
cvt irnd ftz? sat? T=u8|u16|u32|u64|s8|s16|s32|s64 U=f32 : >~T, ~U
cvt irnd sat? T=u8|u16|u32|u64|s8|s16|s32|s64 U=f64|f16 : >~T, ~U
cvt irnd T=u16|u32|u64|s16|s32|s64 U=bf16 : >~T, ~U @ 7.8 sm_90
cvt rnd ftz? sat? T=f32 U=u8|u16|u32|u64|s8|s16|s32|s64 : >~T, ~U%
cvt rnd sat? T=f16|f64 U=u8|u16|u32|u64|s8|s16|s32|s64 : >~T, ~U%
cvt rnd T=bf16 U=u16|u32|u64|s16|s32|s64 : >~T, ~U @ 7.8 sm_90
cvt rnd ftz? sat? T=f32 U=f64 : >~T, ~U
cvt rnd ftz? sat? T=f16 U=f32 : >~T, ~U
cvt rnd=rn|rz relu T=f16 U=f32 : >~T, ~U @ 7.0 sm_80
cvt rnd sat? T=f16 U=f64 : >~T, ~U
cvt rnd T=bf16 U=f32 : >~T, ~U @ 7.0 sm_80
cvt rnd=rn|rz relu T=bf16 U=f32 : >~T, ~U @ 7.0 sm_80
cvt rnd T=bf16 U=f64 : >~T, ~U @ 7.8 sm_90
cvt rnd? T=bf16 U=f16 : >~T, ~U @ 7.8 sm_90
cvt rnd? T=f16 U=bf16 : >~T, ~U @ 7.8 sm_90
cvt irnd? T=bf16 U=bf16 : >~T, ~U @ 7.8 sm_90
cvt ftz? sat? T=f64 U=f32 : >~T, ~U
cvt sat? T=f64 U=f16 : >~T, ~U
cvt ftz? sat? T=f32 U=f16 : >~T, ~U
cvt T=f32 U=bf16 : >~T, ~U @ 7.1 sm_80
cvt T=f64 U=bf16 : >~T, ~U @ 7.8 sm_90
cvt irnd? ftz? sat? T=f32 U=f32 : >~T, ~U
cvt irnd? sat? T=f64 U=f64 : >~T, ~U
cvt irnd? sat? T=f16 U=f16 : >~T, ~U
cvt rnd=rn|rz relu? T=f16x2|bf16x2 U=f32 : >T, U, U @ 7.0 sm_80
cvt rna T=tf32 U=f32 : >T, U @ 7.0 sm_80
cvt rnd=rn satfinite relu? T=e4m3x2|e5m2x2 U=f32 : >T, U, U @ 8.1 sm_89
cvt rnd=rn satfinite relu? T=e4m3x2|e5m2x2 U=f16x2 : >T, U @ 8.1 sm_89
cvt rnd=rn relu? T=f16x2 U=e4m3x2|e5m2x2 : >T, U @ 8.1 sm_89
cvt pack sat T=u16|s16 U=s32 : >b32, s32, s32 @ 6.5 sm_72
cvt pack sat T=u8|s8 U=s32 b32 : >b32, s32, s32, b32 @ 6.5 sm_72
cvt pack sat T=u4|s4|u2|s2 U=s32 b32 : >b32, s32, s32, b32 @ 6.5 sm_75

# Atomics
atom atsem? scope? atspace? op=and|or|xor|exch hint? T=b32|b64 : >T_, [a], T, b64/hint
atom atsem? scope? atspace? op=exch hint? T=b128 : >T_, [a], T, b64/hint @ 8.3 sm_90
atom atsem? scope? atspace? op=cas T=b32|b64 : >T_, [a], T, T
atom atsem? scope? atspace? op=cas T=b16 : >T_, [a], T, T @ 6.3 sm_70
atom atsem? scope? atspace? op=cas T=b128 : >T_, [a], T, T @ 8.3 sm_90
atom atsem? scope? atspace? op=add hint? T=u32|s32|u64|f32|f64 : >T_, [a], T, b64/hint
atom atsem? scope? atspace? op=inc|dec hint? T=u32 : >T_, [a], T, b64/hint
atom atsem? scope? atspace? op=min|max hint? T=u32|s32|u64|s64 : >T_, [a], T, b64/hint
atom atsem? scope? atspace? op=add noftz hint? T=f16x2 : >T_, [a], T, b64/hint @ 6.2 sm_60
atom atsem? scope? atspace? op=add noftz hint? T=f16 : >T_, [a], T, b64/hint @ 6.3 sm_70
atom atsem? scope? atspace? op=add noftz hint? T=bf16|bf16x2 : >T_, [a], T, b64/hint @ 7.8 sm_90
atom atsem? scope? space=global? op=add hint? vec T=f32 : >*T_, [a], *T, b64/hint @ 8.1 sm_90
atom atsem? scope? space=global? op=add|min|max noftz hint? vec=v2|v4|v8 T=f16|bf16 : >*T_, [a], *T, b64/hint @ 8.1 sm_90
atom atsem? scope? space=global? op=add|min|max noftz hint? vec T=f16x2|bf16x2 : >*T_, [a], *T, b64/hint @ 8.1 sm_90
red sem=relaxed|release? scope? atspace? op=and|or|xor hint? T=b32|b64 : [a], T, b64/hint
red sem=relaxed|release? scope? atspace? op=add hint? T=u32|s32|u64|f32|f64 : [a], T, b64/hint
red sem=relaxed|release? scope? atspace? op=inc|dec hint? T=u32 : [a], T, b64/hint
red sem=relaxed|release? scope? atspace? op=min|max hint? T=u32|s32|u64|s64 : [a], T, b64/hint
red sem=relaxed|release? scope? atspace? op=add noftz hint? T=f16x2 : [a], T, b64/hint @ 6.2 sm_60
red sem=relaxed|release? scope? atspace? op=add noftz hint? T=f16 : [a], T, b64/hint @ 6.3 sm_70
red sem=relaxed|release? scope? atspace? op=add noftz hint? T=bf16|bf16x2 : [a], T, b64/hint @ 7.8 sm_90
red sem=relaxed|release? scope? space=global? op=add hint? vec T=f32 : [a], *T, b64/hint @ 8.1 sm_90
red sem=relaxed|release? scope? space=global? op=add|min|max noftz hint? vec=v2|v4|v8 T=f16|bf16 : [a], *T, b64/hint @ 8.1 sm_90
red sem=relaxed|release? scope? space=global? op=add|min|max noftz hint? vec T=f16x2|bf16x2 : [a], *T, b64/hint @ 8.1 sm_90

# Barriers and fences
bar cta? sync : u32, u32?
bar cta? arrive : u32, u32
bar cta? red op=popc T=u32 : >u32, u32, pred
bar cta? red op=popc T=u32 : >u32, u32, u32, pred
bar cta? red op=and|or T=pred : >pred, u32, pred
bar cta? red op=and|or T=pred : >pred, u32, u32, pred
bar warp sync : u32
barrier cta? sync aligned? : u32, u32?
barrier cta? arrive aligned? : u32, u32
barrier cta? red op=popc aligned? T=u32 : >u32, u32, pred
barrier cta? red op=popc aligned? T=u32 : >u32, u32, u32, pred
barrier cta? red op=and|or aligned? T=pred : >pred, u32, pred
barrier cta? red op=and|or aligned? T=pred : >pred, u32, u32, pred
barrier cluster arrive aligned? : @ 7.8 sm_90
barrier cluster arrive sem=release|relaxed aligned? : @ 8.0 sm_90
barrier cluster wait aligned? : @ 7.8 sm_90
barrier cluster wait sem=acquire aligned? : @ 8.0 sm_90
membar level=cta|gl|sys :
membar proxy proxy=alias : @ 7.5 sm_70
fence sem=sc|acq_rel? scope :
fence proxy proxy=alias : @ 7.5 sm_70
fence proxy proxy=async space=global|shared::cta? : @ 8.0 sm_90
fence mbarrier_init sem=release scope=cluster : @ 8.0 sm_90
fence proxy tensormap::generic sem=release scope : @ 8.3 sm_90
fence proxy tensormap::generic sem=acquire scope : [a], imm @ 8.3 sm_90
griddepcontrol kind=wait|launch_dependents : @ 7.8 sm_90

# Warp-wide operations
shfl sync mode=up|down|bfly|idx T=b32 : >T|pred?, T, u32, u32, u32
shfl mode=up|down|bfly|idx T=b32 : >T|pred?, T, u32, u32
vote sync op=all|any|uni T=pred : >T, T, u32
vote sync op=ballot T=b32 : >T, pred, u32
vote op=all|any|uni T=pred : >T, T
vote op=ballot T=b32 : >T, pred
match op=any sync T=b32|b64 : >b32, T, u32
match op=all sync T=b32|b64 : >b32_|pred?, T, u32
activemask T=b32 : >T @ 6.2 sm_30
elect sync : >b32_|pred, u32 @ 8.0 sm_90
setmaxnreg op=inc|dec sync aligned T=u32 : imm @ 8.0 sm_90a
redux sync op=add|min|max T=u32|s32 : >T, T, u32 @ 7.0 sm_80
redux sync op=and|or|xor T=b32 : >u32, u32, u32 @ 7.0 sm_80

# Matrix products of a warp
mma sync aligned shape=m16n8k8 row col T=f32 U=f16 f16 f32 : >T{4}, f16x2{2}, f16x2{1}, T{4} @ 6.5 sm_75
mma sync aligned shape=m16n8k16 row col T=f32 U=f16 f16 f32 : >T{4}, f16x2{4}, f16x2{2}, T{4} @ 7.0 sm_80
mma sync aligned shape=m16n8k16 row col T=f16 U=f16 f16 f16 : >f16x2{2}, f16x2{4}, f16x2{2}, f16x2{2} @ 7.0 sm_80
mma sync aligned shape=m16n8k8 row col T=f32 U=bf16 bf16 f32 : >T{4}, b32{2}, b32{1}, T{4} @ 7.0 sm_80
mma sync aligned shape=m16n8k16 row col T=f32 U=bf16 bf16 f32 : >T{4}, b32{4}, b32{2}, T{4} @ 7.0 sm_80
mma sync aligned shape=m16n8k4 row col T=f32 U=tf32 tf32 f32 : >T{4}, b32{2}, b32{1}, T{4} @ 7.0 sm_80
mma sync aligned shape=m16n8k8 row col T=f32 U=tf32 tf32 f32 : >T{4}, b32{4}, b32{2}, T{4} @ 7.0 sm_80
mma sync aligned shape=m8n8k4 row col T=f64 U=f64 f64 f64 : >T{2}, T{1}, T{1}, T{2} @ 7.0 sm_80
mma sync aligned shape=m16n8k4 row col T=f64 U=f64 f64 f64 : >T{4}, T{2}, T{1}, T{4} @ 7.8 sm_90
mma sync aligned shape=m16n8k8 row col T=f64 U=f64 f64 f64 : >T{4}, T{4}, T{2}, T{4} @ 7.8 sm_90
mma sync aligned shape=m16n8k16 row col T=f64 U=f64 f64 f64 : >T{4}, T{8}, T{4}, T{4} @ 7.8 sm_90
mma sync aligned shape=m16n8k16 row col satfinite? T=s32 U=s8|u8 btype=s8|u8 s32 : >T{4}, b32{2}, b32{1}, T{4} @ 7.0 sm_80
mma sync aligned shape=m16n8k32 row col satfinite? T=s32 U=s8|u8 btype=s8|u8 s32 : >T{4}, b32{4}, b32{2}, T{4} @ 7.0 sm_80
mma sync aligned shape=m16n8k32 row col T=f32 U=e4m3|e5m2 btype=e4m3|e5m2 f32 : >T{4}, b32{4}, b32{2}, T{4} @ 8.4 sm_89
mma sync aligned shape=m16n8k32 row col T=f16 U=e4m3|e5m2 btype=e4m3|e5m2 f16 : >f16x2{2}, b32{4}, b32{2}, f16x2{2} @ 8.7 sm_89
mma sync aligned shape=m16n8k16 row col T=f32 U=e4m3|e5m2 btype=e4m3|e5m2 f32 : >T{4}, b32{2}, b32{1}, T{4} @ 8.7 sm_89
mma sync aligned shape=m16n8k16 row col T=f16 U=e4m3|e5m2 btype=e4m3|e5m2 f16 : >f16x2{2}, b32{2}, b32{1}, f16x2{2} @ 8.7 sm_89
mma sync aligned shape=m16n8k8 row col T=f16 U=f16 f16 f16 : >f16x2{2}, f16x2{2}, f16x2{1}, f16x2{2} @ 6.5 sm_75

# Matrices of a warp in shared memory
ldmatrix sync aligned shape=m8n8 count=x1 trans? mbspace? T=b16 : >b32{1}, [a] @ 6.5 sm_75
ldmatrix sync aligned shape=m8n8 count=x2 trans? mbspace? T=b16 : >b32{2}, [a] @ 6.5 sm_75
ldmatrix sync aligned shape=m8n8 count=x4 trans? mbspace? T=b16 : >b32{4}, [a] @ 6.5 sm_75
stmatrix sync aligned shape=m8n8 count=x1 trans? mbspace? T=b16 : [a], b32{1} @ 7.8 sm_90
stmatrix sync aligned shape=m8n8 count=x2 trans? mbspace? T=b16 : [a], b32{2} @ 7.8 sm_90
stmatrix sync aligned shape=m8n8 count=x4 trans? mbspace? T=b16 : [a], b32{4} @ 7.8 sm_90

# Matrices of a warp whose fragments only these instructions know
wmma load a sync aligned layout=row|col shape=m16n16k16|m8n32k16|m32n8k16 wmspace? T=f16 : >f16x2{8}, [a], u32? @ 6.3 sm_70
wmma load b sync aligned layout=row|col shape=m16n16k16|m8n32k16|m32n8k16 wmspace? T=f16 : >f16x2{8}, [a], u32? @ 6.3 sm_70
wmma load a sync aligned layout=row|col shape=m16n16k16 wmspace? T=bf16 : >b32{4}, [a], u32? @ 7.0 sm_80
wmma load b sync aligned layout=row|col shape=m16n16k16 wmspace? T=bf16 : >b32{4}, [a], u32? @ 7.0 sm_80
wmma load a sync aligned layout=row|col shape=m32n8k16 wmspace? T=bf16 : >b32{8}, [a], u32? @ 7.0 sm_80
wmma load b sync aligned layout=row|col shape=m32n8k16 wmspace? T=bf16 : >b32{2}, [a], u32? @ 7.0 sm_80
wmma load a sync aligned layout=row|col shape=m8n32k16 wmspace? T=bf16 : >b32{2}, [a], u32? @ 7.0 sm_80
wmma load b sync aligned layout=row|col shape=m8n32k16 wmspace? T=bf16 : >b32{8}, [a], u32? @ 7.0 sm_80
wmma load a sync aligned layout=row|col shape=m16n16k16 wmspace? T=s8|u8 : >b32{2}, [a], u32? @ 6.3 sm_72
wmma load b sync aligned layout=row|col shape=m16n16k16 wmspace? T=s8|u8 : >b32{2}, [a], u32? @ 6.3 sm_72
wmma load a sync aligned layout=row|col shape=m32n8k16 wmspace? T=s8|u8 : >b32{4}, [a], u32? @ 6.3 sm_72
wmma load b sync aligned layout=row|col shape=m32n8k16 wmspace? T=s8|u8 : >b32{1}, [a], u32? @ 6.3 sm_72
wmma load a sync aligned layout=row|col shape=m8n32k16 wmspace? T=s8|u8 : >b32{1}, [a], u32? @ 6.3 sm_72
wmma load b sync aligned layout=row|col shape=m8n32k16 wmspace? T=s8|u8 : >b32{4}, [a], u32? @ 6.3 sm_72
wmma load a sync aligned layout=row|col shape=m16n16k8 wmspace? T=tf32 : >b32{4}, [a], u32? @ 7.0 sm_80
wmma load b sync aligned layout=row|col shape=m16n16k8 wmspace? T=tf32 : >b32{4}, [a], u32? @ 7.0 sm_80
wmma load a sync aligned layout=row|col shape=m8n8k4 wmspace? T=f64 : >T{1}, [a], u32? @ 7.0 sm_80
wmma load b sync aligned layout=row|col shape=m8n8k4 wmspace? T=f64 : >T{1}, [a], u32? @ 7.0 sm_80
wmma load c sync aligned layout=row|col shape=m16n16k16|m8n32k16|m32n8k16 wmspace? T=f16 : >f16x2{4}, [a], u32? @ 6.3 sm_70
wmma store d sync aligned layout=row|col shape=m16n16k16|m8n32k16|m32n8k16 wmspace? T=f16 : [a], f16x2{4}, u32? @ 6.3 sm_70
wmma load c sync aligned layout=row|col shape=m16n16k16|m8n32k16|m32n8k16 wmspace? T=f32 : >T{8}, [a], u32? @ 6.3 sm_70
wmma store d sync aligned layout=row|col shape=m16n16k16|m8n32k16|m32n8k16 wmspace? T=f32 : [a], T{8}, u32? @ 6.3 sm_70
wmma load c sync aligned layout=row|col shape=m16n16k16|m8n32k16|m32n8k16 wmspace? T=s32 : >T{8}, [a], u32? @ 6.3 sm_72
wmma store d sync aligned layout=row|col shape=m16n16k16|m8n32k16|m32n8k16 wmspace? T=s32 : [a], T{8}, u32? @ 6.3 sm_72
wmma load c sync aligned layout=row|col shape=m16n16k8 wmspace? T=f32 : >T{8}, [a], u32? @ 7.0 sm_80
wmma store d sync aligned layout=row|col shape=m16n16k8 wmspace? T=f32 : [a], T{8}, u32? @ 7.0 sm_80
wmma load c sync aligned layout=row|col shape=m8n8k4 wmspace? T=f64 : >T{2}, [a], u32? @ 7.0 sm_80
wmma store d sync aligned layout=row|col shape=m8n8k4 wmspace? T=f64 : [a], T{2}, u32? @ 7.0 sm_80
wmma mma sync aligned alayout=row|col blayout=row|col shape=m16n16k16|m8n32k16|m32n8k16 T=f16 ctype=f16 : >f16x2{4}, f16x2{8}, f16x2{8}, f16x2{4} @ 6.3 sm_70
wmma mma sync aligned alayout=row|col blayout=row|col shape=m16n16k16|m8n32k16|m32n8k16 T=f16 ctype=f32 : >f16x2{4}, f16x2{8}, f16x2{8}, f32{8} @ 6.3 sm_70
wmma mma sync aligned alayout=row|col blayout=row|col shape=m16n16k16|m8n32k16|m32n8k16 T=f32 ctype=f16 : >f32{8}, f16x2{8}, f16x2{8}, f16x2{4} @ 6.3 sm_70
wmma mma sync aligned alayout=row|col blayout=row|col shape=m16n16k16|m8n32k16|m32n8k16 T=f32 ctype=f32 : >f32{8}, f16x2{8}, f16x2{8}, f32{8} @ 6.3 sm_70
wmma mma sync aligned alayout=row|col blayout=row|col shape=m16n16k16 T=f32 U=bf16 bf16 f32 : >T{8}, b32{4}, b32{4}, T{8} @ 7.0 sm_80
wmma mma sync aligned alayout=row|col blayout=row|col shape=m32n8k16 T=f32 U=bf16 bf16 f32 : >T{8}, b32{8}, b32{2}, T{8} @ 7.0 sm_80
wmma mma sync aligned alayout=row|col blayout=row|col shape=m8n32k16 T=f32 U=bf16 bf16 f32 : >T{8}, b32{2}, b32{8}, T{8} @ 7.0 sm_80
wmma mma sync aligned alayout=row|col blayout=row|col shape=m16n16k16 T=s32 U=s8 btype=s8 s32 satfinite? : >T{8}, b32{2}, b32{2}, T{8} @ 6.3 sm_72
wmma mma sync aligned alayout=row|col blayout=row|col shape=m16n16k16 T=s32 U=u8 btype=u8 s32 satfinite? : >T{8}, b32{2}, b32{2}, T{8} @ 6.3 sm_72
wmma mma sync aligned alayout=row|col blayout=row|col shape=m32n8k16 T=s32 U=s8 btype=s8 s32 satfinite? : >T{8}, b32{4}, b32{1}, T{8} @ 6.3 sm_72
wmma mma sync aligned alayout=row|col blayout=row|col shape=m32n8k16 T=s32 U=u8 btype=u8 s32 satfinite? : >T{8}, b32{4}, b32{1}, T{8} @ 6.3 sm_72
wmma mma sync aligned alayout=row|col blayout=row|col shape=m8n32k16 T=s32 U=s8 btype=s8 s32 satfinite? : >T{8}, b32{1}, b32{4}, T{8} @ 6.3 sm_72
wmma mma sync aligned alayout=row|col blayout=row|col shape=m8n32k16 T=s32 U=u8 btype=u8 s32 satfinite? : >T{8}, b32{1}, b32{4}, T{8} @ 6.3 sm_72
wmma mma sync aligned alayout=row|col blayout=row|col shape=m16n16k8 T=f32 U=tf32 tf32 f32 : >T{8}, b32{4}, b32{4}, T{8} @ 7.0 sm_80
wmma mma sync aligned alayout=row|col blayout=row|col shape=m8n8k4 T=f64 U=f64 f64 f64 rnd? : >T{2}, T{1}, T{1}, T{2} @ 7.0 sm_80

# Matrix products of a warpgroup
wgmma fence sync aligned : @ 8.0 sm_90a
wgmma commit_group sync aligned : @ 8.0 sm_90a
wgmma wait_group sync aligned : imm @ 8.0 sm_90a
wgmma mma_async sync aligned shape=wgk16 T=f32 U=f16 f16 : >T{n}, b64, b64, pred, imm, imm, imm, imm @ 8.0 sm_90a
wgmma mma_async sync aligned shape=wgk16 T=f32 U=f16 f16 : >T{n}, b32{4}, b64, pred, imm, imm, imm @ 8.0 sm_90a
wgmma mma_async sync aligned shape=wgk16 T=f16 U=f16 f16 : >f16x2{n}, b64, b64, pred, imm, imm, imm, imm @ 8.0 sm_90a
wgmma mma_async sync aligned shape=wgk16 T=f16 U=f16 f16 : >f16x2{n}, b32{4}, b64, pred, imm, imm, imm @ 8.0 sm_90a
wgmma mma_async sync aligned shape=wgk16 T=f32 U=bf16 bf16 : >T{n}, b64, b64, pred, imm, imm, imm, imm @ 8.0 sm_90a
wgmma mma_async sync aligned shape=wgk16 T=f32 U=bf16 bf16 : >T{n}, b32{4}, b64, pred, imm, imm, imm @ 8.0 sm_90a
wgmma mma_async sync aligned shape=wgk8 T=f32 U=tf32 tf32 : >T{n}, b64, b64, pred, imm, imm @ 8.0 sm_90a
wgmma mma_async sync aligned shape=wgk8 T=f32 U=tf32 tf32 : >T{n}, b32{4}, b64, pred, imm, imm @ 8.0 sm_90a
wgmma mma_async sync aligned shape=wgk32 T=f32 U=e4m3|e5m2 btype=e4m3|e5m2 : >T{n}, b64, b64, pred, imm, imm @ 8.0 sm_90a
wgmma mma_async sync aligned shape=wgk32 T=f32 U=e4m3|e5m2 btype=e4m3|e5m2 : >T{n}, b32{4}, b64, pred, imm, imm @ 8.0 sm_90a
wgmma mma_async sync aligned shape=wgk32 T=f16 U=e4m3|e5m2 btype=e4m3|e5m2 : >f16x2{n}, b64, b64, pred, imm, imm @ 8.0 sm_90a
wgmma mma_async sync aligned shape=wgk32 T=f16 U=e4m3|e5m2 btype=e4m3|e5m2 : >f16x2{n}, b32{4}, b64, pred, imm, imm @ 8.0 sm_90a
wgmma mma_async sync aligned shape=wgk32i satfinite? T=s32 U=s8 btype=s8 : >T{n}, b64, b64, pred @ 8.0 sm_90a
wgmma mma_async sync aligned shape=wgk32i satfinite? T=s32 U=u8 btype=u8 : >T{n}, b64, b64, pred @ 8.0 sm_90a
wgmma mma_async sync aligned shape=wgk32i satfinite? T=s32 U=s8 btype=u8 : >T{n}, b64, b64, pred @ 8.4 sm_90a
wgmma mma_async sync aligned shape=wgk32i satfinite? T=s32 U=u8 btype=s8 : >T{n}, b64, b64, pred @ 8.4 sm_90a
wgmma mma_async sync aligned shape=wgk32i satfinite? T=s32 U=s8 btype=s8 : >T{n}, b32{4}, b64, pred @ 8.0 sm_90a
wgmma mma_async sync aligned shape=wgk32i satfinite? T=s32 U=u8 btype=u8 : >T{n}, b32{4}, b64, pred @ 8.0 sm_90a
wgmma mma_async sync aligned shape=wgk32i satfinite? T=s32 U=s8 btype=u8 : >T{n}, b32{4}, b64, pred @ 8.4 sm_90a
wgmma mma_async sync aligned shape=wgk32i satfinite? T=s32 U=u8 btype=s8 : >T{n}, b32{4}, b64, pred @ 8.4 sm_90a

# Control flow
bra uni? : label
call uni? : call
brx idx uni? : u32, targets
ret uni? :
exit :
trap :
brkpt :
nanosleep T=u32 : T @ 6.3 sm_70
pmevent mask? : imm

# Asynchronous copies
cp async ca mbspace global hint? l2size? : [shared], [global], imm, u32?, b64/hint @ 7.0 sm_80
cp async ca mbspace global hint? l2size? : [shared], [global], imm, pred, b64/hint @ 7.5 sm_80
cp async cg mbspace global hint? l2size? : [shared], [global], imm, u32?, b64/hint @ 7.0 sm_80
cp async cg mbspace global hint? l2size? : [shared], [global], imm, pred, b64/hint @ 7.5 sm_80
cp async commit_group : @ 7.0 sm_80
cp async wait_group : imm @ 7.0 sm_80
cp async wait_all : @ 7.0 sm_80
cp async mbarrier arrive noinc? mbspace? T=b64 : [a] @ 7.0 sm_80
cp async bulk tensor dim shared::cluster global tile? mbarrier::complete_tx::bytes multicast::cluster? hint? : [shared], [tensor], [shared], u16/multicast::cluster, b64/hint @ 8.0 sm_90
cp async bulk tensor dim global shared::cta tile? bulk_group hint? : [tensor], [shared], b64/hint @ 8.0 sm_90
cp async bulk prefetch tensor dim L2 global tile? hint? : [tensor], b64/hint @ 8.0 sm_90
cp async bulk shared::cluster global mbarrier::complete_tx::bytes multicast::cluster? hint? : [shared], [global], u32, [shared], u16/multicast::cluster, b64/hint @ 8.0 sm_90
cp async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes : [shared], [shared], u32, [shared] @ 8.0 sm_90
cp async bulk global shared::cta bulk_group hint? : [global], [shared], u32, b64/hint @ 8.0 sm_90
cp async bulk prefetch L2 global hint? : [global], u32, b64/hint @ 8.0 sm_90
cp reduce async bulk global shared::cta bulk_group hint? op=and|or|xor T=b32|b64 : [global], [shared], u32, b64/hint @ 8.0 sm_90
cp reduce async bulk global shared::cta bulk_group hint? op=add T=u32|s32|u64|f32|f64 : [global], [shared], u32, b64/hint @ 8.0 sm_90
cp reduce async bulk global shared::cta bulk_group hint? op=add noftz T=f16|bf16 : [global], [shared], u32, b64/hint @ 8.0 sm_90
cp reduce async bulk global shared::cta bulk_group hint? op=min|max T=u32|s32|u64|s64|f16|bf16 : [global], [shared], u32, b64/hint @ 8.0 sm_90
cp reduce async bulk global shared::cta bulk_group hint? op=inc|dec T=u32 : [global], [shared], u32, b64/hint @ 8.0 sm_90
cp reduce async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes op=and|or|xor T=b32 : [shared], [shared], u32, [shared] @ 8.0 sm_90
cp reduce async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes op=add T=u32|s32|u64 : [shared], [shared], u32, [shared] @ 8.0 sm_90
cp reduce async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes op=min|max T=u32|s32 : [shared], [shared], u32, [shared] @ 8.0 sm_90
cp reduce async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes op=inc|dec T=u32 : [shared], [shared], u32, [shared] @ 8.0 sm_90
cp reduce async bulk tensor dim global shared::cta op=add|min|max|inc|dec|and|or|xor tile? bulk_group hint? : [tensor], [shared], b64/hint @ 8.0 sm_90
cp async bulk commit_group : @ 8.0 sm_90
cp async bulk wait_group read? : imm @ 8.0 sm_90
tensormap replace tile field=global_address tmspace? b1024 T=b64 : [a], T @ 8.3 sm_90a
tensormap replace tile field=rank tmspace? b1024 T=b32 : [a], T @ 8.3 sm_90a
tensormap replace tile field=box_dim|global_dim|element_stride tmspace? b1024 T=b32 : [a], imm, T @ 8.3 sm_90a
tensormap replace tile field=global_stride tmspace? b1024 T=b64 : [a], imm, T @ 8.3 sm_90a
tensormap replace tile field=elemtype|interleave_layout|swizzle_mode|fill_mode tmspace? b1024 T=b32 : [a], imm @ 8.3 sm_90a
tensormap cp_fenceproxy global shared::cta tensormap::generic sem=release scope sync aligned : [global], [shared], imm @ 8.3 sm_90
mbarrier op=init mbspace? T=b64 : [a], u32 @ 7.0 sm_80
mbarrier op=inval mbspace? T=b64 : [a] @ 7.0 sm_80
mbarrier op=arrive mbspace? T=b64 : >T_, [a] @ 7.0 sm_80
mbarrier op=arrive mbspace? T=b64 : >T_, [a], u32 @ 7.8 sm_90
mbarrier op=arrive sem=release scope=cta|cluster mbspace? T=b64 : >T_, [a] @ 8.0 sm_80
mbarrier op=arrive sem=release scope=cta|cluster mbspace? T=b64 : >T_, [a], u32 @ 8.0 sm_90
mbarrier op=arrive space=shared::cluster T=b64 : >T_, [a], u32? @ 8.0 sm_90
mbarrier op=arrive sem=release scope=cta|cluster space=shared::cluster T=b64 : >T_, [a], u32? @ 8.0 sm_90
mbarrier op=arrive noComplete mbspace? T=b64 : >T_, [a], u32 @ 7.0 sm_80
mbarrier op=arrive_drop mbspace? T=b64 : >T_, [a] @ 7.0 sm_80
mbarrier op=arrive_drop mbspace? T=b64 : >T_, [a], u32 @ 7.8 sm_90
mbarrier op=arrive_drop sem=release scope=cta|cluster mbspace? T=b64 : >T_, [a] @ 8.0 sm_80
mbarrier op=arrive_drop sem=release scope=cta|cluster mbspace? T=b64 : >T_, [a], u32 @ 8.0 sm_90
mbarrier op=arrive_drop space=shared::cluster T=b64 : >T_, [a], u32? @ 8.0 sm_90
mbarrier op=arrive_drop sem=release scope=cta|cluster space=shared::cluster T=b64 : >T_, [a], u32? @ 8.0 sm_90
mbarrier op=arrive expect_tx mbspace? T=b64 : >T_, [a], u32 @ 8.0 sm_90
mbarrier op=arrive expect_tx sem=release scope=cta|cluster mbspace? T=b64 : >T_, [a], u32 @ 8.0 sm_90
mbarrier op=arrive expect_tx space=shared::cluster T=b64 : >T_, [a], u32 @ 8.0 sm_90
mbarrier op=arrive expect_tx sem=release scope=cta|cluster space=shared::cluster T=b64 : >T_, [a], u32 @ 8.0 sm_90
mbarrier op=expect_tx|complete_tx txspace? T=b64 : [a], u32 @ 8.0 sm_90
mbarrier op=expect_tx|complete_tx sem=relaxed scope=cta|cluster txspace? T=b64 : [a], u32 @ 8.0 sm_90
mbarrier op=test_wait mbspace? T=b64 : >pred, [a], T @ 7.0 sm_80
mbarrier op=test_wait parity mbspace? T=b64 : >pred, [a], u32 @ 7.1 sm_80
mbarrier op=test_wait sem=acquire scope=cta|cluster mbspace? T=b64 : >pred, [a], T @ 8.0 sm_80
mbarrier op=test_wait parity sem=acquire scope=cta|cluster mbspace? T=b64 : >pred, [a], u32 @ 8.0 sm_80
mbarrier op=try_wait mbspace? T=b64 : >pred, [a], T, u32? @ 7.8 sm_90
mbarrier op=try_wait parity mbspace? T=b64 : >pred, [a], u32, u32? @ 7.8 sm_90
mbarrier op=try_wait sem=acquire scope=cta|cluster mbspace? T=b64 : >pred, [a], T, u32? @ 8.0 sm_90
mbarrier op=try_wait parity sem=acquire scope=cta|cluster mbspace? T=b64 : >pred, [a], u32, u32? @ 8.0 sm_90
`

// modifierGroups are the groups of modifiers that several instructions share.
var modifierGroups = map[string]string{
	"rnd":     "rn|rz|rm|rp",     // of floating-point results
	"irnd":    "rni|rzi|rmi|rpi", // to integral values
	"icmp":    "eq|ne|lt|le|gt|ge",
	"ucmp":    "lo|ls|hi|hs",
	"bcmp":    "eq|ne",
	"fcmp":    "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan",
	"bool":    "and|or|xor",
	"vec":     "v2|v4",
	"scope":   "cta|cluster|gpu|sys",
	"atsem":   "relaxed|acquire|release|acq_rel",
	"atspace": "global|shared|shared::cta|shared::cluster",
	"ldspace": "global|const|local|param|param::entry|param::func|shared|shared::cta|shared::cluster",
	"stspace": "global|local|param|param::func|shared|shared::cta|shared::cluster",
	"mbspace": "shared|shared::cta",
	"txspace": "shared|shared::cta|shared::cluster",
	"wmspace": "global|shared|shared::cta",
	"tmspace": "global|shared::cta",
	"dim":     "1d|2d|3d|4d|5d",
	"l1evict": "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate",
	"hint":    "L2::cache_hint",
	"l2size":  "L2::64B|L2::128B|L2::256B",
	"wgk8":    warpgroupShapes(8, 8),
	"wgk16":   warpgroupShapes(16, 8),
	"wgk32":   warpgroupShapes(32, 8),
	"wgk32i":  warpgroupShapes(32, 16),
	"mem":     "b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64",
}

// groupNames maps groups that differ only in their values to the one name that Mod takes.
var groupNames = map[string]string{
	"irnd": "rnd", "icmp": "cmp", "ucmp": "cmp", "bcmp": "cmp", "fcmp": "cmp",
	"atsem": "sem", "atspace": "space", "ldspace": "space", "stspace": "space", "mbspace": "space", "txspace": "space",
	"wmspace": "space", "tmspace": "space",
}

// modifierNeeds are the versions and targets that a modifier needs in every instruction. A key with
// a '=' is a value of a group only.
var modifierNeeds = map[string]Needs{
	"cta=cta":             {Version: Version{7, 8}}, // bar.cta, which is bar; not the scope
	"L1::evict_normal":    {Version{7, 4}, abi.Target{SM: 70}},
	"L1::evict_unchanged": {Version{7, 4}, abi.Target{SM: 70}},
	"L1::evict_first":     {Version{7, 4}, abi.Target{SM: 70}},
	"L1::evict_last":      {Version{7, 4}, abi.Target{SM: 70}},
	"L1::no_allocate":     {Version{7, 4}, abi.Target{SM: 70}},
	"cluster":             {Version{7, 8}, abi.Target{SM: 90}},
	"shared::cta":         {Version: Version{7, 8}},
	"shared::cluster":     {Version{7, 8}, abi.Target{SM: 90}},
	"param::entry":        {Version: Version{8, 3}},
	"param::func":         {Version: Version{8, 3}},
	"L2::cache_hint":      {Version{7, 4}, abi.Target{SM: 80}},
	"L2::64B":             {Version{7, 4}, abi.Target{SM: 75}},
	"L2::128B":            {Version{7, 4}, abi.Target{SM: 75}},
	"L2::256B":            {Version{7, 4}, abi.Target{SM: 80}},
	"b128":                {Version{8, 3}, abi.Target{SM: 70}},
}

// warpgroupShapes are the shapes of wgmma in which A has k columns. From 32 columns on, the number
// of columns of B is a multiple of step.
func warpgroupShapes(k, step int) string {
	var list []string
	for n := 8; n <= 256; n += 8 {
		if n <= 32 || n%step == 0 {
			list = append(list, fmt.Sprintf("m64n%dk%d", n, k))
		}
	}
	return strings.Join(list, "|")
}
