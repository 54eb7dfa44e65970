package comm_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/comm"
	"github.com/gridstride/gridstride/gpu"
)

// place is a Rendezvous in a file of the test's own.
func place(t testing.TB) comm.Rendezvous {
	t.Helper()
	return comm.Rendezvous{Address: "file://" + filepath.Join(t.TempDir(), "meeting")}
}

// joinAll has every rank join at once, and returns the members and the errors.
func joinAll(ctx context.Context, at comm.Rendezvous, streams []*gridstride.Stream, o comm.Options) ([]*comm.Member, []error) {
	members, errs := make([]*comm.Member, len(streams)), make([]error, len(streams))
	var wg sync.WaitGroup
	for rank, s := range streams {
		wg.Go(func() {
			at := at
			at.Rank, at.Ranks = rank, len(streams)
			members[rank], errs[rank] = comm.Join(ctx, s, at, o)
		})
	}
	wg.Wait()
	return members, errs
}

// joined are the members of a group that was joined, a device each.
func joined(t *testing.T, devs []*gridstride.Device, o comm.Options) []*comm.Member {
	t.Helper()
	var streams []*gridstride.Stream
	for _, dev := range devs {
		streams = append(streams, dev.NewStream())
	}
	members, errs := joinAll(t.Context(), place(t), streams, o)
	must(t, errors.Join(errs...))
	t.Cleanup(func() {
		atOnce(members, func(m *comm.Member) error { return m.Close() })
		for _, s := range streams {
			s.Close()
		}
	})
	return members
}

// atOnce calls do for every member at once.
func atOnce(members []*comm.Member, do func(m *comm.Member) error) []error {
	errs := make([]error, len(members))
	var wg sync.WaitGroup
	for i, m := range members {
		wg.Go(func() { errs[i] = do(m) })
	}
	wg.Wait()
	return errs
}

// rankProgram is a rank's part of random programs of collectives: the same for members of one process
// and of several. Every rank makes the vectors of all ranks, and compares what it receives with what
// plain loops make of them.
type rankProgram struct {
	m      *comm.Member
	dev    *gridstride.Device
	stream *gridstride.Stream
	shared *rand.Rand // the same numbers on every rank
	said   []string
}

func newProgram(m *comm.Member, stream *gridstride.Stream) *rankProgram {
	return &rankProgram{m: m, dev: stream.Device(), stream: stream}
}

// run runs the program of a seed, of a number of collectives.
func (p *rankProgram) run(ctx context.Context, seed uint64, steps int) error {
	p.shared, p.said = rand.New(rand.NewPCG(seed, 35)), nil
	for range steps {
		if err := rankSteps[p.shared.IntN(len(rankSteps))](ctx, p); err != nil {
			return fmt.Errorf("program %d of %d ranks, rank %d: %w: %q", seed, p.m.Ranks(), p.m.Rank(), err, p.said)
		}
	}
	return p.m.Wait(ctx)
}

// runMany runs programs of 1 to 6 collectives, with seeds from 0.
func (p *rankProgram) runMany(ctx context.Context, count int) error {
	for seed := range uint64(count) {
		if err := p.run(ctx, seed, 1+int(seed%6)); err != nil {
			return err
		}
	}
	return nil
}

// rankSteps enter a random collective, for each type of elements.
var rankSteps = []func(ctx context.Context, p *rankProgram) error{
	rankStep(integers[int8]()), rankStep(integers[int16]()), rankStep(integers[int32]()), rankStep(integers[uint64]()),
	rankStep(floats[float32]()), rankStep(floats[float64]()), rankStep(halves[gpu.Float16]()), rankStep(halves[gpu.BFloat16]()),
}

func rankStep[T comm.Number](of arithmetic[T]) func(ctx context.Context, p *rankProgram) error {
	return func(ctx context.Context, p *rankProgram) error {
		n := p.shared.IntN(300)
		s := &rankVectors[T]{rankProgram: p, arithmetic: of, n: n}
		for range p.m.Ranks() {
			v := make([]T, n*p.m.Ranks())
			for i := range v {
				v[i] = of.random(p.shared)
			}
			s.host = append(s.host, v)
		}
		return s.step(ctx)
	}
}

