package gpublas

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/level1"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Axpy computes y += alpha*x, with one rounding for a multiplication and its addition. x and y are
// equally long, and do not overlap.
func Axpy[T Float](h *Handle, alpha T, x, y Vector[T]) error {
	return update(h, "Axpy", x, y, func(p *level1.Plan[T], s *gridstride.Stream) error {
		return p.Axpy(s, alpha, x.operand(), y.operand())
	})
}

// Scal computes x *= alpha. An alpha of 0 writes zeros, even over NaN and infinities.
func Scal[T Float](h *Handle, alpha T, x Vector[T]) error {
	if err := x.operand().Check(h.core.Call("Scal"), "x"); err != nil {
		return err
	}
	return queue(h, "Scal", func(p *level1.Plan[T], s *gridstride.Stream) error { return p.Scal(s, alpha, x.operand()) })
}

// Copy copies x to y. They are equally long, and do not overlap.
func Copy[T Float](h *Handle, x, y Vector[T]) error {
	return update(h, "Copy", x, y, func(p *level1.Plan[T], s *gridstride.Stream) error { return p.Copy(s, x.operand(), y.operand()) })
}

// Swap exchanges the elements of x and y, which are equally long, and do not overlap.
func Swap[T Float](h *Handle, x, y Vector[T]) error {
	return update(h, "Swap", x, y, func(p *level1.Plan[T], s *gridstride.Stream) error { return p.Swap(s, x.operand(), y.operand()) })
}

// Rot rotates the points (x[i], y[i]): x, y = cos*x + sin*y, cos*y - sin*x. x and y are equally
// long, and do not overlap.
func Rot[T Float](h *Handle, x, y Vector[T], cos, sin T) error {
	return update(h, "Rot", x, y, func(p *level1.Plan[T], s *gridstride.Stream) error {
		return p.Rot(s, x.operand(), y.operand(), cos, sin)
	})
}

// RotBy is [Rot] by rotation[0] and rotation[1], the cosine and the sine that
// [Rotg] has left on the device.
func RotBy[T Float](h *Handle, x, y Vector[T], rotation gridstride.Buffer[T]) error {
	call := h.core.Call("RotBy")
	if rotation.Len() < 2 {
		return operand.Errorf(ErrShort, "%s: rotation has %d elements; want 2, the cosine and the sine", call, rotation.Len())
	}
	for i, v := range []Vector[T]{x, y} {
		if v.operand().Check(call, "") == nil {
			if err := operand.CheckApart(call, "xy"[i:i+1], v.operand(), "rotation", VectorOf(rotation).operand()); err != nil {
				return err
			}
		}
	}
	return update(h, "RotBy", x, y, func(p *level1.Plan[T], s *gridstride.Stream) error {
		return p.RotBy(s, x.operand(), y.operand(), rotation)
	})
}

// Rotg computes the rotation that turns the point (a[0], b[0]) into (r, 0), as blas.Rotg does, and
// leaves the cosine, the sine, r, and z, from which the cosine and the sine can be computed again,
// in out. out does not overlap with a and b.
func Rotg[T Float](h *Handle, a, b, out gridstride.Buffer[T]) error {
	call := h.core.Call("Rotg")
	if a.Len() < 1 || b.Len() < 1 {
		return operand.Errorf(ErrShort, "%s: a has %d elements and b has %d; want one of each", call, a.Len(), b.Len())
	}
	if err := operand.CheckRoom(call, out, 1, 4); err != nil {
		return err
	}
	if a, b, out := a.Slice(0, 1), b.Slice(0, 1), out.Slice(0, 4); out.Overlaps(a) || out.Overlaps(b) {
		return operand.Errorf(ErrOverlap, "%s: the buffer for the result overlaps with a or b", call)
	}
	return queue(h, "Rotg", func(p *level1.Plan[T], s *gridstride.Stream) error { return p.Rotg(s, a, b, out) })
}

// update checks two vectors and queues. The work writes y or both.
func update[T Float](h *Handle, method string, x, y Vector[T], launch func(p *level1.Plan[T], s *gridstride.Stream) error) error {
	call := h.core.Call(method)
	if err := operand.CheckPair(call, x.operand(), y.operand()); err != nil {
		return err
	}
	if err := operand.CheckApart(call, "x", x.operand(), "y", y.operand()); err != nil {
		return err
	}
	return queue(h, method, launch)
}

// queue queues a launch of a kernel of level 1 that needs no working memory.
func queue[T Float](h *Handle, method string, launch func(p *level1.Plan[T], s *gridstride.Stream) error) error {
	return h.core.Queue(method, func(s *gridstride.Stream, _ onepass.Work) error {
		p, err := level1Of[T](h)
		if err != nil {
			return err
		}
		return launch(p, s)
	})
}
