package comm_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/comm"
)

// each calls do for every rank at once, and returns the errors. A test fails that takes too long.
func each(t *testing.T, g *comm.Group, do func(m *comm.Member) error) []error {
	t.Helper()
	errs := make([]error, g.Ranks())
	var wg sync.WaitGroup
	for rank := range errs {
		wg.Go(func() { errs[rank] = do(g.Member(rank)) })
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("a rank hangs")
	}
	return errs
}

// TestMembers enters every collective from a goroutine for each rank, in a program that is the same
// for all.
func TestMembers(t *testing.T) {
	parallel(t)
	devs := devices(t, 4)
	ranks := len(devs)
	g := group(t, devs)
	host, narrow := make([][]int32, ranks), make([][]float32, ranks)
	for rank := range host {
		for i := range 8 * ranks {
			host[rank] = append(host[rank], int32(100*rank+i))
		}
		narrow[rank] = []float32{float32(rank), 1}
	}
	a, b, f := upload(t, g, host), upload(t, g, host), upload(t, g, narrow)
	for _, err := range each(t, g, func(m *comm.Member) error {
		rank, ctx := m.Rank(), t.Context()
		x, y := a[rank], b[rank]
		var small []gridstride.Buffer[int32] // a rank's shares
		for k := range ranks {
			small = append(small, y.Slice(8*k, 8*(k+1)))
		}
		return errors.Join(
			comm.EnterAllReduce(ctx, m, comm.Max, x, x),                           // x[i] = 100*(ranks-1) + i
			comm.EnterBroadcast(ctx, m, 0, y),                                     // y[i] = i
			comm.EnterReduceScatter(ctx, m, comm.Sum, small[rank], y),             // y's share times ranks
			comm.EnterAllGather(ctx, m, x, small[rank]),                           // x[i] = ranks * i
			comm.EnterAllToAll(ctx, m, y, x),                                      // y's share k is x's share rank
			comm.EnterReduce(ctx, m, comm.Sum, ranks-1, b[rank], b[rank]),         // at the last rank
			comm.EnterAllReduceReproducible(ctx, m, f[rank].Slice(0, 1), f[rank]), // the sum of all
		)
	}) {
		must(t, err)
	}
	must(t, g.Wait(t.Context()))
	got, err := b[ranks-1].Read(t.Context(), g.Stream(ranks-1), nil)
	must(t, err)
	for i, v := range got {
		want := int32(0)
		for rank := range ranks {
			want += int32(ranks * (8*rank + i%8))
		}
		if v != want {
			t.Fatalf("element %d is %d, want %d", i, v, want)
		}
	}
	sum, err := f[0].Read(t.Context(), g.Stream(0), nil)
	must(t, err)
	if want := float32(ranks*(ranks-1)/2 + ranks); sum[0] != want {
		t.Errorf("the reproducible sum is %v, want %v", sum[0], want)
	}
}

