package comm

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/device/nccl"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Use says whether a group computes with NCCL, NVIDIA's library of collectives.
type Use int

// The uses of NCCL.
const (
	// IfFound uses NCCL if each of two or more ranks has another GPU and NCCL is found and starts.
	// Group.NCCL says what became of it.
	IfFound Use = iota
	// Never copies and combines with the package's own kernels.
	Never
	// Always refuses to make a group that cannot use NCCL, and says why. It takes a group of one GPU
	// as well.
	Always
)

// Options choose how a group works. The zero value has the defaults of [New].
type Options struct {
	// NCCL says whether the group uses NCCL.
	NCCL Use
	// AnyOrder lets floats be added and multiplied in NCCL's order, which depends on the number of
	// ranks, on the length and on how the GPUs are connected. Results may then differ from simulated
	// devices' in the last bits. They are still the same on every rank.
	AnyOrder bool
	// Lockstep has each Enter function of a group that was joined wait until all ranks have entered the
	// same, and return the error itself where they have not: see [Join].
	Lockstep bool
}

// The kinds of failure that NCCL has a part in, for errors.Is.
var (
	// ErrNCCL: a group cannot use NCCL as its Options ask.
	ErrNCCL = errors.New("NCCL cannot be used")
	// ErrAborted: the group was aborted, by Abort or because a rank failed.
	ErrAborted = errors.New("the group was aborted")
)

// NCCLError is a call of NCCL's that failed: which, its result by the name in NCCL's manual, and
// NCCL's own words.
type NCCLError = nccl.Error

// abortTime is how long NCCL is given to abort, and closeTime how long Close gives queued work to
// run.
const (
	abortTime = 5 * time.Second
	closeTime = 30 * time.Second
)

// library is a group's NCCL. It has no communicators if the group does not use it.
type library struct {
	comms    *nccl.Comms
	about    string // NCCL and its version, or why it is not used
	anyOrder bool

	mu    sync.Mutex
	cause error // why the group was aborted
}

// open starts NCCL for the devices of streams.
func (l *library) open(streams []*gridstride.Stream, o Options) error {
	if o.NCCL < IfFound || o.NCCL > Always {
		return operand.Errorf(ErrNCCL, "comm: New: Options.NCCL is %d; want IfFound, Never or Always", o.NCCL)
	}
	l.anyOrder = o.AnyOrder
	why := l.start(streams, o.NCCL)
	switch {
	case why == nil:
	case o.NCCL == Always:
		return operand.Errorf(ErrNCCL, "comm: New: %v", why)
	default:
		l.about = "not used: " + why.Error()
	}
	return nil
}

// start makes the communicators. The error says why there are none.
func (l *library) start(streams []*gridstride.Stream, use Use) error {
	if use == Never {
		return errors.New("Options.NCCL is Never")
	}
	if len(streams) == 1 && use != Always {
		return errors.New("the group has one rank")
	}
	numbers, err := gpuNumbers(streams)
	if err != nil {
		return err
	}
	lib, err := nccl.Load()
	if err != nil {
		return err
	}
	version, err := lib.Version()
	if err != nil {
		return err
	}
	if l.comms, err = lib.InitAll(numbers); err != nil {
		return err
	}
	l.about = fmt.Sprintf("NCCL %s (%s)", version, lib.Path())
	return nil
}

