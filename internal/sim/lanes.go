package sim

import "github.com/gridstride/gridstride/internal/ptx"

// An exec can be written in two ways. The operations that kernels spend their time in are loops
// over the lanes, generic over the register type, which the compiler turns into straight code
// without bounds checks:
//
//	func add[T word](w *warp, in *inst) { d, a, b := …; for i := range d { d[i] = a[i] + b[i] } }
//
// That runs about 3,000 million lanes a second (one core of a 2.6 GHz Xeon). All others are a
// function of one lane, which the functions of this file apply to 32 of them at about 700 million a
// second.

// byType finds an exec by the type of an instruction.
type byType map[ptx.Type]exec

// of1, of2, of3 and of4 make an exec of a function from one to four source registers to a
// destination.

func of1[D, A word](f func(a A) D) exec {
	return func(w *warp, in *inst) {
		d, a := reg[D](w, in.d), reg[A](w, in.a)
		for i := range d {
			d[i] = f(a[i])
		}
	}
}

func of2[D, A, B word](f func(a A, b B) D) exec {
	return func(w *warp, in *inst) {
		d, a, b := reg[D](w, in.d), reg[A](w, in.a), reg[B](w, in.b)
		for i := range d {
			d[i] = f(a[i], b[i])
		}
	}
}

func of3[D, A, B, C word](f func(a A, b B, c C) D) exec {
	return func(w *warp, in *inst) {
		d, a, b, c := reg[D](w, in.d), reg[A](w, in.a), reg[B](w, in.b), reg[C](w, in.c)
		for i := range d {
			d[i] = f(a[i], b[i], c[i])
		}
	}
}

func of4[D, A, B, C, E word](f func(a A, b B, c C, e E) D) exec {
	return func(w *warp, in *inst) {
		d, a, b, c, e := reg[D](w, in.d), reg[A](w, in.a), reg[B](w, in.b), reg[C](w, in.c), reg[E](w, in.e)
		for i := range d {
			d[i] = f(a[i], b[i], c[i], e[i])
		}
	}
}

// narrow is a 16-bit type that lives in 32-bit slots.
type narrow interface{ uint16 | int16 }

func narrow1[T narrow](f func(a T) T) exec {
	return of1(func(a uint32) uint32 { return uint32(uint16(f(T(a)))) })
}

func narrow2[T narrow](f func(a, b T) T) exec {
	return of2(func(a, b uint32) uint32 { return uint32(uint16(f(T(a), T(b)))) })
}

func narrow3[T narrow](f func(a, b, c T) T) exec {
	return of3(func(a, b, c uint32) uint32 { return uint32(uint16(f(T(a), T(b), T(c)))) })
}

// pair2 applies a function of 16 bits to both halves of 32.
func pair2(f func(a, b uint16) uint16) exec {
	return of2(func(a, b uint32) uint32 {
		return uint32(f(uint16(a), uint16(b))) | uint32(f(uint16(a>>16), uint16(b>>16)))<<16
	})
}

// regs1, regs2 and regs3 fetch the registers of an instruction whose operands are all of one type.

func regs1[T word](w *warp, in *inst) (d, a *[WarpSize]T) {
	return reg[T](w, in.d), reg[T](w, in.a)
}

func regs2[T word](w *warp, in *inst) (d, a, b *[WarpSize]T) {
	return reg[T](w, in.d), reg[T](w, in.a), reg[T](w, in.b)
}

func regs3[T word](w *warp, in *inst) (d, a, b, c *[WarpSize]T) {
	return reg[T](w, in.d), reg[T](w, in.a), reg[T](w, in.b), reg[T](w, in.c)
}
