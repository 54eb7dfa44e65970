package comm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/comm"
)

// TestJoinRefused: what cannot be joined is refused at once, by name.
func TestJoinRefused(t *testing.T) {
	parallel(t)
	s := devices(t, 1)[0].Stream()
	for _, c := range []struct {
		at   comm.Rendezvous
		s    *gridstride.Stream
		o    comm.Options
		kind error
		text string
	}{
		{comm.Rendezvous{Address: "tcp://:1", Rank: 0, Ranks: 0}, s, comm.Options{}, comm.ErrRendezvous, "Ranks is 0; want 1 to 64"},
		{comm.Rendezvous{Address: "tcp://:1", Rank: 0, Ranks: 65}, s, comm.Options{}, comm.ErrRendezvous, "Ranks is 65; want 1 to 64"},
		{comm.Rendezvous{Address: "tcp://:1", Rank: 2, Ranks: 2}, s, comm.Options{}, comm.ErrRendezvous, "Rank is 2; want 0 to 1"},
		{comm.Rendezvous{Address: "tcp://:1", Rank: -1, Ranks: 2}, s, comm.Options{}, comm.ErrRendezvous, "Rank is -1; want 0 to 1"},
		{comm.Rendezvous{Address: "", Ranks: 1}, s, comm.Options{}, comm.ErrRendezvous, `want "tcp://host:port" or "file:///path"`},
		{comm.Rendezvous{Address: "tcp://host", Ranks: 1}, s, comm.Options{}, comm.ErrRendezvous, `Address is "tcp://host"`},
		{comm.Rendezvous{Address: "file://host/x", Ranks: 1}, s, comm.Options{}, comm.ErrRendezvous, `Address is "file://host/x"`},
		{comm.Rendezvous{Address: "tcp://:1", Ranks: 1}, nil, comm.Options{}, comm.ErrGroup, "the stream is nil"},
		{comm.Rendezvous{Address: "tcp://:1", Ranks: 1}, s, comm.Options{NCCL: 9}, comm.ErrNCCL, "Options.NCCL is 9"},
	} {
		_, err := comm.Join(t.Context(), c.s, c.at, c.o)
		wantRefusal(t, err, c.kind, c.text)
	}
	if !onGPU() {
		_, err := comm.Join(t.Context(), s, comm.Rendezvous{Address: "tcp://127.0.0.1:0", Ranks: 1}, comm.Options{NCCL: comm.Always})
		wantRefusal(t, err, comm.ErrNCCL, "which is no GPU")
	}
}

// TestJoinAbsent: the wait for ranks that do not come ends with the context. Rank 0 names them.
func TestJoinAbsent(t *testing.T) {
	parallel(t)
	devs := devices(t, 2)
	if len(devs) < 2 {
		t.Skip("one GPU")
	}
	at := place(t)
	at.Ranks = 4
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	errs := make(chan error, 2)
	for rank := range 2 {
		go func() {
			at := at
			at.Rank = rank
			_, err := comm.Join(ctx, devs[rank].Stream(), at, comm.Options{NCCL: comm.Never})
			errs <- err
		}()
	}
	var zero int
	for range 2 {
		err := <-errs
		if a, ok := errors.AsType[*comm.AbsentError](err); ok {
			zero++
			if !slices.Contains(a.Ranks, 2) || !slices.Contains(a.Ranks, 3) || slices.Contains(a.Ranks, 0) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v", err)
			}
		} else if err == nil {
			t.Error("a rank of four has joined two")
		}
	}
	if zero != 1 {
		t.Errorf("%d ranks name the absent ones, want rank 0", zero)
	}
	at.Rank = 3
	late, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := comm.Join(late, devs[0].Stream(), at, comm.Options{})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "rank 0 is not reached at file://") {
		t.Errorf("without a rank 0: %v", err)
	}
}

