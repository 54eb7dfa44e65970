package comm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"
)

// line is a rank's connection to the desk.
type line struct {
	wire
	ranks   int
	answers chan arrived

	seq int // of the last collective that the member has entered

	mu      sync.Mutex
	pending int           // collectives that were posted, and not all ranks are known to have entered
	change  chan struct{} // closed when pending changes
	lost    error         // why the group has failed, or rank 0 left
	gone    chan struct{} // closed when lost is set
	aborted func(error)   // told of a failure
	quiet   bool          // rank 0 has left, or this rank: the end of the connection is no failure
}

// maxPosted is how many collectives a rank may be ahead of the others.
const maxPosted = 128

// knownTime is how long the desk may take to answer a hello.
const knownTime = 10 * time.Second

// errStranger: what answers at the address is no desk, or another group's.
var errStranger = errors.New("what answers there is not the group's rank 0")

// call connects to a desk and says hello. refused reports that the desk does not want the rank.
func call(ctx context.Context, address string, hello message) (l *line, refused bool, err error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, false, err
	}
	l = &line{wire: wire{conn: conn, wake: make(chan struct{}, 1)}, ranks: hello.Ranks, answers: make(chan arrived, 1), change: make(chan struct{}), gone: make(chan struct{})}
	if err := l.send(hello); err != nil {
		conn.Close()
		return nil, false, err
	}
	_ = conn.SetReadDeadline(time.Now().Add(knownTime))
	m, _, err := l.receive(0)
	switch {
	case err != nil || m.Kind != knownMessage:
		err = fmt.Errorf("%s: %w", address, errStranger)
	case m.Error != nil:
		refused, err = true, m.Error.err()
	default:
		return l, false, conn.SetReadDeadline(time.Time{})
	}
	conn.Close()
	return nil, refused, err
}

// welcomed waits until all ranks have come, and returns which NCCL they use and its id.
func (l *line) welcomed(ctx context.Context) (canNCCL, []byte, error) {
	stop := context.AfterFunc(ctx, func() { l.conn.Close() })
	defer stop()
	m, id, err := l.receive(1 << 10)
	switch {
	case ctx.Err() != nil:
		return canNCCL{}, nil, ctx.Err()
	case err != nil:
		return canNCCL{}, nil, fmt.Errorf("rank 0 is gone: %w", err)
	case m.Error != nil:
		return canNCCL{}, nil, m.Error.err()
	}
	return m.NCCL, id, nil
}

// listen receives messages until the connection ends. aborted is told of a failure.
func (l *line) listen(aborted func(error)) {
	l.aborted = aborted
	ended := make(chan struct{})
	go l.sendSoon(ended)
	go func() {
		defer close(ended)
		defer l.conn.Close()
		for {
			m, body, err := l.receive(l.ranks * maxBody)
			switch {
			case err != nil:
				l.fail(&AbsentError{Entered: "a collective", Ranks: []int{0}, Cause: fmt.Errorf("its process is gone: %w", err)})
				return
			case m.Kind == lostMessage:
				l.fail(m.Error.err())
			case m.Kind == leaveMessage:
				l.hush()
			case m.Kind == doneMessage && m.Posted && m.Error == nil:
				l.agreed()
			case m.Kind == doneMessage && m.Posted:
				l.fail(m.Error.err())
			case m.Kind == doneMessage && m.Error == nil && !m.fits(l.ranks, len(body)):
				l.fail(errStranger)
				return
			case m.Kind == doneMessage:
				l.answers <- arrived{m, body}
			}
		}
	}()
}

// hush says that the end of the connection will be no failure.
func (l *line) hush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.quiet = true
}

// fail notes why the group has failed. An end of the connection that was announced is a rank 0 that
// has left.
func (l *line) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost != nil {
		return
	}
	l.lost = err
	if l.quiet {
		l.lost = &AbsentError{Entered: "a collective", Ranks: []int{0}}
	}
	if !l.quiet || l.pending > 0 {
		l.aborted(l.lost)
	}
	close(l.gone)
}

// fits reports that an answer has the lengths of all ranks and the parts that its body has.
func (m *message) fits(ranks, body int) bool {
	for _, list := range [][]int{m.Dsts, m.Srcs, m.Sizes} {
		if len(list) != ranks || slices.Min(list) < 0 {
			return false
		}
	}
	for _, size := range m.Sizes {
		body -= size
		if body < 0 {
			return false
		}
	}
	return body == 0
}

