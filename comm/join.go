package comm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/device/nccl"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Rendezvous is where the processes of a group meet, and which of its ranks this one is.
type Rendezvous struct {
	// Address is the same for all ranks. In "tcp://host:port" rank 0 listens at the address. Whoever
	// can reach it can take a rank's place: it belongs in a network that is trusted, as NCCL's own
	// connections do. In "file:///path" rank 0 listens at a free port of the loopback interface, and
	// writes to the file, which only its user can read, where that is and a secret that the others
	// show. It removes the file when all have come.
	Address string
	// Rank is this process's, from 0 to Ranks-1.
	Rank, Ranks int
}

// ErrRendezvous: a Rendezvous is not complete, or rank 0 refuses the process.
var ErrRendezvous = errors.New("the process cannot join the group")

// Join makes a stream a rank of a group whose other ranks are other processes, on this machine, and
// waits until all of them have come:
//
//	at := comm.Rendezvous{Address: "file:///tmp/group", Rank: rank, Ranks: 2}
//	m, err := comm.Join(ctx, dev.Stream(), at, comm.Options{})
//	...
//	defer m.Close()
//	err = comm.EnterAllReduce(ctx, m, comm.Sum, gradients, gradients)
//	err = m.Wait(ctx)
//
// The Enter functions work as between goroutines, with the same bits and errors. Rank 0's process is
// told of each, and finds out whether all ranks enter the same. With NCCL a call does not wait for
// that: if they do not, the group is aborted, and the error is [Member.Wait]'s, Close's or a next
// call's. What a rank has received counts when Wait has returned nil. The first call of a kind and size
// waits, and with [Options.Lockstep] each does, for the time of a message there and back. A call that only this process refuses, for a
// buffer that is freed, say, aborts the group. So does the end of a process that has not closed its
// Member.
//
// On GPUs data travels by NCCL, 2.23 or newer, if all processes have the same version. Reductions
// that NCCL does not do with the promised bits (see the package) gather the vectors of all ranks on
// every GPU, in as much memory, and combine them there: with [Options.AnyOrder] that is seldom.
// Without NCCL data travels through the host and rank 0's process, at most 256 MB of a rank in a
// call: that is for tests on simulated devices, not for speed.
//
// NCCL connects machines as well as processes, and nothing here depends on one machine. It was not
// tried on several.
//
// Errors: ctx's, ErrRendezvous, ErrGroup, ErrNCCL, and *AbsentError at rank 0 where others have not
// come.
func Join(ctx context.Context, s *gridstride.Stream, r Rendezvous, o Options) (*Member, error) {
	if err := r.check(s, o); err != nil {
		return nil, err
	}
	hello := message{Kind: helloMessage, Rank: r.Rank, Ranks: r.Ranks, NCCL: askNCCL(s, o), AnyOrder: o.AnyOrder}
	if o.NCCL == Always && hello.NCCL.Why != "" {
		return nil, operand.Errorf(ErrNCCL, "comm: Join: %s", hello.NCCL.Why)
	}
	far := &distant{}
	m, err := far.join(ctx, s, r, o, hello)
	if err != nil {
		far.close()
		return nil, fmt.Errorf("comm: Join: rank %d: %w", r.Rank, err)
	}
	return m, nil
}

// check checks a process's side.
func (r Rendezvous) check(s *gridstride.Stream, o Options) error {
	switch {
	case r.Ranks < 1 || r.Ranks > MaxRanks:
		return operand.Errorf(ErrRendezvous, "comm: Join: Ranks is %d; want 1 to %d", r.Ranks, MaxRanks)
	case r.Rank < 0 || r.Rank >= r.Ranks:
		return operand.Errorf(ErrRendezvous, "comm: Join: Rank is %d; want 0 to %d", r.Rank, r.Ranks-1)
	case s == nil:
		return operand.Errorf(ErrGroup, "comm: Join: the stream is nil")
	case o.NCCL < IfFound || o.NCCL > Always:
		return operand.Errorf(ErrNCCL, "comm: Join: Options.NCCL is %d; want IfFound, Never or Always", o.NCCL)
	}
	_, _, err := r.parse()
	return err
}

