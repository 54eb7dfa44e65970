package sim

import "github.com/gridstride/gridstride/internal/ptx"

// mov copies a register, constant, special register or address, or packs and unpacks a vector.
func (d *decoder) mov() {
	t := d.d.Type
	from, to := d.in.Args[1], d.in.Args[0]
	if v, ok := to.(ptx.Vec); ok {
		d.unpack(v, d.source(from, t))
		return
	}
	if v, ok := from.(ptx.Vec); ok {
		d.pack(d.dest(to, t), v)
		return
	}
	if t == ptx.Pred {
		d.emit(inst{run: movPred, a: d.source(from, t).off, d: d.dest(to, t).off})
		return
	}
	d.copy(d.dest(to, t), d.source(from, t))
}

// copy moves a slot.
func (d *decoder) copy(dst, src slot) {
	switch dst.bits {
	case 32:
		d.compute(inst{run: move[uint32], a: src.off}, dst)
	case 64:
		d.compute(inst{run: move[uint64], a: src.off}, dst)
	case 128:
		for i := range uint32(2) {
			d.compute(inst{run: move[uint64], a: src.off + i*slot64}, slot{dst.off + i*slot64, 64})
		}
	default:
		d.failf("cannot copy %d bits", dst.bits)
	}
}

func move[T uint32 | uint64](w *warp, in *inst) {
	*reg[T](w, in.d) = *reg[T](w, in.a)
}

// unpack puts the parts of a slot into registers, the lowest first. They are narrower, so none of
// them is the source.
func (d *decoder) unpack(v ptx.Vec, src slot) {
	width := d.d.Type.Bits() / len(v)
	for i, x := range v {
		if x == ptx.Operand(ptx.Name("_")) {
			continue
		}
		dst, at, from := d.dest(x, bitsType(width)), i*width, src
		if src.bits == 128 {
			from, at = slot{src.off + uint32(at/64)*slot64, 64}, at%64
		}
		d.compute(extraction(from, at, width, dst), dst)
	}
}

// extraction takes width bits at a place out of a slot.
func extraction(src slot, at, width int, dst slot) inst {
	mask := ^uint64(0) >> (64 - width)
	in := inst{a: src.off, imm: uint64(at)}
	switch {
	case dst.bits == 64:
		in.run = move[uint64]
	case src.bits == 64 && width == 32:
		in.run = word32
	case src.bits == 64:
		in.run = of1(func(a uint64) uint32 { return uint32(a >> at & mask) })
	default:
		in.run = of1(func(a uint32) uint32 { return a >> at & uint32(mask) })
	}
	return in
}

// word32 is a half of a 64-bit register; imm is the place of its lowest bit.
func word32(w *warp, in *inst) {
	d, a := reg[uint32](w, in.d), reg[uint64](w, in.a)
	shift := in.imm & 63
	for i := range d {
		d[i] = uint32(a[i] >> shift)
	}
}

// join64 is a 64-bit register of two halves.
func join64(w *warp, in *inst) {
	d, a, b := reg[uint64](w, in.d), reg[uint32](w, in.a), reg[uint32](w, in.b)
	for i := range d {
		d[i] = uint64(a[i]) | uint64(b[i])<<32
	}
}

// pack makes a slot of parts, the lowest first.
func (d *decoder) pack(dst slot, v ptx.Vec) {
	width := d.d.Type.Bits() / len(v)
	var parts []slot
	for _, x := range v {
		parts = append(parts, d.source(x, bitsType(width)))
	}
	if dst.bits == 128 {
		d.pack128(dst, parts, width)
		return
	}
	d.packInto(dst, parts, width)
}

// pack128 packs two or four parts into the two words of a 128-bit slot.
func (d *decoder) pack128(dst slot, parts []slot, width int) {
	half := len(parts) / 2
	words := []slot{d.fn.file.alloc(64), d.fn.file.alloc(64)} // a part may be in the destination
	for i, w := range words {
		if width == 64 {
			d.copy(w, parts[i])
		} else {
			d.packInto(w, parts[i*half:(i+1)*half], width)
		}
	}
	for i, w := range words {
		d.copy(slot{dst.off + uint32(i)*slot64, 64}, w)
	}
}

