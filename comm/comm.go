// Package comm has the collective operations of several devices, of one process or of several: sums
// over all of them, gathers, scatters and exchanges.
//
// The field calls what takes part in them a communicator (MPI_Comm, ncclComm_t). Here it is a
// [Group]: streams of different devices. Its ranks are the indices of the streams, from 0. A call
// takes a buffer from every rank, in the order of the ranks, so that no rank can be absent, late or
// busy with another operation:
//
//	g, err := comm.New(dev0.Stream(), dev1.Stream())
//	...
//	err = comm.AllReduce(g, comm.Sum, gradients, gradients) // gradients[1] is on dev1
//	err = g.Wait(ctx)
//
// A program with a goroutine for each device has them enter collectives as [Group.Member] of a rank.
// A program that is a process for each device has each process [Join], and enter the same way.
//
// A call queues its work on the streams of the group and returns. A rank's part runs after what was
// queued on its stream before. What is queued on that stream afterwards finds the rank's result
// complete, and may change the rank's source. Where another stream uses the buffers, also another
// rank's stream, it needs an event: see [gridstride.Stream.After]. A call that is refused queues
// nothing.
//
// # Reductions
//
// Element i of a result is combined from the elements i of the ranks in their order:
// ((x0 + x1) + x2) + .... The result has the same bits on every rank, in every run and on every
// device, a GPU or a simulated one. Another number of ranks is another order: see
// [AllReduceReproducible] for sums without one. Floats of 16 bits are combined in float32 and
// rounded once. Integers wrap around, and Min and Max give NaN where an element is NaN, as in Go.
//
// # How data travels
//
// On GPUs data travels by NCCL, NVIDIA's library of collectives, if it is installed: see [Use]. It
// is looked for where the system's loader looks, in CUDA's folders and among Python's packages, and
// the environment variable GRIDSTRIDE_NCCL can name its file. NCCL combines elements where its
// results have the same bits as above: integers, but of 16 bits, and sums of floats of two ranks. Of
// more ranks it does so with [Options.AnyOrder]. Buffers must then be memory of this package's
// devices, not [gridstride.FromDevicePtr]'s that other GPUs cannot reach. Multicast over NVLink stays
// off.
//
// Otherwise data travels in copies from device to device, directly between GPUs that can reach each
// other and through the host else, by the driver. AllReduce has each rank combine a part of the
// elements, and then sends the parts around. On each device a reduction needs working memory: the
// size of that device's part times the number of other ranks, and at most 32 MB. Larger parts are
// combined piece by piece. The group keeps the memory until Close.
//
// # Failures
//
// Nothing waits for ever for a rank that has failed: [Group.Wait] then aborts the group, and
// [Group.Abort] does so when a program wants it. The errors of NCCL are an [NCCLError].
package comm

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/fold"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// The kinds of refusal, for errors.Is. The errors name the call, the rank and what is wrong.
var (
	// ErrGroup: a group has no rank, too many, two of one device, or ranks on GPUs and on
	// simulated devices.
	ErrGroup = errors.New("the streams do not make a group")
	// ErrRank: a rank is not of the group, or a call does not have one buffer for each rank.
	ErrRank = errors.New("not the ranks of the group")
	// ErrSize: the lengths of buffers do not fit each other.
	ErrSize = errors.New("the lengths do not fit")
	// ErrOverlap: the source and the destination of a rank overlap where they must not.
	ErrOverlap = errors.New("the buffers overlap")
	// ErrOp: the operation of a reduction is none of Sum, Prod, Min and Max.
	ErrOp = errors.New("no such operation")
)

// MaxRanks is the largest number of ranks of a group.
const MaxRanks = 64

// Op is the operation of a reduction.
type Op int

// The operations.
const (
	Sum  Op = fold.Sum
	Prod Op = fold.Prod
	Min  Op = fold.Min
	Max  Op = fold.Max
)

// Number is the types of elements that can be reduced: integers, and floats of 16,
// 32 and 64 bits. The other operations take all types of elements.
type Number = fold.Number

// Group is streams of different devices that work together. Any number of goroutines may use it:
// their calls are queued one after the other.
type Group struct {
	streams []*gridstride.Stream // nil for a rank of another process
	lib     library
	hall    hall

	mu     sync.Mutex
	work   []gridstride.Buffer[byte] // of each rank
	closed bool
}

// New makes a group of streams, one of each of its devices. The streams are the caller's: New does
// not take them over, and Close leaves them open. On GPUs it looks for NCCL and starts it, which may
// take a second.
//
// Errors: ErrGroup.
func New(streams ...*gridstride.Stream) (*Group, error) { return NewWith(streams, Options{}) }

