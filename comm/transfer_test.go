package comm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/comm"
)

// membersOf are the ranks of a group of goroutines, of one that was joined, and of one in lockstep.
func membersOf(t *testing.T, devs []*gridstride.Device) map[string][]*comm.Member {
	t.Helper()
	g := group(t, devs)
	var near []*comm.Member
	for rank := range devs {
		near = append(near, g.Member(rank))
	}
	return map[string][]*comm.Member{
		"goroutines": near,
		"joined":     joined(t, devs, comm.Options{}),
		"lockstep":   joined(t, devs, comm.Options{Lockstep: true}),
	}
}

// whole is a buffer of n numbers of a member's device.
func whole(t *testing.T, m *comm.Member, n int) gridstride.Buffer[int32] {
	t.Helper()
	b, err := gridstride.CopyOf(m.Stream().Device(), slices.Repeat([]int32{int32(m.Rank())}, n))
	must(t, err)
	t.Cleanup(func() { must(t, b.Free()) })
	return b
}

// TestRing passes every rank's vector round the ring, many times without a wait.
func TestRing(t *testing.T) {
	parallel(t)
	for _, ranks := range []int{2, 3, 4} {
		devs := devices(t, ranks)
		if len(devs) < ranks {
			t.Skipf("%d GPUs", len(devs))
		}
		for _, members := range membersOf(t, devs) {
			const n = 1003
			must(t, errors.Join(atOnce(members, func(m *comm.Member) error {
				from, to := whole(t, m, n), whole(t, m, n)
				next, last := (m.Rank()+1)%ranks, (m.Rank()+ranks-1)%ranks
				for turn := range 5 * ranks {
					send := func() error { return comm.EnterSend(t.Context(), m, next, from) }
					receive := func() error { return comm.EnterRecv(t.Context(), m, last, to) }
					first, second := send, receive
					if m.Rank() == turn%ranks {
						first, second = receive, send
					}
					if err := errors.Join(first(), second()); err != nil {
						return err
					}
					from, to = to, from
				}
				if err := m.Wait(t.Context()); err != nil {
					return err
				}
				got, err := from.Read(t.Context(), m.Stream(), nil)
				if err == nil && !slices.Equal(got, slices.Repeat([]int32{int32(m.Rank())}, n)) {
					err = fmt.Errorf("rank %d has %v", m.Rank(), got[:3])
				}
				return err
			})...))
		}
	}
}

// TestTransferMismatch: ranks whose transfers do not go together, or wait for each other for ever,
// get an error that names two of them and what they entered.
func TestTransferMismatch(t *testing.T) {
	parallel(t)
	devs := devices(t, 3)
	if len(devs) < 2 {
		t.Skip("one GPU")
	}
	ctx := t.Context()
	send := func(m *comm.Member, to, n int) error { return comm.EnterSend(ctx, m, to, whole(t, m, n)) }
	receive := func(m *comm.Member, from, n int) error { return comm.EnterRecv(ctx, m, from, whole(t, m, n)) }
	for _, c := range []struct {
		name  string
		ranks int
		do    func(m *comm.Member) error
		texts []string // of one rank and another
	}{
		{"another length", 2, func(m *comm.Member) error {
			if m.Rank() == 0 {
				return send(m, 1, 5)
			}
			return receive(m, 0, 4)
		}, []string{"Send to rank 1 of 5 int32", "Recv from rank 0 of 4 int32"}},
		{"another type", 2, func(m *comm.Member) error {
			if m.Rank() == 0 {
				return send(m, 1, 5)
			}
			b, err := gridstride.Cast[uint32](whole(t, m, 5))
			must(t, err)
			return comm.EnterRecv(ctx, m, 0, b)
		}, []string{"Send to rank 1 of 5 int32", "Recv from rank 0 of 5 uint32"}},
		{"both send", 2, func(m *comm.Member) error { return send(m, 1-m.Rank(), 2) },
			[]string{"Send to rank 1 of 2 int32", "Send to rank 0 of 2 int32"}},
		{"both receive", 2, func(m *comm.Member) error { return receive(m, 1-m.Rank(), 2) },
			[]string{"Recv from rank 1 of 2 int32", "Recv from rank 0 of 2 int32"}},
		{"a collective", 2, func(m *comm.Member) error {
			if m.Rank() == 0 {
				return send(m, 1, 2)
			}
			b := whole(t, m, 2)
			return comm.EnterAllReduce(ctx, m, comm.Sum, b, b)
		}, []string{"Send to rank 1 of 2 int32", "AllReduce(Sum) of 2 int32"}},
		{"all send round a ring", 3, func(m *comm.Member) error { return send(m, (m.Rank()+1)%3, 2) },
			[]string{"Send to rank", "Send to rank"}},
		{"another receiver, by way of a collective", 3, func(m *comm.Member) error {
			switch m.Rank() {
			case 0:
				return send(m, 1, 2)
			case 1:
				return receive(m, 2, 2)
			}
			b := whole(t, m, 2)
			return comm.EnterBroadcast(ctx, m, 0, b)
		}, []string{"rank"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if len(devs) < c.ranks {
				t.Skipf("%d GPUs", len(devs))
			}
			for name, members := range membersOf(t, devs[:c.ranks]) {
				within(t, func() {
					for _, err := range atOnce(members, func(m *comm.Member) error { return settled(ctx, m, c.do(m)) }) {
						if !errors.Is(err, comm.ErrMismatch) {
							t.Errorf("%s: %v, want a mismatch", name, err)
							continue
						}
						for _, text := range c.texts {
							if !strings.Contains(err.Error(), text) {
								t.Errorf("%s: %v, want %q", name, err, text)
							}
						}
					}
				})
			}
		})
	}
}

