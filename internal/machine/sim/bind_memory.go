package sim

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/ptx"
)

// accessors are the execs for one combination of register width, memory type and address width.
type accessors struct {
	load, loadVector, loadLocal, store, storeVector, storeLocal exec
}

func accessorsOf[R, T, A interface{ lanes.Word | element }]() accessors {
	return accessors{
		load[R, T, A], loadVector[R, T, A], loadLocal[R, T, A], store[R, T, A], storeVector[R, T, A],
		storeLocal[R, T, A],
	}
}

// accessKey selects accessors: bits of the register slot, memory type by its integer name, 32-bit
// address register.
type accessKey struct {
	bits   int
	t      ptx.Type
	addr32 bool
}

var accessTable = map[accessKey]accessors{
	{32, ptx.U8, false}: accessorsOf[uint32, uint8, uint64](), {32, ptx.U8, true}: accessorsOf[uint32, uint8, uint32](),
	{32, ptx.S8, false}: accessorsOf[uint32, int8, uint64](), {32, ptx.S8, true}: accessorsOf[uint32, int8, uint32](),
	{32, ptx.U16, false}: accessorsOf[uint32, uint16, uint64](),
	{32, ptx.U16, true}:  accessorsOf[uint32, uint16, uint32](),
	{32, ptx.S16, false}: accessorsOf[uint32, int16, uint64](),
	{32, ptx.S16, true}:  accessorsOf[uint32, int16, uint32](),
	{32, ptx.U32, false}: accessorsOf[uint32, uint32, uint64](),
	{32, ptx.U32, true}:  accessorsOf[uint32, uint32, uint32](),
	{64, ptx.U8, false}:  accessorsOf[uint64, uint8, uint64](),
	{64, ptx.U8, true}:   accessorsOf[uint64, uint8, uint32](),
	{64, ptx.S8, false}:  accessorsOf[uint64, int8, uint64](), {64, ptx.S8, true}: accessorsOf[uint64, int8, uint32](),
	{64, ptx.U16, false}: accessorsOf[uint64, uint16, uint64](),
	{64, ptx.U16, true}:  accessorsOf[uint64, uint16, uint32](),
	{64, ptx.S16, false}: accessorsOf[uint64, int16, uint64](),
	{64, ptx.S16, true}:  accessorsOf[uint64, int16, uint32](),
	{64, ptx.U32, false}: accessorsOf[uint64, uint32, uint64](),
	{64, ptx.U32, true}:  accessorsOf[uint64, uint32, uint32](),
	{64, ptx.S32, false}: accessorsOf[uint64, int32, uint64](),
	{64, ptx.S32, true}:  accessorsOf[uint64, int32, uint32](),
	{64, ptx.U64, false}: accessorsOf[uint64, uint64, uint64](),
	{64, ptx.U64, true}:  accessorsOf[uint64, uint64, uint32](),
}

// rows are the execs with a short way for consecutive elements, by register width and address
// width.
var rows = map[accessKey][2]exec{
	{bits: 32}:               {loadRow[uint32, uint64], storeRow[uint32, uint64]},
	{bits: 32, addr32: true}: {loadRow[uint32, uint32], storeRow[uint32, uint32]},
	{bits: 64}:               {loadRow[uint64, uint64], storeRow[uint64, uint64]},
	{bits: 64, addr32: true}: {loadRow[uint64, uint32], storeRow[uint64, uint32]},
}

// memoryType is the integer type under whose name a type's accessors are found.
func memoryType(t ptx.Type, bits int) ptx.Type {
	switch t {
	case ptx.B8:
		return ptx.U8
	case ptx.B16, ptx.F16, ptx.BF16:
		return ptx.U16
	case ptx.B32, ptx.F32:
		return ptx.U32
	case ptx.S32:
		if bits == 32 {
			return ptx.U32
		}
	case ptx.B64, ptx.F64, ptx.S64, ptx.B128:
		return ptx.U64
	}
	return t
}

