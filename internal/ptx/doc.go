// Package ptx reads, writes and checks PTX, NVIDIA's virtual assembly: the language of the PTX ISA
// manual (docs.nvidia.com/cuda/parallel-thread-execution). It knows nothing of Go kernels and
// nothing of execution. The compiler builds modules with it and the simulator decodes them.
//
// # Texts and trees
//
//	Parse(name, text)   text to *Module; every error at once, each with file, line, column and source line
//	(*Module).String    *Module to text; Parse of it gives an equal module, except Pos and Source
//	NewScope(m)         what the names of a module and of its functions denote
//	Decode(instr, …)    what an instruction's modifiers and operands mean, by the instruction table
//	Verify(m)           names, modifiers, operands, types, version and target
//	VerifyKnown(m)      the same of the instructions that the table has
//	MinVersion(m)       the lowest .version and .target
//
// The tree holds what the program means and the positions in the text. It drops comments (except
// three that our compiler writes), the radix of constants and empty statements. Nodes that the
// compiler builds have zero positions, and errors quote their printed form.
//
//	Module    .version, .target, .address_size, then Decls
//	Decl      *File  *Var  *Func  *Section  *Pragma
//	Stmt      *Instr  *Label  *Regs  *Var  *Loc  *Block  *Pragma  *BranchTargets  *CallTargets  *CallPrototype
//	Operand   Name     %r1  %tid.x  cache  $L__BB0_2  _
//	          Int      12  0x1F  -1  7U
//	          Float    0f3F800000  0d3FF0000000000000  1.5
//	          Addr     [%rd1+16]  [cache]
//	          Texel    [tex, {%f1, %f2}]
//	          Offset   cache+4  generic(cache)
//	          Vec      {%f1, %f2}
//	          List     (%r1, param0)      of a call; {1, 2} of an initial value
//	          Pair     %p1|%p2
//	          Not      !%p1
//	          Neg      -%r1, of vmad
//
// # Names
//
// A Name is resolved by a Scope: there is one for the module, in it one for each function, in that
// one for each nested block. Lookup knows register ranges (.reg .b32 %r<10>), components of vector
// registers (v.x), special registers, and numbers all registers of a function.
//
// # The instruction table
//
// One table (table.go) holds every form of every instruction: its modifiers in order, the types of
// its operands, which operands it writes, and the version and target that it needs. Decode reads an
// instruction by it:
//
//	setp.lt.and.f32 p, a, b, !q    Type F32, Mod("cmp") "lt", Mod("bool") "and", 4 operands, the first written
//	ld.global.nc.v4.f32 {…}, [a]   Type F32, Space GlobalSpace, Lanes 4, Has("nc")
//	cvt.rzi.s32.f64 r, d           Type S32, SrcType F64, Mod("rnd") "rzi"
//
// The groups of modifiers, by the names that Mod takes:
//
//	rnd     rn rz rm rp, and rni rzi rmi rpi      scope  cta cluster gpu sys
//	cmp     eq … ge, lo … hs, equ … geu, num nan  sem    sc relaxed acquire release acq_rel
//	bool    and or xor (set, setp, lop3)          space  global shared local const param, shared::cta …
//	half    lo hi (mul, mad)                      op     of atom, red, bar.red, vote, match, redux, mbarrier
//	mode    of shfl, shf, prmt, szext, bmsk       level  of membar (cta gl sys) and prefetch
//	kind    of testp and griddepcontrol           cop    cache operator of ld and st
//	dir     l r (shf)                             vec    v2 v4
//	T, U    the types                             hint   L2::cache_hint
//	shape   of mma, wmma, ldmatrix and stmatrix   btype  of mma of 8 bits
//	layout  of wmma: row col; alayout, blayout    ctype  of wmma: f16 f32
//	field   of tensormap.replace                  mip    level grad (tex)
//	count   of matrices: x1 x2 x4                 dim    1d … 5d of tensor copies, 1d … acube of textures
//	query   of txq and suq: width height …        clamp  of surfaces: trap clamp zero
//	channel of tld4: r g b a
//
// A modifier that is no group is a flag: Has("sat"), Has("ftz"), Has("wide"), Has("volatile"),
// Has("sync").
//
// The table covers what nvcc emits for ordinary CUDA C++: integer, floating-point, half-precision,
// conversion, comparison, logic and bit-field arithmetic, all state spaces, atomics, barriers,
// fences, shuffles, votes, calls, asynchronous copies, and the products of mma and wmma of most
// formats. Among the instructions on textures and surfaces it has those that take a handle from a
// register: tex, tld4, txq, suld.b, sust.b and suq. It leaves out reductions on surfaces (sured),
// formatted stores (sust.p), separate samplers, and the other matrix (tcgen05) and tensor
// instructions. To Verify they are unknown instructions.
//
// # Types
//
// A register fits an operand of equal size if both are integers, if either is of bits (.b32), or if
// the types are equal. A load may extend into a wider register, a store may take the low bits of
// one, and so may cvt at both ends. Integer constants are for integers and bits, floating-point
// constants for .f32, .f64 and bits of 32 and 64.
package ptx
