package comm

import (
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Broadcast gives every rank the elements of the buffer of rank root. All buffers have the same
// length.
//
// Errors: ErrRank, ErrSize, gridstride.ErrClosed, and the errors of
// [gridstride.Buffer.Check].
func Broadcast[T any](g *Group, root int, buffers []gridstride.Buffer[T]) error {
	const call = "Broadcast"
	if err := g.hold(call); err != nil {
		return err
	}
	defer g.release()
	if err := g.checkRank(call, "root", root); err != nil {
		return err
	}
	if err := checkCount(g, call, "buffers", len(buffers)); err != nil {
		return err
	}
	model := buffers[g.near(root)]
	if err := checkAll(g, call, "buffers", buffers, model.Len()); err != nil {
		return err
	}
	if g.usesNCCL() {
		n := bytes(model)
		return g.queue(call, n, g.here(), func(rank int, stream uintptr) error {
			at := buffers[rank].DevicePtr()
			return g.lib.comms.Broadcast(rank, at, at, n, root, stream)
		})
	}
	return g.collective(func(rank int) error {
		if rank == root {
			return nil
		}
		return gridstride.Copy(g.streams[rank], buffers[rank], buffers[root])
	})
}

// AllGather gives every rank the elements src of all ranks in dst, in the order of the ranks. With
// src of n elements, dst has n for each rank. src[r] may be rank r's
// place in dst[r].
//
// Errors: ErrRank, ErrSize, ErrOverlap, gridstride.ErrClosed, and the errors of
// [gridstride.Buffer.Check].
func AllGather[T any](g *Group, dst, src []gridstride.Buffer[T]) error {
	const call = "AllGather"
	if err := g.hold(call); err != nil {
		return err
	}
	defer g.release()
	if err := checkCount(g, call, "dst", len(dst)); err != nil {
		return err
	}
	whole := dst[g.near(0)].Len()
	n, err := shareOf(g, call, "dst", whole)
	if err != nil {
		return err
	}
	if err := checkAll(g, call, "dst", dst, whole); err != nil {
		return err
	}
	if err := checkAll(g, call, "src", src, n); err != nil {
		return err
	}
	of := func(rank, other int) gridstride.Buffer[T] { return dst[rank].Slice(other*n, (other+1)*n) }
	for _, rank := range g.here() {
		if err := checkApart(call, rank, dst[rank], src[rank], of(rank, rank), src[rank]); err != nil {
			return err
		}
	}
	if g.usesNCCL() {
		size := bytes(src[g.near(0)])
		return g.queue(call, size, g.here(), func(rank int, stream uintptr) error {
			return g.lib.comms.AllGather(rank, dst[rank].DevicePtr(), src[rank].DevicePtr(), size, stream)
		})
	}
	return g.collective(func(rank int) error {
		if to := of(rank, rank); !same(to, src[rank]) {
			if err := gridstride.Copy(g.streams[rank], to, src[rank]); err != nil {
				return err
			}
		}
		return g.others(rank, func(other int) error {
			return gridstride.Copy(g.streams[rank], of(rank, other), src[other])
		})
	})
}

// AllToAll has every rank send each rank a part of its src: the first elements go to rank 0, the
// next to rank 1. A rank gets the parts in dst, in the order of the senders' ranks. All
// buffers have the same length, a multiple of the number of ranks.
//
// Errors: ErrRank, ErrSize, ErrOverlap, gridstride.ErrClosed, and the errors of
// [gridstride.Buffer.Check].
func AllToAll[T any](g *Group, dst, src []gridstride.Buffer[T]) error {
	const call = "AllToAll"
	if err := g.hold(call); err != nil {
		return err
	}
	defer g.release()
	if err := checkCount(g, call, "src", len(src)); err != nil {
		return err
	}
	whole := src[g.near(0)].Len()
	n, err := shareOf(g, call, "src", whole)
	if err != nil {
		return err
	}
	if err := checkAll(g, call, "src", src, whole); err != nil {
		return err
	}
	if err := checkAll(g, call, "dst", dst, whole); err != nil {
		return err
	}
	for _, rank := range g.here() {
		if dst[rank].Overlaps(src[rank]) {
			return operand.Errorf(ErrOverlap, "comm: %s: dst and src of rank %d overlap", call, rank)
		}
	}
	of := func(b gridstride.Buffer[T], rank int) gridstride.Buffer[T] { return b.Slice(rank*n, (rank+1)*n) }
	if g.usesNCCL() {
		return exchange(g, call, dst, src, of)
	}
	return g.collective(func(rank int) error {
		for step := range g.streams {
			other := (rank + step) % g.Ranks()
			from, to := of(src[other], rank), of(dst[rank], other)
			if err := gridstride.Copy(g.streams[rank], to, from); err != nil {
				return err
			}
		}
		return nil
	})
}

// exchange is AllToAll by NCCL. of is the part of a buffer that is exchanged with a rank.
func exchange[T any](g *Group, call string, dst, src []gridstride.Buffer[T], of func(b gridstride.Buffer[T], rank int) gridstride.Buffer[T]) error {
	n := bytes(of(src[g.near(0)], 0))
	return g.queue(call, n, g.here(), func(rank int, stream uintptr) error {
		for other := range g.streams {
			if err := g.lib.comms.Send(rank, of(src[rank], other).DevicePtr(), n, other, stream); err != nil {
				return err
			}
			if err := g.lib.comms.Recv(rank, of(dst[rank], other).DevicePtr(), n, other, stream); err != nil {
				return err
			}
		}
		return nil
	})
}

// bytes is the size of a buffer.
func bytes[T any](b gridstride.Buffer[T]) int { return b.Len() * int(unsafe.Sizeof(*new(T))) }

// Send copies src of rank from to dst of rank to, two different ranks. It is the receiver's call as
// well: a process has both buffers. Only the streams of the two ranks wait.
//
// Errors: as for [Broadcast].
func Send[T any](g *Group, from, to int, dst, src gridstride.Buffer[T]) error {
	const call = "Send"
	if err := g.hold(call); err != nil {
		return err
	}
	defer g.release()
	if err := g.checkRank(call, "from", from); err != nil {
		return err
	}
	if err := g.checkRank(call, "to", to); err != nil {
		return err
	}
	if from == to {
		return operand.Errorf(ErrRank, "comm: %s: from rank %d to itself; gridstride.Copy copies within a device", call, from)
	}
	if err := checkOne(g, call, "src", src, from, src.Len()); err != nil {
		return err
	}
	if err := checkOne(g, call, "dst", dst, to, src.Len()); err != nil {
		return err
	}
	if g.usesNCCL() {
		n := bytes(src)
		return g.queue(call, n, []int{from, to}, func(rank int, stream uintptr) error {
			if rank == from {
				return g.lib.comms.Send(rank, src.DevicePtr(), n, to, stream)
			}
			return g.lib.comms.Recv(rank, dst.DevicePtr(), n, from, stream)
		})
	}
	sender, receiver := g.streams[from], g.streams[to]
	if err := receiver.After(sender.Record()); err != nil {
		return err
	}
	if err := gridstride.Copy(receiver, dst, src); err != nil {
		return err
	}
	return sender.After(receiver.Record())
}

// shareOf is the share of one rank in n elements, which all ranks share equally.
func shareOf(g *Group, call, name string, n int) (int, error) {
	if n%g.Ranks() != 0 {
		return 0, operand.Errorf(ErrSize, "comm: %s: %s has %d elements; want a multiple of %d, the number of ranks", call, name, n, g.Ranks())
	}
	return n / g.Ranks(), nil
}