// TestJoinWrong: ranks that do not make one group are told so, and the right ones still join.
func TestJoinWrong(t *testing.T) {
	parallel(t)
	devs := devices(t, 3)
	if len(devs) < 3 {
		t.Skip("needs three devices")
	}
	at := place(t)
	type result struct {
		m   *comm.Member
		err error
	}
	join := func(dev, rank, ranks int) <-chan result {
		done := make(chan result, 1)
		go func() {
			m, err := comm.Join(t.Context(), devs[dev].Stream(), comm.Rendezvous{Address: at.Address, Rank: rank, Ranks: ranks}, comm.Options{NCCL: comm.Never})
			done <- result{m, err}
		}()
		return done
	}
	zero := join(0, 0, 3)
	wantRefusal(t, (<-join(1, 1, 2)).err, comm.ErrRendezvous, "rank 1 is one of 2 ranks, and rank 0 of 3")
	one, other := join(1, 1, 3), join(0, 1, 3) // one of them is too many
	select {
	case r := <-one:
		one = other
		wantRefusal(t, r.err, comm.ErrRendezvous, "rank 1 has come twice")
	case r := <-other:
		wantRefusal(t, r.err, comm.ErrRendezvous, "rank 1 has come twice")
	}
	for _, done := range []<-chan result{join(2, 2, 3), one, zero} {
		r := <-done
		must(t, r.err)
		defer r.m.Close()
	}
}

// TestJoinStrangers: what connects and says nothing, or nonsense, holds nobody up, and the file of
// an earlier group does not either.
func TestJoinStrangers(t *testing.T) {
	parallel(t)
	devs := devices(t, 2)
	if len(devs) < 2 {
		t.Skip("one GPU")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	go func() { // a stranger where the old file points
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Write([]byte("220 mail.example.org ESMTP, and more than a head has\r\n"))
			c.Close()
		}
	}()
	at := place(t)
	file := strings.TrimPrefix(at.Address, "file://")
	must(t, os.WriteFile(file, []byte(`{"Address":"`+l.Addr().String()+`","Token":"old"}`), 0o600))
	at.Ranks = 2
	one := make(chan error, 1)
	var members [2]*comm.Member
	second := at
	second.Rank = 1
	go func() {
		var err error
		members[1], err = comm.Join(t.Context(), devs[1].Stream(), second, comm.Options{NCCL: comm.Never})
		one <- err
	}()
	time.Sleep(100 * time.Millisecond)
	tcp := "127.0.0.1:" + freePort(t)
	stop := pester(tcp)
	defer stop()
	at.Rank = 0
	members[0], err = comm.Join(t.Context(), devs[0].Stream(), at, comm.Options{NCCL: comm.Never})
	must(t, err)
	must(t, <-one)
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
	must(t, errors.Join(atOnce(members[:], func(m *comm.Member) error { return m.Close() })...))

	streams := []*gridstride.Stream{devs[0].Stream(), devs[1].Stream()}
	again, errs := joinAll(t.Context(), comm.Rendezvous{Address: "tcp://" + tcp}, streams, comm.Options{NCCL: comm.Never})
	must(t, errors.Join(errs...))
	must(t, errors.Join(atOnce(again, func(m *comm.Member) error { return m.Close() })...))
}

// freePort is a port that nobody listens at.
func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// pester sends nonsense to an address until it is stopped.
func pester(address string) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		r := rand.New(rand.NewPCG(1, 2))
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
			c, err := net.Dial("tcp", address)
			if err != nil {
				continue
			}
			nonsense := []string{"", "GET / HTTP/1.1\r\n\r\n", "gscomm1\n\xff\xff\xff\xff", "gscomm1\n\x02\x00\x00\x00{}", "gscomm1\n\x10\x00\x00\x00{\"Kind\":\"enter\"}"}
			io.WriteString(c, nonsense[r.IntN(len(nonsense))])
			c.Close()
		}
	}()
	return func() { close(done); <-ended }
}

// TestJoinFailures: ranks of several processes get the errors of goroutines of one, from the call
// itself or, with NCCL and without Lockstep, from Wait.
func TestJoinFailures(t *testing.T) {
	parallel(t)
	for _, lockstep := range []bool{false, true} {
		t.Run(fmt.Sprintf("lockstep %t", lockstep), func(t *testing.T) { testJoinFailures(t, comm.Options{Lockstep: lockstep}) })
	}
}

// settled is the error of a call, or of the wait for it.
func settled(ctx context.Context, m *comm.Member, err error) error {
	if err != nil {
		return err
	}
	return m.Wait(ctx)
}

