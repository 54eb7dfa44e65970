package comm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/device/nccl"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// distant holds the connections and the memory of a rank whose group has other processes.
type distant struct {
	line     *line
	desk     *desk // of rank 0
	work     gridstride.Buffer[byte]
	lockstep bool         // Options.Lockstep
	used     map[way]bool // at most as many as there are calls, ranks and lengths in bits
}

// join makes the member. If it fails, close closes the connections that it has opened.
func (f *distant) join(ctx context.Context, s *gridstride.Stream, r Rendezvous, o Options, hello message) (m *Member, err error) {
	if r.Rank == 0 {
		if f.desk, err = r.listen(); err != nil {
			return nil, err
		}
	}
	if f.line, err = r.dial(ctx, hello); err != nil {
		return nil, err
	}
	which, id, err := f.line.welcomed(ctx)
	if r.Rank == 0 {
		if err != nil && len(f.desk.absent()) > 0 {
			err = &AbsentError{Entered: "Join", Ranks: f.desk.absent(), Cause: ctx.Err()}
		}
		err = errors.Join(err, r.forget())
	}
	if err != nil {
		return nil, err
	}
	g := &Group{streams: make([]*gridstride.Stream, r.Ranks), work: make([]gridstride.Buffer[byte], r.Ranks)}
	g.streams[r.Rank] = s
	if err := g.lib.join(ctx, s, which, id, r, o); err != nil {
		f.line.poison(err)
		return nil, err
	}
	f.lockstep = o.Lockstep
	f.line.listen(func(err error) { go g.abort(err) })
	return &Member{g: g, rank: r.Rank, far: f}, nil
}