// NewWith is New with options.
//
// Errors: ErrGroup, ErrNCCL.
func NewWith(streams []*gridstride.Stream, o Options) (*Group, error) {
	if err := checkStreams(streams); err != nil {
		return nil, err
	}
	g := &Group{streams: append([]*gridstride.Stream(nil), streams...), work: make([]gridstride.Buffer[byte], len(streams)), hall: hall{ranks: len(streams)}}
	if err := g.lib.open(g.streams, o); err != nil {
		return nil, err
	}
	return g, nil
}

// checkStreams checks that streams make a group.
func checkStreams(streams []*gridstride.Stream) error {
	if len(streams) < 1 || len(streams) > MaxRanks {
		return operand.Errorf(ErrGroup, "comm: New: %d streams; want 1 to %d", len(streams), MaxRanks)
	}
	rankOf := map[*gridstride.Device]int{}
	for rank, s := range streams {
		if s == nil {
			return operand.Errorf(ErrGroup, "comm: New: the stream of rank %d is nil", rank)
		}
		dev, first := s.Device(), streams[0].Device()
		if other, ok := rankOf[dev]; ok {
			return operand.Errorf(ErrGroup, "comm: New: ranks %d and %d are both on %v; want a device for each", other, rank, dev)
		}
		if dev.Info().Backend != first.Info().Backend {
			return operand.Errorf(ErrGroup, "comm: New: rank 0 is on %v and rank %d on %v; want GPUs or simulated devices", first, rank, dev)
		}
		rankOf[dev] = rank
	}
	return nil
}

// here are the ranks of this process: all but in a group that was joined.
func (g *Group) here() (ranks []int) {
	for rank, s := range g.streams {
		if s != nil {
			ranks = append(ranks, rank)
		}
	}
	return ranks
}

// near is a rank if it is of this process, else one that is: a place where lengths can be read that
// all ranks have agreed on.
func (g *Group) near(rank int) int {
	if g.streams[rank] != nil {
		return rank
	}
	return g.here()[0]
}

// Ranks is the number of ranks.
func (g *Group) Ranks() int { return len(g.streams) }

// Stream is the stream of a rank. Like an index of a slice, rank must be in range.
func (g *Group) Stream(rank int) *gridstride.Stream { return g.streams[rank] }

// Wait waits until the work queued so far on the streams of all ranks has run. The end of ctx ends
// the wait only: see [Group.Abort]. Where a rank has failed for good or NCCL finds an error, Wait
// aborts the group, so that the other ranks do not wait for ever for the one that has failed.
//
// Errors: the errors of [gridstride.Stream.Wait] for each rank that has one, with the rank, and
// ErrAborted.
func (g *Group) Wait(ctx context.Context) error {
	errs := make([]error, len(g.streams))
	if g.usesNCCL() {
		errs = g.waitForAll(ctx)
	} else {
		for _, rank := range g.here() {
			errs[rank] = g.streams[rank].Wait(ctx)
		}
	}
	var all []error
	for rank, err := range errs {
		if err != nil {
			all = append(all, fmt.Errorf("comm: rank %d: %w", rank, err))
		}
	}
	return errors.Join(append(all, g.aborted("Wait"))...)
}

// Close gives the group's memory back. Work that is queued already runs. With NCCL, Close waits for
// it, 30 seconds at most, after which it is aborted, and returns failures that the wait finds. Close
// the group before its devices. Using the group afterwards is refused with gridstride.ErrClosed. A
// second Close does nothing.
func (g *Group) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	var all []error
	if !g.closed && g.usesNCCL() {
		all = g.closeNCCL()
	}
	g.closed = true
	for rank := range g.work {
		all = append(all, g.work[rank].Free())
		g.work[rank] = gridstride.Buffer[byte]{}
	}
	return errors.Join(all...)
}

// meet makes what is queued on each stream from now on wait for what is queued on all.
func (g *Group) meet() error {
	events := make([]*gridstride.Event, len(g.streams))
	for rank, s := range g.streams {
		events[rank] = s.Record()
	}
	for rank, s := range g.streams {
		for other, e := range events {
			if other == rank {
				continue
			}
			if err := s.After(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// collective queues work between two meetings of the ranks. do queues the work of one rank.
func (g *Group) collective(do func(rank int) error) error {
	if err := g.meet(); err != nil {
		return err
	}
	for rank := range g.streams {
		if err := do(rank); err != nil {
			return err
		}
	}
	return g.meet()
}

// others calls do with the other ranks, beginning with the next: each rank begins with another.
func (g *Group) others(rank int, do func(other int) error) error {
	for step := 1; step < len(g.streams); step++ {
		if err := do((rank + step) % len(g.streams)); err != nil {
			return err
		}
	}
	return nil
}