// TestMismatch has ranks enter collectives in different orders, with other sizes, operations, roots
// and types: all get an error that names two of them and what they entered.
func TestMismatch(t *testing.T) {
	parallel(t)
	devs := devices(t, 3)
	if len(devs) < 2 {
		t.Skip("one GPU")
	}
	odd := len(devs) - 1 // the rank that does something else
	ctx := t.Context()
	type entered func(m *comm.Member, x gridstride.Buffer[int32]) error
	sum := func(m *comm.Member, x gridstride.Buffer[int32]) error {
		return comm.EnterAllReduce(ctx, m, comm.Sum, x, x)
	}
	root := func(root int) entered {
		return func(m *comm.Member, x gridstride.Buffer[int32]) error { return comm.EnterBroadcast(ctx, m, root, x) }
	}
	for _, c := range []struct {
		most, other entered
		texts       [2]string
	}{
		{sum, func(m *comm.Member, x gridstride.Buffer[int32]) error {
			return comm.EnterAllReduce(ctx, m, comm.Sum, x.Slice(0, 3), x.Slice(0, 3))
		}, [2]string{"AllReduce(Sum) of 6 int32", "AllReduce(Sum) of 3 int32"}},
		{sum, func(m *comm.Member, x gridstride.Buffer[int32]) error {
			return comm.EnterAllReduce(ctx, m, comm.Min, x, x)
		},
			[2]string{"AllReduce(Sum) of 6 int32", "AllReduce(Min) of 6 int32"}},
		{sum, func(m *comm.Member, x gridstride.Buffer[int32]) error {
			y, err := gridstride.Cast[uint32](x)
			must(t, err)
			return comm.EnterAllReduce(ctx, m, comm.Sum, y, y)
		}, [2]string{"AllReduce(Sum) of 6 int32", "AllReduce(Sum) of 6 uint32"}},
		{sum, root(0), [2]string{"AllReduce(Sum) of 6 int32", "Broadcast with root 0 of 6 int32"}},
		{root(0), root(1), [2]string{"Broadcast with root 0 of 6 int32", "Broadcast with root 1 of 6 int32"}},
		{ // in another order
			func(m *comm.Member, x gridstride.Buffer[int32]) error { return errors.Join(sum(m, x), root(0)(m, x)) },
			func(m *comm.Member, x gridstride.Buffer[int32]) error { return errors.Join(root(0)(m, x), sum(m, x)) },
			[2]string{"AllReduce(Sum) of 6 int32", "Broadcast with root 0 of 6 int32"},
		},
	} {
		g := group(t, devs)
		x := upload(t, g, slices.Repeat([][]int32{{1, 2, 3, 4, 5, 6}}, len(devs)))
		for rank, err := range each(t, g, func(m *comm.Member) error {
			if m.Rank() == odd {
				return c.other(m, x[odd])
			}
			return c.most(m, x[m.Rank()])
		}) {
			mismatch, ok := errors.AsType[*comm.MismatchError](err)
			if !ok || !errors.Is(err, comm.ErrMismatch) {
				t.Errorf("rank %d: %v, want a mismatch", rank, err)
				continue
			}
			first, second := mismatch.Entered[0], mismatch.Entered[1]
			if mismatch.Ranks[0] == odd {
				first, second = second, first
			}
			if got := [2]string{first, second}; got != c.texts || !slices.Contains(mismatch.Ranks[:], odd) {
				t.Errorf("rank %d: %v, want %q, the last of rank %d", rank, err, c.texts, odd)
			}
		}
		must(t, g.Wait(ctx))
		got, err := x[0].Read(ctx, g.Stream(0), nil)
		must(t, err)
		if !slices.Equal(got, []int32{1, 2, 3, 4, 5, 6}) {
			t.Errorf("a refused collective has changed a buffer to %v", got)
		}
		must(t, comm.AllReduce(g, comm.Max, x, x)) // the group itself goes on
	}
}