// rankVectors are a vector of each rank, with a share of n elements for each rank.
type rankVectors[T comm.Number] struct {
	*rankProgram
	arithmetic[T]
	n    int
	host [][]T
}

// step enters one collective and compares what the rank has then.
func (s *rankVectors[T]) step(ctx context.Context) error {
	own := s.host[s.m.Rank()]
	whole, err := gridstride.CopyOf(s.dev, own)
	if err != nil {
		return err
	}
	defer whole.Free()
	result, err := gridstride.CopyOf(s.dev, own)
	if err != nil {
		return err
	}
	defer result.Free()
	want, err := s.enter(ctx, result, whole)
	if err != nil {
		return err
	}
	got, err := result.Read(ctx, s.stream, nil)
	if err == nil && !slices.Equal(bytes(got), bytes(want)) {
		err = fmt.Errorf("%v, want %v", got, want)
	}
	return err
}

// enter enters a random collective from whole to result, which have the rank's vector. It returns
// what result should have.
func (s *rankVectors[T]) enter(ctx context.Context, result, whole gridstride.Buffer[T]) (want []T, err error) {
	ranks, n, m := s.m.Ranks(), s.n, s.m
	kind, root, op, inPlace := s.shared.IntN(7), s.shared.IntN(ranks), comm.Op(s.shared.IntN(4)), s.shared.IntN(2) == 0
	s.said = append(s.said, fmt.Sprintf("operation %d, op %d, root %d, %d of %T, in place %t", kind, op, root, n, *new(T), inPlace))
	rank, to := m.Rank(), (root+1)%ranks
	want = slices.Clone(s.host[rank])
	share := func(of, part int) []T { return s.host[of][part*n : (part+1)*n] }
	switch kind {
	case 0:
		return s.folded(op), comm.EnterAllReduce(ctx, m, op, result, whole)
	case 1:
		copy(want, s.folded(op)[rank*n:(rank+1)*n])
		return want, comm.EnterReduceScatter(ctx, m, op, result.Slice(0, n), whole)
	case 2:
		if rank == root {
			want = s.folded(op)
		}
		return want, comm.EnterReduce(ctx, m, op, root, result, whole)
	case 3:
		return s.host[root], comm.EnterBroadcast(ctx, m, root, result)
	case 4:
		src := whole.Slice(rank*n, (rank+1)*n)
		if inPlace {
			src = result.Slice(rank*n, (rank+1)*n)
		}
		for other := range ranks {
			copy(want[other*n:], share(other, other))
		}
		return want, comm.EnterAllGather(ctx, m, result, src)
	case 5:
		for other := range ranks {
			copy(want[other*n:], share(other, rank))
		}
		return want, comm.EnterAllToAll(ctx, m, result, whole)
	}
	switch {
	case to == root: // one rank
	case rank == root:
		err = comm.EnterSend(ctx, m, to, whole)
	case rank == to:
		return s.host[root], comm.EnterRecv(ctx, m, root, result)
	}
	return want, err
}

// folded is element by element what the ranks' vectors combine to.
func (s *rankVectors[T]) folded(op comm.Op) []T {
	m := machine[T]{arithmetic: s.arithmetic, x: s.host}
	return m.folded(op, s.host)
}

// TestJoinPrograms runs random programs on ranks that have joined, and on goroutines of one group.
func TestJoinPrograms(t *testing.T) {
	parallel(t)
	for _, ranks := range []int{1, 2, 3, 5} {
		devs := devices(t, ranks)
		if len(devs) < ranks {
			t.Logf("%d GPUs", len(devs))
			break
		}
		g := group(t, devs)
		near := make([]*comm.Member, ranks)
		for rank := range near {
			near[rank] = g.Member(rank)
		}
		groups := [][]*comm.Member{near, joined(t, devs, comm.Options{}), joined(t, devs, comm.Options{Lockstep: true})}
		t.Logf("%d ranks: %s", ranks, groups[1][0].NCCL())
		for _, members := range groups {
			must(t, errors.Join(atOnce(members, func(m *comm.Member) error {
				return newProgram(m, m.Stream()).runMany(t.Context(), *programs/4)
			})...))
		}
	}
}