// enter enters a collective with a body, and waits until all ranks have. The end of ctx loses them.
func (l *line) enter(ctx context.Context, m message, body []byte) (arrived, error) {
	l.seq++
	m.Kind, m.Seq = enterMessage, l.seq
	if err := l.send(m, body); err != nil {
		l.fail(&AbsentError{Entered: m.What.String(), Ranks: []int{0}, Cause: err})
		return arrived{}, l.lost
	}
	select {
	case a := <-l.answers:
		return a, a.Error.err()
	case <-l.gone:
		return l.last()
	case <-ctx.Done():
	}
	l.giveUp(ctx, l.seq)
	select {
	case a := <-l.answers:
		return a, absentBy(ctx, a.Error.err())
	case <-l.gone:
		return l.last()
	case <-time.After(knownTime):
		err := &AbsentError{Entered: m.What.String(), Ranks: []int{0}, Cause: ctx.Err()}
		l.fail(err)
		return arrived{}, err
	}
}

// giveUp tells the desk that ctx has ended, and the wait for what was entered up to seq.
func (l *line) giveUp(ctx context.Context, seq int) {
	_ = l.send(message{Kind: giveUpMessage, Seq: seq, Error: &wireError{Text: ctx.Err().Error()}})
}

// absentBy is the error of ranks that were given up, with ctx's error itself.
func absentBy(ctx context.Context, err error) error {
	if e, ok := errors.AsType[*AbsentError](err); ok {
		return &AbsentError{Entered: e.Entered, Ranks: e.Ranks, Cause: ctx.Err()}
	}
	return err
}

// post enters a collective without a wait, unless this rank is far ahead of the others. A failure of
// the ranks to agree aborts the group.
func (l *line) post(ctx context.Context, m message) error {
	if err := l.settle(ctx, maxPosted-1); err != nil {
		return err
	}
	l.mu.Lock()
	lost := l.lost
	if lost == nil {
		l.pending++
	}
	l.mu.Unlock()
	if lost != nil {
		return lost
	}
	l.seq++
	m.Kind, m.Seq, m.Posted = enterMessage, l.seq, true
	return l.soon(m)
}

// agreed notes that all ranks have entered the first of those that were posted.
func (l *line) agreed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending--
	close(l.change)
	l.change = make(chan struct{})
}

// settle waits until all ranks have entered what was posted, except for most of them. The end of ctx
// loses the ranks.
func (l *line) settle(ctx context.Context, most int) error {
	ended := ctx.Done()
	var late <-chan time.Time
	for {
		l.mu.Lock()
		pending, change, lost := l.pending, l.change, l.lost
		l.mu.Unlock()
		switch {
		case pending <= most:
			return nil
		case lost != nil && ended == nil && ctx.Err() != nil:
			return absentBy(ctx, lost)
		case lost != nil:
			return lost
		}
		select {
		case <-change:
		case <-l.gone:
		case <-ended:
			l.giveUp(ctx, l.seq)
			ended, late = nil, time.After(knownTime)
		case <-late:
			l.fail(&AbsentError{Entered: "a collective", Ranks: []int{0}, Cause: ctx.Err()})
		}
	}
}

// last is the answer that came before the end of the connection, or why the group has failed.
func (l *line) last() (arrived, error) {
	select {
	case a := <-l.answers:
		return a, a.Error.err()
	default:
		return arrived{}, l.lost
	}
}

// newsTime is how long the end of another process may take to be known here.
const newsTime = 500 * time.Millisecond

// failed tells the others that a collective has failed on this rank. Where NCCL has failed because
// another process is gone, the error says so too.
func (l *line) failed(err error) error {
	if errors.Is(err, ErrAborted) {
		select {
		case <-l.gone:
			return fmt.Errorf("%w: %w", err, l.lost)
		case <-time.After(newsTime):
		}
	}
	l.poison(err)
	return err
}

// poison tells the others that this rank has failed.
func (l *line) poison(err error) { _ = l.send(message{Kind: lostMessage, Error: toWire(err)}) }

// leave says that the rank enters no more collectives.
func (l *line) leave() {
	l.hush()
	_ = l.send(message{Kind: leaveMessage})
}