// TestAbsent: ranks that wait for one that does not come get an error that names it, when a context
// ends or the rank leaves, and so does the one that comes too late.
func TestAbsent(t *testing.T) {
	parallel(t)
	devs := devices(t, 3)
	if len(devs) < 3 {
		t.Skip("fewer than three GPUs")
	}
	enter := func(ctx context.Context, m *comm.Member, x []gridstride.Buffer[int32]) error {
		return comm.EnterAllReduce(ctx, m, comm.Sum, x[m.Rank()], x[m.Rank()])
	}
	for name, c := range map[string]struct {
		leave bool
		text  string
	}{
		"a context ends": {false, "comm: AllReduce(Sum) of 2 int32: ranks 0, 2 have not entered it: context deadline exceeded"},
		"ranks leave":    {true, "comm: AllReduce(Sum) of 2 int32: rank 2 has left the group"},
	} {
		t.Run(name, func(t *testing.T) {
			g := group(t, devs)
			x := upload(t, g, [][]int32{{1, 2}, {3, 4}, {5, 6}})
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			if c.leave {
				ctx = t.Context()
				time.AfterFunc(20*time.Millisecond, g.Member(2).Leave)
			}
			err := enter(ctx, g.Member(1), x)
			absent, ok := errors.AsType[*comm.AbsentError](err)
			if !ok || err.Error() != c.text || !errors.Is(err, comm.ErrAbsent) || errors.Is(err, context.DeadlineExceeded) == c.leave {
				t.Errorf("%v, want %q", err, c.text)
			} else if absent.Ranks[len(absent.Ranks)-1] != 2 {
				t.Errorf("absent are %d", absent.Ranks)
			}
			if late := enter(t.Context(), g.Member(0), x); late != err {
				t.Errorf("a rank that comes too late: %v, want %v", late, err)
			}
			must(t, g.Wait(t.Context()))
		})
	}
	g := group(t, devs)
	x := upload(t, g, [][]int32{{1, 2}, {3, 4}, {5, 6}})
	g.Member(0).Leave()
	g.Member(0).Leave()
	wantRefusal(t, enter(t.Context(), g.Member(1), x), comm.ErrAbsent, "rank 0 has left the group")
}

// TestMembersRefused has a collective refuse its arguments: every rank gets the error, and the ranks go on.
func TestMembersRefused(t *testing.T) {
	parallel(t)
	devs := devices(t, 2)
	if len(devs) < 2 {
		t.Skip("one GPU")
	}
	g := group(t, devs)
	x := upload(t, g, [][]int32{{1, 2}, {3, 4}})
	for _, err := range each(t, g, func(m *comm.Member) error {
		return comm.EnterAllReduce(t.Context(), m, comm.Sum, x[m.Rank()].Slice(0, 2-m.Rank()), x[m.Rank()])
	}) {
		wantRefusal(t, err, comm.ErrSize, "comm: AllReduce: dst of rank 1 has 1 elements; want 2")
	}
	wantRefusal(t, comm.EnterReduce(t.Context(), g.Member(0), comm.Sum, 2, x[0], x[0]), comm.ErrRank, "comm: EnterReduce: root is 2; want 0 to 1")
	for _, err := range each(t, g, func(m *comm.Member) error {
		return comm.EnterAllReduce(t.Context(), m, comm.Sum, x[m.Rank()], x[m.Rank()])
	}) {
		must(t, err)
	}
}

// TestMemberPrograms runs random programs in which a rank is planted an error: it leaves one
// collective out, enters one more, has another length, or exchanges two. All ranks end, with an error
// if the programs do not go together, and without one if they do.
func TestMemberPrograms(t *testing.T) {
	parallel(t)
	devs := devices(t, 8)
	if len(devs) < 2 {
		t.Skip("one GPU")
	}
	planted := map[string]int{}
	for seed := range uint64(*programs) {
		t.Run("", func(t *testing.T) { // its group ends with it
			planted[memberProgram(t, devs, seed)]++
		})
	}
	t.Logf("planted: %v", planted)
}

// memberProgram runs the program of a seed, and returns the kind of error that was planted.
func memberProgram(t *testing.T, devs []*gridstride.Device, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 34))
	ranks := 2 + r.IntN(len(devs)-1)
	g := group(t, devs[:ranks])
	x := upload(t, g, slices.Repeat([][]int32{make([]int32, 16)}, ranks))
	program := make([]int, 2+r.IntN(6))
	for i := range program {
		program[i] = r.IntN(memberSteps)
	}
	culprit, kind := r.IntN(ranks), []string{"none", "left out", "one more", "exchanged", "another"}[r.IntN(5)]
	steps := slices.Repeat([][]int{program}, ranks)
	steps[culprit] = plant(r, program, kind)
	goes := together(steps)
	errs := each(t, g, func(m *comm.Member) error {
		defer m.Leave()
		for _, step := range steps[m.Rank()] {
			if err := memberStep(t.Context(), m, step, x[m.Rank()]); err != nil {
				return err
			}
		}
		return nil
	})
	err := errors.Join(errs...)
	if goes != (err == nil) || err != nil && !errors.Is(err, comm.ErrMismatch) && !errors.Is(err, comm.ErrAbsent) {
		t.Fatalf("program %d, %s: %v of rank %d: %v", seed, kind, steps, culprit, err)
	}
	alone := errors.Is(errs[culprit], comm.ErrAbsent) // it has entered more than the others
	transfers := slices.ContainsFunc(program, func(step int) bool { return step%6 >= 4 })
	if err != nil && !alone && !transfers && !strings.Contains(err.Error(), fmt.Sprint("rank ", culprit)) {
		t.Fatalf("program %d: %v does not name rank %d", seed, err, culprit)
	}
	must(t, g.Wait(t.Context()))
	if goes {
		return "none"
	}
	return kind
}