// within fails a test if f does not return in time.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("a rank hangs")
	}
}

// TestTransferAbsent: a rank that waits for one that does not come gets an error that names it. A
// transfer of two ranks goes on when a third has left.
func TestTransferAbsent(t *testing.T) {
	parallel(t)
	devs := devices(t, 3)
	if len(devs) < 3 {
		t.Skip("fewer than three GPUs")
	}
	for _, members := range membersOf(t, devs) {
		members[2].Leave()
		must(t, errors.Join(atOnce(members[:2], func(m *comm.Member) error {
			if m.Rank() == 0 {
				return comm.EnterSend(t.Context(), m, 1, whole(t, m, 3))
			}
			return comm.EnterRecv(t.Context(), m, 0, whole(t, m, 3))
		})...))
		err := settled(t.Context(), members[1], comm.EnterRecv(t.Context(), members[1], 2, whole(t, members[1], 3)))
		wantRefusal(t, err, comm.ErrAbsent, "Recv from rank 2 of 3 int32: rank 2 has left the group")
	}
	for _, members := range membersOf(t, devs) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		err := settled(ctx, members[1], comm.EnterSend(ctx, members[1], 0, whole(t, members[1], 3)))
		wantRefusal(t, err, comm.ErrAbsent, "Send to rank 0 of 3 int32: rank 0 has not entered it")
		wantRefusal(t, err, context.DeadlineExceeded, "deadline")
	}
}

// TestTransferRefused: a rank that is none, or the rank itself, is no end of a transfer, and the ranks
// go on.
func TestTransferRefused(t *testing.T) {
	parallel(t)
	devs := devices(t, 2)
	if len(devs) < 2 {
		t.Skip("one GPU")
	}
	for _, members := range membersOf(t, devs) {
		x := whole(t, members[0], 2)
		wantRefusal(t, comm.EnterSend(t.Context(), members[0], 2, x), comm.ErrRank, "comm: EnterSend: to is 2; want 0 to 1")
		wantRefusal(t, comm.EnterRecv(t.Context(), members[0], -1, x), comm.ErrRank, "comm: EnterRecv: from is -1; want 0 to 1")
		wantRefusal(t, comm.EnterSend(t.Context(), members[0], 0, x), comm.ErrRank, "to is the rank itself, 0")
		must(t, errors.Join(atOnce(members, func(m *comm.Member) error {
			if m.Rank() == 0 {
				return comm.EnterSend(t.Context(), m, 1, x)
			}
			return comm.EnterRecv(t.Context(), m, 0, whole(t, m, 2))
		})...))
	}
	freed, err := gridstride.Make[int32](devs[0], 1)
	must(t, err)
	must(t, freed.Free())
	members := joined(t, devs, comm.Options{})
	wantRefusal(t, comm.EnterSend(t.Context(), members[0], 1, freed), gridstride.ErrFreed, "Send: rank 0")
}

// TestAhead: a rank may enter collectives long before the others, and all get their results.
func TestAhead(t *testing.T) {
	parallel(t)
	devs := devices(t, 2)
	if len(devs) < 2 {
		t.Skip("one GPU")
	}
	for _, members := range membersOf(t, devs) {
		var sums [2]int32
		must(t, errors.Join(atOnce(members, func(m *comm.Member) error {
			x := whole(t, m, 1)
			if m.Rank() == 1 {
				time.Sleep(20 * time.Millisecond)
			}
			for range 300 { // more than a rank may be ahead
				if err := comm.EnterAllReduce(t.Context(), m, comm.Max, x, x); err != nil {
					return err
				}
			}
			if err := m.Wait(t.Context()); err != nil {
				return err
			}
			got, err := x.Read(t.Context(), m.Stream(), nil)
			if err == nil {
				sums[m.Rank()] = got[0]
			}
			return err
		})...))
		if sums != [2]int32{1, 1} {
			t.Errorf("the ranks have %v", sums)
		}
	}
}