// join makes the communicator of one rank, or notes why there is none.
func (l *library) join(ctx context.Context, s *gridstride.Stream, which canNCCL, id []byte, r Rendezvous, o Options) error {
	l.anyOrder = o.AnyOrder
	if which.Why != "" {
		l.about = "not used: " + which.Why
		if o.NCCL == Always {
			return operand.Errorf(ErrNCCL, "%s", which.Why)
		}
		return nil
	}
	lib, err := nccl.Load()
	if err != nil {
		return operand.Errorf(ErrNCCL, "%v", err)
	}
	made := make(chan error, 1)
	go func() { // NCCL waits for the other processes, and no context ends that
		made <- s.Native(func(uintptr) (err error) {
			l.comms, err = lib.Join([nccl.IDSize]byte(id), r.Rank, r.Ranks)
			return err
		})
	}()
	select {
	case err = <-made:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err != nil {
		return operand.Errorf(ErrNCCL, "%v", err)
	}
	l.about = fmt.Sprintf("NCCL %s (%s)", which.Version, lib.Path())
	return nil
}

// close ends the connections.
func (f *distant) close() error {
	if f.line != nil {
		f.line.leave()
	}
	if f.desk != nil {
		f.desk.close()
	}
	if f.line != nil {
		f.line.conn.Close()
	}
	return f.work.Free()
}

// Close leaves the group and gives its memory back, after the work that this process has queued, as
// [Group.Close]. It is for a rank that was joined. For another it does nothing: its group is closed.
func (m *Member) Close() error {
	if m.far == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	lost := m.far.line.settle(ctx, 0)
	return errors.Join(lost, m.g.Close(), m.far.close())
}

// wait is Wait for a rank whose group has other processes.
func (f *distant) wait(ctx context.Context, g *Group) error {
	lost := f.line.settle(ctx, 0)
	err := g.Wait(ctx)
	switch {
	case lost == nil:
		return err
	case errors.Is(err, ErrAborted):
		return because(ctx, err)
	}
	return errors.Join(lost, err)
}

// because adds ctx's error to the error of an abort, which ctx's end may have brought about.
func because(ctx context.Context, err error) error {
	if ctx.Err() == nil || errors.Is(err, ctx.Err()) {
		return err
	}
	return fmt.Errorf("%w: %w", err, ctx.Err())
}

// agree has a rank enter a collective for which NCCL has all that it needs. run queues its part.
func (f *distant) agree(ctx context.Context, what collective, run func() error) error {
	m := message{What: what}
	if f.lockstep || ctx.Err() != nil || f.connects(what) {
		if _, err := f.line.enter(ctx, m, nil); err != nil {
			return err
		}
	} else if err := f.line.post(ctx, m); err != nil {
		return err
	}
	seq := f.line.seq
	stop := context.AfterFunc(ctx, func() { f.line.giveUp(ctx, seq) })
	defer stop()
	err := run()
	if err == nil {
		return nil
	}
	return because(ctx, f.line.failed(err)) // the others have queued theirs
}

// way has all by which NCCL chooses the connections of a collective.
type way struct {
	call       string
	root, peer int
	size       int // bits of the number of elements
}

// connects reports that a collective is the first of its way. In NCCL the ranks connect when they first
// need each other so, and wait for each other there, which only an abort ends. The wait for all to
// enter comes before.
func (f *distant) connects(what collective) bool {
	w := way{what.Call, what.Root, what.Peer, bits.Len(uint(what.N))}
	if f.used[w] {
		return false
	}
	if f.used == nil {
		f.used = map[way]bool{}
	}
	f.used[w] = true
	return true
}

// enterFar enters a collective for a rank whose group has other processes.
func enterFar[T any](ctx context.Context, m *Member, what collective, own pair[T], direct bool, run routine[T]) error {
	g, line := m.g, m.far.line
	if err := m.ready(what.Call); err != nil {
		return err
	}
	for _, b := range []gridstride.Buffer[T]{own.dst, own.src} {
		if err := b.Check(g.streams[m.rank]); err != nil {
			return fmt.Errorf("comm: %s: rank %d: %w", what.Call, m.rank, err)
		}
	}
	dst, src := make([]gridstride.Buffer[T], g.Ranks()), make([]gridstride.Buffer[T], g.Ranks())
	dst[m.rank], src[m.rank] = own.dst, own.src
	if direct {
		return m.far.agree(ctx, what, func() error { return run(g, dst, src) })
	}
	body, err := bring(ctx, m, what, own.src)
	if err != nil {
		return err
	}
	all, err := line.enter(ctx, message{What: what, Dst: own.dst.Len(), Src: own.src.Len()}, body)
	if err != nil {
		return err
	}
	if g, err = gather(ctx, m, all, dst, src); err != nil {
		line.poison(err)
		return err
	}
	return run(g, dst, src)
}

// ready reports why the rank cannot enter a collective.
func (m *Member) ready(call string) error {
	if err := m.g.hold(call); err != nil {
		return err
	}
	m.g.release()
	return nil
}

// bring reads a rank's source if data travels through the host. Of a broadcast only the root's is
// needed.
func bring[T any](ctx context.Context, m *Member, what collective, src gridstride.Buffer[T]) ([]byte, error) {
	if m.g.usesNCCL() || src.Len() == 0 || what.Call == "Broadcast" && what.Root != m.rank {
		return nil, nil
	}
	if bytes(src) > maxBody {
		return nil, operand.Errorf(ErrSize, "comm: %s: rank %d has %d bytes; want at most %d without NCCL", what.Call, m.rank, bytes(src), maxBody)
	}
	raw, err := gridstride.Cast[byte](src)
	if err != nil {
		return nil, err
	}
	return raw.Read(ctx, m.g.streams[m.rank], nil)
}

// gather brings the sources of the other ranks to this one, gives each a place for its result, and
// returns a group whose ranks are all on this rank's stream: it computes the results of all from
// the same sources in the same way, as all processes do.
func gather[T any](ctx context.Context, m *Member, all arrived, dst, src []gridstride.Buffer[T]) (*Group, error) {
	if err := places(m, all, dst, src); err != nil {
		return nil, err
	}
	stream := m.g.streams[m.rank]
	near := &Group{streams: make([]*gridstride.Stream, m.g.Ranks()), work: m.g.work}
	for rank := range near.streams {
		near.streams[rank] = stream
	}
	if m.g.usesNCCL() {
		return near, m.g.queue("gather", 1, m.g.here(), func(rank int, stream uintptr) error {
			for root := range src {
				at, n := src[root].DevicePtr(), bytes(src[root])
				if n == 0 {
					continue
				}
				if err := m.g.lib.comms.Broadcast(rank, at, at, n, root, stream); err != nil {
					return err
				}
			}
			return nil
		})
	}
	from := 0
	for rank, size := range all.Sizes {
		part := all.body[from : from+size]
		from += size
		if size == 0 {
			continue
		}
		raw, err := gridstride.Cast[byte](src[rank])
		if err == nil {
			err = raw.Write(ctx, stream, part)
		}
		if err != nil {
			return nil, err
		}
	}
	return near, nil
}

// places gives the other ranks' buffers places in the working memory.
func places[T any](m *Member, all arrived, dst, src []gridstride.Buffer[T]) error {
	const line = 256 // no buffer begins within another's
	size := int(unsafe.Sizeof(*new(T)))
	most := (math.MaxInt/(2*MaxRanks) - line) / max(size, 1)
	total := 0
	for rank := range dst {
		if all.Dsts[rank] > most || all.Srcs[rank] > most {
			return operand.Errorf(ErrSize, "comm: rank %d has %d and %d elements; want at most %d", rank, all.Dsts[rank], all.Srcs[rank], most)
		}
		if rank != m.rank {
			total += aligned(all.Dsts[rank]*size, line) + aligned(all.Srcs[rank]*size, line)
		}
	}
	if err := m.reserveFar(total); err != nil {
		return err
	}
	at := 0
	take := func(n int) (b gridstride.Buffer[T], err error) {
		b, err = gridstride.Cast[T](m.far.work.Slice(at, at+n*size))
		at += aligned(n*size, line)
		return b, err
	}
	for rank := range dst {
		if rank == m.rank {
			continue
		}
		var err, err2 error
		dst[rank], err = take(all.Dsts[rank])
		src[rank], err2 = take(all.Srcs[rank])
		if err := errors.Join(err, err2); err != nil {
			return err
		}
	}
	return nil
}

// aligned is n, rounded up to a multiple of a power of two.
func aligned(n, to int) int { return (n + to - 1) &^ (to - 1) }

// reserveFar gives the rank working memory of a number of bytes. Work that is queued keeps the old.
func (m *Member) reserveFar(size int) error {
	if size <= m.far.work.Len() {
		return nil
	}
	work, err := gridstride.Make[byte](m.g.streams[m.rank].Device(), size)
	if err != nil {
		return err
	}
	old := m.far.work
	m.far.work = work
	return old.Free()
}