// plant is a program with an error of a kind.
func plant(r *rand.Rand, program []int, kind string) []int {
	other, at := slices.Clone(program), r.IntN(len(program))
	switch kind {
	case "left out":
		return slices.Delete(other, at, at+1)
	case "one more":
		return slices.Insert(other, at, r.IntN(memberSteps))
	case "exchanged":
		to := r.IntN(len(program))
		other[at], other[to] = other[to], other[at]
	case "another":
		other[at] = r.IntN(memberSteps)
	}
	return other
}

// memberSteps are six kinds of collectives, of three lengths each. Kind 4 is a transfer from rank 0 to
// rank 1, and kind 5 one from the last rank to rank 0.
const memberSteps = 18

// ends are the ranks of a transfer, and none of another collective.
func ends(step, ranks int) (from, to int, transfer bool) {
	switch step % 6 {
	case 4:
		return 0, 1, true
	case 5:
		return ranks - 1, 0, true
	}
	return 0, 0, false
}

// takesPart reports that a rank does something in a step.
func takesPart(step, rank, ranks int) bool {
	from, to, transfer := ends(step, ranks)
	return !transfer || rank == from || rank == to
}

// together reports that the programs of the ranks go together: a plain walk, in which a step runs when
// all that it needs are at it.
func together(programs [][]int) bool {
	ranks := len(programs)
	left := make([][]int, ranks)
	for rank, p := range programs {
		left[rank] = slices.DeleteFunc(slices.Clone(p), func(step int) bool { return !takesPart(step, rank, ranks) })
	}
	for {
		var runs []int
		for _, p := range left {
			if len(p) == 0 {
				continue
			}
			var at []int
			for other := range ranks {
				if takesPart(p[0], other, ranks) && len(left[other]) > 0 && left[other][0] == p[0] {
					at = append(at, other)
				}
			}
			_, _, transfer := ends(p[0], ranks)
			if len(at) == ranks || transfer && len(at) == 2 {
				runs = at
				break
			}
		}
		if runs == nil {
			return !slices.ContainsFunc(left, func(p []int) bool { return len(p) > 0 })
		}
		for _, rank := range runs {
			left[rank] = left[rank][1:]
		}
	}
}

// memberStep is one of the steps.
func memberStep(ctx context.Context, m *comm.Member, step int, x gridstride.Buffer[int32]) error {
	x = x.Slice(0, 1+step/6)
	if from, to, transfer := ends(step, m.Ranks()); transfer {
		switch m.Rank() {
		case from:
			return comm.EnterSend(ctx, m, to, x)
		case to:
			return comm.EnterRecv(ctx, m, from, x)
		}
		return nil
	}
	switch step % 6 {
	case 0:
		return comm.EnterAllReduce(ctx, m, comm.Max, x, x)
	case 1:
		return comm.EnterBroadcast(ctx, m, 1, x)
	case 2:
		return comm.EnterReduce(ctx, m, comm.Sum, 0, x, x)
	}
	return comm.EnterAllReduce(ctx, m, comm.Min, x, x)
}
