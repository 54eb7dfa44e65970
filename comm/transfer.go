package comm

import (
	"context"
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// EnterSend is the sender's part of [Send], to another rank, which enters [EnterRecv] with the same
// type and length. No other rank has a part in it. The call waits for the receiver, so that of two
// ranks that exchange buffers one receives first, and so does one of those in a ring. Ranks that wait
// for each other for ever get ErrMismatch.
//
// Errors: ErrRank, and as for [EnterAllReduce].
func EnterSend[T any](ctx context.Context, m *Member, to int, src gridstride.Buffer[T]) error {
	if err := m.checkPeer("EnterSend", "to", to); err != nil {
		return err
	}
	return enterTransfer(ctx, m, collective{Call: sendCall, Peer: to}, src)
}

// EnterRecv is the receiver's part of [Send], from another rank, which enters [EnterSend].
//
// Errors: as for [EnterSend].
func EnterRecv[T any](ctx context.Context, m *Member, from int, dst gridstride.Buffer[T]) error {
	if err := m.checkPeer("EnterRecv", "from", from); err != nil {
		return err
	}
	return enterTransfer(ctx, m, collective{Call: recvCall, Peer: from}, dst)
}

// checkPeer checks the other rank of a transfer.
func (m *Member) checkPeer(call, name string, peer int) error {
	if err := m.g.checkRank(call, name, peer); err != nil {
		return err
	}
	if peer == m.rank {
		return operand.Errorf(ErrRank, "comm: %s: %s is the rank itself, %d; gridstride.Copy copies within a device", call, name, peer)
	}
	return nil
}

// enterTransfer enters one end of a transfer.
func enterTransfer[T any](ctx context.Context, m *Member, what collective, b gridstride.Buffer[T]) error {
	what.Op, what.Root, what.N, what.Element = noOp, noRoot, b.Len(), fmt.Sprintf("%T", *new(T))
	if m.far != nil {
		return enterFarTransfer(ctx, m, what, b)
	}
	x, last, err := m.g.hall.arrive(m.rank, what, b)
	if err != nil {
		return err
	}
	if !last {
		return m.g.hall.wait(ctx, x)
	}
	from, to := what.ends(m.rank)
	x.err = Send(m.g, from, to, x.entries[to].(gridstride.Buffer[T]), x.entries[from].(gridstride.Buffer[T]))
	close(x.done)
	return x.err
}

// enterFarTransfer enters one end of a transfer between processes.
func enterFarTransfer[T any](ctx context.Context, m *Member, what collective, b gridstride.Buffer[T]) error {
	if err := m.ready(what.Call); err != nil {
		return err
	}
	stream := m.g.streams[m.rank]
	if err := b.Check(stream); err != nil {
		return fmt.Errorf("comm: %s: rank %d: %w", what.Call, m.rank, err)
	}
	if m.g.usesNCCL() {
		return m.far.agree(ctx, what, func() error { return m.transfer(what, b.DevicePtr(), bytes(b)) })
	}
	var body []byte
	var err error
	if what.Call == sendCall {
		if body, err = bring(ctx, m, what, b); err != nil {
			return err
		}
	}
	all, err := m.far.line.enter(ctx, message{What: what}, body)
	if err != nil || what.Call == sendCall || b.Len() == 0 {
		return err
	}
	raw, err := gridstride.Cast[byte](b)
	if err == nil {
		err = raw.Write(ctx, stream, all.body)
	}
	if err != nil {
		m.far.line.poison(err)
	}
	return err
}

// transfer queues this rank's part of a transfer of n bytes by NCCL.
func (m *Member) transfer(what collective, at uintptr, n int) error {
	if err := m.g.hold(what.Call); err != nil {
		return err
	}
	defer m.g.release()
	return m.g.queue(what.Call, n, []int{m.rank}, func(rank int, stream uintptr) error {
		if what.Call == sendCall {
			return m.g.lib.comms.Send(rank, at, n, what.Peer, stream)
		}
		return m.g.lib.comms.Recv(rank, at, n, what.Peer, stream)
	})
}