func (d *decoder) packInto(dst slot, parts []slot, width int) {
	if len(parts) == 2 {
		in := inst{a: parts[0].off, b: parts[1].off}
		switch dst.bits {
		case 64:
			in.run = join64
		default:
			in.run = of2(func(a, b uint32) uint32 { return a&(1<<width-1) | b<<width })
		}
		if d.d.Type == ptx.B16 {
			in.run = of2(func(a, b uint32) uint32 { return a&0xff | b&0xff<<8 })
		}
		d.compute(in, dst)
		return
	}
	in := inst{a: parts[0].off, b: parts[1].off, c: parts[2].off, e: parts[3].off}
	if dst.bits == 64 {
		in.run = of4(func(a, b, c, e uint32) uint64 {
			return uint64(a&0xffff) | uint64(b&0xffff)<<16 | uint64(c&0xffff)<<32 | uint64(e&0xffff)<<48
		})
	} else {
		in.run = of4(func(a, b, c, e uint32) uint32 { return a&0xff | b&0xff<<8 | c&0xff<<16 | e<<24 })
	}
	d.compute(in, dst)
}

// bitsType is the untyped type of a width.
func bitsType(width int) ptx.Type {
	return map[int]ptx.Type{8: ptx.B8, 16: ptx.B16, 32: ptx.B32, 64: ptx.B64, 128: ptx.B128}[width]
}

// cvt converts. Registers may be wider than the types: only the source's low bits count, and the
// result is extended to the destination by its type.
func (d *decoder) cvt() {
	switch {
	case d.d.Has("pack"):
		in := inst{run: packInts(d.d)}
		d.sources(&in)
		d.compute(in, d.dest(d.in.Args[0], ptx.B32))
		return
	case isPair(d.d.Type):
		in := inst{run: pack2(d.d)}
		d.sources(&in)
		d.compute(in, d.dest(d.in.Args[0], ptx.B32))
		return
	}
	src := d.wideSource(d.in.Args[1], d.d.SrcType)
	dst, width := d.wideDest(d.in.Args[0])
	exact := width == d.d.Type.Bits() && src.bits == slotBits(d.d.SrcType)
	if run := directConversions[[2]ptx.Type{d.d.Type, d.d.SrcType}]; run != nil && exact && plain(d.d) {
		d.compute(inst{run: run, a: src.off}, dst)
		return
	}
	f := conversion(d.d)
	if keep := ^uint64(0) >> (64 - width); width < 64 { // what the register holds of an extended result
		whole := f
		f = func(x uint64) uint64 { return whole(x) & keep }
	}
	var run exec
	switch {
	case src.bits == 64 && dst.bits == 64:
		run = of1(f)
	case src.bits == 64:
		run = of1(func(a uint64) uint32 { return uint32(f(a)) })
	case dst.bits == 64:
		run = of1(func(a uint32) uint64 { return f(uint64(a)) })
	default:
		run = of1(func(a uint32) uint32 { return uint32(f(uint64(a))) })
	}
	d.compute(inst{run: run, a: src.off}, dst)
}

// wideSource is an operand whose register may be wider than t.
func (d *decoder) wideSource(o ptx.Operand, t ptx.Type) slot {
	if name, ok := o.(ptx.Name); ok {
		return d.named(d.lookup(string(name)))
	}
	return d.source(o, t)
}

// wideDest is a destination register of any width, and that width.
func (d *decoder) wideDest(o ptx.Operand) (slot, int) {
	name, ok := o.(ptx.Name)
	if !ok {
		d.failf("%s cannot be written", ptx.OperandString(o))
	}
	sym := d.lookup(string(name))
	if sym.Kind == ptx.SinkSymbol {
		return d.fn.file.alloc(64), 64
	}
	d.writes(sym)
	return d.register(sym), sym.Type.Bits()
}
