package comm_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
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

// rankProgram is a rank's part of a random program of collectives: the same for members of one
// process and of several. Its digest is of all that the rank has received.
type rankProgram struct {
	m      *comm.Member
	dev    *gridstride.Device
	stream *gridstride.Stream
	shared *rand.Rand // the same numbers on every rank
	own    *rand.Rand
	digest hash.Hash
}

func newProgram(m *comm.Member, stream *gridstride.Stream, seed uint64) *rankProgram {
	return &rankProgram{m, stream.Device(), stream, rand.New(rand.NewPCG(seed, 0)), rand.New(rand.NewPCG(seed, uint64(1+m.Rank()))), sha256.New()}
}

// run runs a number of steps and returns the digest.
func (p *rankProgram) run(ctx context.Context, steps int) (string, error) {
	for range steps {
		var err error
		switch p.shared.IntN(4) {
		case 0:
			err = step[int32](ctx, p, func() int32 { return p.own.Int32() })
		case 1:
			err = step[float32](ctx, p, func() float32 { return float32(p.own.NormFloat64()) })
		case 2:
			err = step[int16](ctx, p, func() int16 { return int16(p.own.Int32()) })
		default:
			err = step[gpu.BFloat16](ctx, p, func() gpu.BFloat16 { return gpu.BFloat16Of(float32(p.own.NormFloat64())) })
		}
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%x", p.digest.Sum(nil)), nil
}

// step enters one collective and adds what the rank receives to the digest.
func step[T comm.Number](ctx context.Context, p *rankProgram, number func() T) error {
	ranks, n := p.m.Ranks(), p.shared.IntN(300)
	root, op := p.shared.IntN(ranks), comm.Op(p.shared.IntN(4))
	host := make([]T, n*ranks)
	for i := range host {
		host[i] = number()
	}
	whole, err := gridstride.CopyOf(p.dev, host)
	if err != nil {
		return err
	}
	defer whole.Free()
	result, err := gridstride.CopyOf(p.dev, host)
	if err != nil {
		return err
	}
	defer result.Free()
	from := p.m.Rank() * n
	share := result.Slice(from, from+n) // also in place
	if p.shared.IntN(2) == 0 {
		share = whole.Slice(0, n)
	}
	switch p.shared.IntN(6) {
	case 0:
		err = comm.EnterAllReduce(ctx, p.m, op, result, whole)
	case 1:
		err = comm.EnterReduceScatter(ctx, p.m, op, result.Slice(0, n), whole)
	case 2:
		err = comm.EnterReduce(ctx, p.m, op, root, result, whole)
	case 3:
		err = comm.EnterBroadcast(ctx, p.m, root, result)
	case 4:
		err = comm.EnterAllGather(ctx, p.m, result, share)
	default:
		err = comm.EnterAllToAll(ctx, p.m, result, whole)
	}
	if err != nil {
		return err
	}
	got, err := result.Read(ctx, p.stream, nil)
	p.digest.Write(bytes(got))
	return err
}

// TestJoinPrograms: processes that have joined receive the bits that goroutines of one do.
func TestJoinPrograms(t *testing.T) {
	parallel(t)
	for _, ranks := range []int{1, 2, 3, 5} {
		devs := devices(t, ranks)
		if len(devs) < ranks {
			t.Logf("%d GPUs", len(devs))
			break
		}
		g := group(t, devs)
		far := joined(t, devs, comm.Options{})
		t.Logf("%d ranks: %s", ranks, far[0].NCCL())
		for seed := range uint64(4) {
			want, got := make([]string, ranks), make([]string, ranks)
			near := make([]*comm.Member, ranks)
			for rank := range near {
				near[rank] = g.Member(rank)
			}
			must(t, errors.Join(atOnce(near, func(m *comm.Member) (err error) {
				want[m.Rank()], err = newProgram(m, g.Stream(m.Rank()), seed).run(t.Context(), 40)
				return err
			})...))
			must(t, errors.Join(atOnce(far, func(m *comm.Member) (err error) {
				got[m.Rank()], err = newProgram(m, m.Stream(), seed).run(t.Context(), 40)
				return err
			})...))
			if !slices.Equal(got, want) {
				t.Errorf("%d ranks, seed %d: the results differ", ranks, seed)
			}
		}
	}
}