// gpuNumbers are the numbers of the GPUs of streams. NCCL takes a GPU once.
func gpuNumbers(streams []*gridstride.Stream) (numbers []int, err error) {
	rankOf := map[int]int{}
	for rank, s := range streams {
		text, ok := strings.CutPrefix(s.Device().Info().Use, "cuda:")
		n, err := strconv.Atoi(text)
		if !ok || err != nil {
			return nil, fmt.Errorf("rank %d is on %v, which is no GPU", rank, s.Device())
		}
		if other, twice := rankOf[n]; twice {
			return nil, fmt.Errorf("ranks %d and %d are both on GPU %d", other, rank, n)
		}
		rankOf[n] = rank
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// NCCL is the version and the file of the NCCL that the group uses, "NCCL 2.28.9 (libnccl.so.2)", or
// why it uses none: "not used: NCCL is not found; GRIDSTRIDE_NCCL can name its library".
func (g *Group) NCCL() string { return g.lib.about }

// usesNCCL reports whether the group has NCCL.
func (g *Group) usesNCCL() bool { return g.lib.comms != nil }

// Abort ends what the group has queued, and makes it refuse all calls but Wait, Abort and Close. The
// contents of buffers that the work uses are undefined. With NCCL, work ends that waits for a rank
// that does not come. Copies and kernels that run are not broken off. It may be called from any
// goroutine, also while others are inside of calls:
//
//	stop := context.AfterFunc(ctx, func() { _ = g.Abort() }) // abort the group when ctx ends
//
// It waits up to 10 seconds for NCCL. A second Abort does nothing.
//
// Errors: that NCCL has not ended by then.
func (g *Group) Abort() error { return g.abort(errors.New("by Abort")) }

// abort aborts the group because of cause.
func (g *Group) abort(cause error) error {
	g.lib.mu.Lock()
	if g.lib.cause == nil {
		g.lib.cause = cause
	}
	g.lib.mu.Unlock()
	if !g.usesNCCL() {
		return nil
	}
	if err := g.lib.comms.Abort(abortTime); err != nil {
		return fmt.Errorf("comm: Abort: %w", err)
	}
	return nil
}

// aborted is the error of a call of a group that was aborted, or nil.
func (g *Group) aborted(call string) error {
	g.lib.mu.Lock()
	defer g.lib.mu.Unlock()
	if g.lib.cause == nil {
		return nil
	}
	return fmt.Errorf("comm: %s: %w: %w", call, ErrAborted, g.lib.cause)
}

// queue queues one collective of n elements, of NCCL's, unless there are none. do queues the part of
// one of the ranks on its stream. A failure aborts the group, since NCCL does not say in which state
// it leaves the ranks.
func (g *Group) queue(call string, n int, ranks []int, do func(rank int, stream uintptr) error) error {
	if n == 0 {
		return nil
	}
	handles := make([]uintptr, len(g.streams))
	var failed error
	err := g.native(ranks, handles, func() {
		failed = g.lib.comms.Group(func() error {
			for _, rank := range ranks {
				if err := do(rank, handles[rank]); err != nil {
					return fmt.Errorf("rank %d: %w", rank, err)
				}
			}
			return nil
		})
	})
	switch {
	case err != nil:
		return fmt.Errorf("comm: %s: %w", call, err)
	case errors.Is(failed, nccl.ErrAborted):
		return g.aborted(call)
	case failed != nil:
		_ = g.abort(failed) // its error says that the abort is late
		return fmt.Errorf("comm: %s: %w: %w", call, ErrAborted, failed)
	}
	return nil
}

// native calls f with the handles of the ranks' streams, which are not closed meanwhile.
func (g *Group) native(ranks []int, handles []uintptr, f func()) error {
	if len(ranks) == 0 {
		f()
		return nil
	}
	var inner error
	err := g.streams[ranks[0]].Native(func(stream uintptr) error {
		handles[ranks[0]] = stream
		inner = g.native(ranks[1:], handles, f)
		return nil
	})
	if err != nil {
		return fmt.Errorf("rank %d: %w", ranks[0], err)
	}
	return inner
}

// arrival is the end of the wait for a rank.
type arrival struct {
	rank int
	err  error
}

// waitForAll waits for the ranks at once: while one waits for another that has failed, the wait for
// it never ends. When one has failed, or NCCL says so, the group is aborted.
func (g *Group) waitForAll(ctx context.Context) []error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	here := g.here()
	arrivals := make(chan arrival, len(here))
	for _, rank := range here {
		go func() { arrivals <- arrival{rank, g.streams[rank].Wait(inner)} }()
	}
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	errs := make([]error, len(g.streams))
	for left := len(here); left > 0; {
		var cause error
		select {
		case a := <-arrivals:
			left--
			if errs[a.rank] = a.err; errors.Is(a.err, gridstride.ErrLost) || errors.Is(a.err, gridstride.ErrClosed) {
				cause = fmt.Errorf("rank %d: %w", a.rank, a.err)
			}
		case <-look.C:
			cause = g.lib.comms.Failed()
		}
		if cause != nil && g.aborted("Wait") == nil {
			_ = g.abort(cause)
			defer time.AfterFunc(abortTime, cancel).Stop() // a GPU may ignore it
		}
	}
	return errs
}

// closeNCCL gives the communicators back, when the work that is queued has run, or after closeTime.
func (g *Group) closeNCCL() (all []error) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	for rank, err := range g.waitForAll(ctx) {
		if err != nil && !errors.Is(err, gridstride.ErrClosed) {
			all = append(all, fmt.Errorf("comm: Close: rank %d: %w", rank, err))
		}
	}
	if ctx.Err() != nil {
		_ = g.abort(errors.New("by Close, whose wait for the queued work took too long"))
	}
	if err := g.lib.comms.Destroy(); err != nil {
		all = append(all, fmt.Errorf("comm: Close: %w", err))
	}
	return all
}