// vector binds an access of one register or of several.
func (b *binder) vector(kind event.AccessKind, regs []code.Slot, to *inst) *memOp {
	op := b.access(kind, b.in.Mem[0], min(b.in.Type.Bytes(), 8), len(regs), to)
	op.wide = regs[0].Bits >= 64
	for _, r := range regs {
		op.regs = append(op.regs, r.Off)
	}
	return op
}

// accessors finds the accessors of a type in memory for registers of one width.
func (b *binder) accessors(op *memOp, t ptx.Type, bits int) accessors {
	a, ok := accessTable[accessKey{bits, memoryType(t, bits), op.addr32}]
	if !ok {
		b.fail("no access of .%s with registers of %d bits", t, bits)
	}
	return a
}

func (b *binder) load(in *code.Inst, to *inst) {
	op := b.vector(event.Load, in.Dst, to)
	bits, t := in.Dst[0].Bits, in.Type
	if in.Width > 0 && t.Bits() >= in.Width { // nothing to extend
		t = unsigned(t)
	}
	a := b.accessors(op, t, bits)
	row, hasRow := rows[accessKey{bits: bits, addr32: op.addr32}]
	switch {
	case op.order != event.Weak:
		op.extend = lanes.Extend(in.Type, in.Width)
		to.run = loadOrdered
	case len(in.Dst) > 1:
		to.run = a.loadVector
	case op.space == ptx.LocalSpace:
		to.run = a.loadLocal
	case hasRow && in.Type.Bits() == bits:
		to.run, op.lined = row[0], true
	default:
		to.run = a.load
	}
}

// unsigned is the type of a signed one's width.
func unsigned(t ptx.Type) ptx.Type {
	switch t {
	case ptx.S8:
		return ptx.U8
	case ptx.S16:
		return ptx.U16
	case ptx.S32:
		return ptx.U32
	}
	return t
}

func (b *binder) store(in *code.Inst, to *inst) {
	op := b.vector(event.Store, in.Args, to)
	to.B = in.Args[0].Off
	bits := in.Args[0].Bits
	a := b.accessors(op, in.Type, bits)
	row, hasRow := rows[accessKey{bits: bits, addr32: op.addr32}]
	switch {
	case op.order != event.Weak:
		to.run = storeOrdered
	case len(in.Args) > 1:
		to.run = a.storeVector
	case op.space == ptx.LocalSpace:
		to.run = a.storeLocal
	case hasRow && in.Type.Bits() == bits:
		to.run, op.lined = row[1], true
	default:
		to.run = a.store
	}
}

// atomic binds atom and red: the old value into slot D, operands in B and C. One that is meant for
// a byte is of that byte, whatever its instruction names.
func (b *binder) atomic(in *code.Inst, to *inst) {
	at, size := in.Mem[len(in.Mem)-1], in.Type.Bytes()
	if len(in.Mem) > 1 {
		size = 1
	}
	op := b.access(event.AtomicRMW, at, size, 1, to)
	op.atom = &atomOp{name: string(in.Fn), cas: in.Fn == code.FnCAS, red: len(in.Dst) == 0, element: in.Element, elements: in.Elements}
	to.B = in.Args[0].Off
	to.C = in.Args[len(in.Args)-1].Off
	to.observed = watchAtomic
	switch size {
	case 1:
		to.run = atomByte
	case 16:
		to.C = in.Args[len(in.Args)-2].Off // the lower half
		to.run = atom128
		return // which has its own operations
	case 2:
		to.run = atom16
	case 4:
		to.run = atom32
	default:
		to.run = atom64
	}
	op.atom.Modify = lanes.ModifyBy(in)
}

// fence binds membar and fence. A proxy fence orders nothing that threads do here, and only an
// observer needs it. A fence for tensor maps is an exception: it acquires or releases as others do.
func (b *binder) fence(in *code.Inst, to *inst) {
	if in.Has(code.Proxy) && !in.Has(code.TensorMapProxy) {
		to.run, to.observed = func(*warp, *inst) {}, watchProxyFence(in.Space)
		return
	}
	to.run, to.observed = fence, fenceOf(in).watch
}