func testJoinFailures(t *testing.T, o comm.Options) {
	devs := devices(t, 2)
	if len(devs) < 2 {
		t.Skip("one GPU")
	}
	ten := func(t *testing.T, m *comm.Member, n int) gridstride.Buffer[int32] {
		b, err := gridstride.Make[int32](m.Stream().Device(), n)
		must(t, err)
		t.Cleanup(func() { must(t, b.Free()) })
		return b
	}
	// warm has the ranks enter what NCCL connects them for, so that a next call does not wait.
	warm := func(t *testing.T) []*comm.Member {
		members := joined(t, devs, o)
		must(t, errors.Join(atOnce(members, func(m *comm.Member) error {
			var all []error
			for _, n := range []int{1, 10} {
				b := ten(t, m, n)
				all = append(all, comm.EnterAllReduce(t.Context(), m, comm.Sum, b, b), comm.EnterBroadcast(t.Context(), m, 0, b))
			}
			return errors.Join(all...)
		})...))
		return members
	}
	testJoinFailuresOf(t, devs, func(t *testing.T) []*comm.Member { return joined(t, devs, o) }, ten)
	t.Run("warm", func(t *testing.T) { testJoinFailuresOf(t, devs, warm, ten) })
}

func testJoinFailuresOf(t *testing.T, devs []*gridstride.Device, join func(t *testing.T) []*comm.Member, ten func(t *testing.T, m *comm.Member, n int) gridstride.Buffer[int32]) {
	t.Run("another collective", func(t *testing.T) {
		for _, err := range atOnce(join(t), func(m *comm.Member) error {
			b := ten(t, m, 10+m.Rank())
			return settled(t.Context(), m, comm.EnterAllReduce(t.Context(), m, comm.Sum, b, b))
		}) {
			wantRefusal(t, err, comm.ErrMismatch, "AllReduce(Sum) of 1")
		}
	})
	t.Run("a rank has left", func(t *testing.T) {
		members := join(t)
		members[1].Leave()
		b := ten(t, members[0], 1)
		err := settled(t.Context(), members[0], comm.EnterAllReduce(t.Context(), members[0], comm.Sum, b, b))
		wantRefusal(t, err, comm.ErrAbsent, "rank 1 has left the group")
	})
	t.Run("rank 0 has left", func(t *testing.T) {
		members := join(t)
		must(t, members[0].Close())
		b := ten(t, members[1], 1)
		err := settled(t.Context(), members[1], comm.EnterAllReduce(t.Context(), members[1], comm.Sum, b, b))
		wantRefusal(t, err, comm.ErrAbsent, "rank 0 has left the group")
	})
	t.Run("the context ends", func(t *testing.T) {
		members := join(t)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		b := ten(t, members[0], 1)
		err := settled(ctx, members[0], comm.EnterBroadcast(ctx, members[0], 0, b))
		wantRefusal(t, err, comm.ErrAbsent, "rank 1 has not entered it")
		wantRefusal(t, err, context.DeadlineExceeded, "Broadcast with root 0 of 1 int32")
		c := ten(t, members[1], 1)
		wantRefusal(t, settled(t.Context(), members[1], comm.EnterBroadcast(t.Context(), members[1], 0, c)), comm.ErrAbsent, "rank 1 has not entered it")
	})
	t.Run("a buffer is refused", func(t *testing.T) {
		members := join(t)
		b, err := gridstride.Make[int32](devs[0], 1)
		must(t, err)
		must(t, b.Free())
		wantRefusal(t, comm.EnterBroadcast(t.Context(), members[0], 0, b), gridstride.ErrFreed, "Broadcast: rank 0")
	})
	t.Run("aborted", func(t *testing.T) {
		members := join(t)
		must(t, members[0].Abort())
		b := ten(t, members[1], 1)
		var err error
		for start := time.Now(); err == nil || errors.Is(err, comm.ErrAbsent); { // until the news arrives
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			err = comm.EnterBroadcast(ctx, members[1], 0, b)
			cancel()
			if time.Since(start) > 20*time.Second {
				t.Fatal("rank 1 does not hear of the abort")
			}
		}
		if !errors.Is(err, comm.ErrAborted) && !strings.Contains(err.Error(), "by Abort") {
			t.Errorf("%v", err)
		}
	})
}