// parse is the address to listen at, or the file.
func (r Rendezvous) parse() (address, file string, err error) {
	u, err := url.Parse(r.Address)
	switch {
	case err != nil:
	case u.Scheme == "tcp" && u.Port() != "" && u.Path == "":
		return u.Host, "", nil
	case u.Scheme == "file" && u.Host == "" && u.Path != "":
		return "", u.Path, nil
	}
	return "", "", operand.Errorf(ErrRendezvous, `comm: Join: Address is %q; want "tcp://host:port" or "file:///path"`, r.Address)
}

// askNCCL is the NCCL that this process has, or why it cannot use it.
func askNCCL(s *gridstride.Stream, o Options) canNCCL {
	if o.NCCL == Never {
		return canNCCL{Why: "Options.NCCL is Never"}
	}
	if _, err := gpuNumbers([]*gridstride.Stream{s}); err != nil {
		return canNCCL{Why: fmt.Sprintf("it is on %v, which is no GPU", s.Device())}
	}
	lib, err := nccl.Load()
	if err != nil {
		return canNCCL{Why: err.Error()}
	}
	if err := lib.CanJoin(); err != nil {
		return canNCCL{Why: err.Error()}
	}
	version, err := lib.Version()
	if err != nil {
		return canNCCL{Why: err.Error()}
	}
	return canNCCL{Version: version}
}

// newID is an id of NCCL's for the group.
func newID() ([]byte, error) {
	lib, err := nccl.Load()
	if err != nil {
		return nil, err
	}
	id, err := lib.UniqueID()
	return id[:], err
}

// meeting is the contents of the file that rank 0 writes.
type meeting struct{ Address, Token string }

// listen opens the desk, in the process of rank 0.
func (r Rendezvous) listen() (*desk, error) {
	address, file, err := r.parse()
	if err != nil {
		return nil, err
	}
	if file == "" {
		l, err := net.Listen("tcp", address)
		if err != nil {
			return nil, err
		}
		return openDesk(l, r.Ranks, "", newID), nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	at := meeting{l.Addr().String(), newToken()}
	text, err := json.Marshal(at)
	if err == nil {
		err = writeSecret(file, text)
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return openDesk(l, r.Ranks, at.Token, newID), nil
}

// writeSecret makes text the contents of a file that only its user can read, at once.
func writeSecret(file string, text []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(file), ".rendezvous-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = temp.Write(text)
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), file)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
	return err
}

// redialTime is the time between two attempts to reach rank 0.
const redialTime = 50 * time.Millisecond

// dial connects to the desk, which may not be open yet. The file may be an earlier group's, and its
// address now a stranger's.
func (r Rendezvous) dial(ctx context.Context, hello message) (*line, error) {
	for {
		l, refused, err := r.try(ctx, hello)
		switch {
		case err == nil:
			return l, nil
		case refused:
			return nil, operand.Errorf(ErrRendezvous, "%v", err)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: rank 0 is not reached at %s: %v", ctx.Err(), r.Address, err)
		case <-time.After(redialTime):
		}
	}
}

// try tries once.
func (r Rendezvous) try(ctx context.Context, hello message) (l *line, refused bool, err error) {
	address, file, err := r.parse()
	if err != nil {
		return nil, true, err
	}
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, false, err
		}
		var at meeting
		if err := json.Unmarshal(text, &at); err != nil {
			return nil, false, fmt.Errorf("%s: %w", file, err)
		}
		address, hello.Token = at.Address, at.Token
	}
	return call(ctx, address, hello)
}

// forget removes the file.
func (r Rendezvous) forget() error {
	if _, file, _ := r.parse(); file != "" {
		return os.Remove(file)
	}
	return nil
}
