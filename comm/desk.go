package comm

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"
)

// desk is where the ranks of several processes meet: a server in the process of rank 0, which is a
// client of it like the others.
type desk struct {
	hall     hall
	listener net.Listener
	token    string
	newID    func() ([]byte, error) // of NCCL

	mu     sync.Mutex
	wires  []*wire // by rank, nil before it has come
	hellos []message

	closing context.Context // ends when the desk closes
	end     context.CancelFunc
	open    sync.WaitGroup // what serves a connection
}

// helloTime is how long a connection may take to say who it is, and drainTime how long it may take to
// end when the desk closes.
const (
	helloTime = 10 * time.Second
	drainTime = 5 * time.Second
)

// maxStrangers is how many connections may be served that have not said who they are.
const maxStrangers = 256

// openDesk begins to serve on a listener.
func openDesk(l net.Listener, ranks int, token string, newID func() ([]byte, error)) *desk {
	d := &desk{
		hall: hall{ranks: ranks}, listener: l, token: token, newID: newID,
		wires: make([]*wire, ranks), hellos: make([]message, ranks),
	}
	d.closing, d.end = context.WithCancel(context.Background())
	d.open.Go(d.accept)
	return d
}

// newToken is a text that nobody guesses.
func newToken() string { return rand.Text() }

func (d *desk) accept() {
	strangers := make(chan struct{}, maxStrangers)
	for {
		conn, err := d.listener.Accept()
		if err != nil {
			return // closed
		}
		strangers <- struct{}{}
		d.open.Go(func() {
			w := &wire{conn: conn}
			rank, ok := d.greet(w)
			<-strangers
			if ok {
				d.attend(rank, w)
			}
			conn.Close()
		})
	}
}

// greet takes a rank in, unless what came is none. The last one that comes has all welcomed.
func (d *desk) greet(w *wire) (rank int, ok bool) {
	if err := w.conn.SetReadDeadline(time.Now().Add(helloTime)); err != nil {
		return 0, false
	}
	stop := context.AfterFunc(d.closing, func() { _ = w.conn.SetReadDeadline(time.Now()) })
	defer stop()
	m, _, err := w.receive(0)
	if err != nil || m.Kind != helloMessage || m.Token != d.token {
		return 0, false
	}
	if !stop() || w.conn.SetReadDeadline(time.Time{}) != nil {
		return 0, false
	}
	all, err := d.register(m, w)
	if err != nil {
		_ = w.send(message{Kind: knownMessage, Error: toWire(err)})
		return 0, false
	}
	if all {
		d.welcome()
	}
	return m.Rank, true
}

// register notes who has come. It answers while it holds mu, so that no welcome goes before.
func (d *desk) register(m message, w *wire) (all bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case m.Ranks != len(d.wires):
		return false, fmt.Errorf("rank %d is one of %d ranks, and rank 0 of %d", m.Rank, m.Ranks, len(d.wires))
	case m.Rank < 0 || m.Rank >= len(d.wires):
		return false, fmt.Errorf("rank %d; want 0 to %d", m.Rank, len(d.wires)-1)
	case d.wires[m.Rank] != nil:
		return false, fmt.Errorf("rank %d has come twice", m.Rank)
	}
	for rank, w := range d.wires {
		if w != nil && d.hellos[rank].AnyOrder != m.AnyOrder {
			return false, fmt.Errorf("rank %d has Options.AnyOrder %t, and rank %d %t", m.Rank, m.AnyOrder, rank, !m.AnyOrder)
		}
	}
	if err := w.send(message{Kind: knownMessage}); err != nil {
		return false, err
	}
	d.wires[m.Rank], d.hellos[m.Rank] = w, m
	return !slices.Contains(d.wires, nil), nil
}

// absent are the ranks that have not come.
func (d *desk) absent() (ranks []int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for rank, w := range d.wires {
		if w == nil {
			ranks = append(ranks, rank)
		}
	}
	return ranks
}

// welcome tells all ranks that all have come, and which NCCL they use.
func (d *desk) welcome() {
	m := message{Kind: welcomeMessage, NCCL: d.agree()}
	var id []byte
	if m.NCCL.Why == "" {
		var err error
		if id, err = d.newID(); err != nil {
			m.NCCL = canNCCL{Why: err.Error()}
		}
	}
	for _, w := range d.wires {
		_ = w.send(m, id) // attend finds out
	}
}

// agree is the NCCL that all ranks have, or why they use none.
func (d *desk) agree() canNCCL {
	first := d.hellos[0].NCCL
	for rank, m := range d.hellos {
		switch {
		case m.NCCL.Why != "":
			return canNCCL{Why: fmt.Sprintf("rank %d: %s", rank, m.NCCL.Why)}
		case m.NCCL != first:
			return canNCCL{Why: fmt.Sprintf("rank %d has version %s, and rank 0 %s", rank, m.NCCL.Version, first.Version)}
		}
	}
	return first
}

// arrived is a message that a rank has sent.
type arrived struct {
	message
	body []byte
}

// inbox has a rank's messages. A message that gives up overtakes the others.
type inbox struct {
	inOrder chan arrived
	giveUps chan arrived
	gone    chan struct{} // closed when the connection has ended
	ended   error         // read when gone is closed
}

// read receives messages until the connection ends.
func (in *inbox) read(w *wire) {
	defer close(in.inOrder)
	defer close(in.gone)
	for {
		m, body, err := w.receive(maxBody)
		switch {
		case err != nil:
			in.ended = err
			return
		case m.Kind != giveUpMessage:
			in.inOrder <- arrived{m, body}
			continue
		}
		select { // the last one counts
		case <-in.giveUps:
		default:
		}
		in.giveUps <- arrived{m, nil}
	}
}

// attend serves a rank until it leaves, its process ends or the desk closes.
func (d *desk) attend(rank int, w *wire) {
	in := &inbox{inOrder: make(chan arrived, 2*maxPosted), giveUps: make(chan arrived, 1), gone: make(chan struct{})}
	d.open.Go(func() { in.read(w) })
	defer func() { // let the reader end
		for range in.inOrder {
		}
	}()
	for {
		select {
		case m, ok := <-in.inOrder:
			if !ok {
				d.lose(&AbsentError{Entered: "a collective", Ranks: []int{rank}, Cause: fmt.Errorf("its process is gone: %w", in.ended)})
				return
			}
			if left := d.serve(rank, w, m, in); left {
				d.hang(w)
				return
			}
		case <-d.closing.Done(): // rank 0 leaves, which is no failure
			_ = w.send(message{Kind: leaveMessage})
			d.hang(w)
			return
		}
	}
}

// serve answers a message. A rank that leaves is answered by the end of the connection.
func (d *desk) serve(rank int, w *wire, m arrived, in *inbox) (left bool) {
	switch m.Kind {
	case enterMessage:
		entries, err := d.enter(rank, m, in)
		switch {
		case err != nil:
			if rank == 0 && d.isLost() {
				d.tell(err, 1) // before rank 0 knows: its process may end then, and the desk with it
			}
			_ = w.send(message{Kind: doneMessage, Posted: m.Posted, Error: toWire(err)})
		case m.Posted:
			_ = w.send(message{Kind: doneMessage, Posted: true})
		default:
			_ = d.answer(rank, w, entries)
		}
	case leaveMessage:
		d.hall.leave(rank)
		return true
	case lostMessage:
		d.lose(fmt.Errorf("rank %d: %w", rank, m.Error.err()))
	default:
		d.lose(fmt.Errorf("rank %d sent %q", rank, m.Kind))
	}
	return false
}

// enter has a rank enter a collective, and waits for the others.
func (d *desk) enter(rank int, m arrived, in *inbox) ([]any, error) {
	if what := m.What; what.transfers() && (what.Peer < 0 || what.Peer >= d.hall.ranks || what.Peer == rank) {
		return nil, fmt.Errorf("rank %d entered %v", rank, what)
	}
	x, last, err := d.hall.arrive(rank, m.What, m)
	if err != nil {
		return nil, err
	}
	if last {
		close(x.done)
		return x.entries, nil
	}
	for gone := in.gone; ; {
		select {
		case <-x.done:
			return x.entries, x.err
		case g := <-in.giveUps: // a late one gives up what is done
			if g.Seq >= m.Seq {
				d.hall.giveUp(x, g.Error.err())
			}
		case <-gone:
			d.hall.miss(x, rank, errors.New("its process is gone"))
			gone = nil
		}
	}
}

// answer sends a rank what the others have brought.
func (d *desk) answer(rank int, w *wire, entries []any) error {
	done := message{Kind: doneMessage}
	var parts [][]byte
	for other, e := range entries {
		m, _ := e.(arrived) // of a transfer two ranks have one
		if other == rank {
			m.body = nil
		}
		done.Dsts, done.Srcs = append(done.Dsts, m.Dst), append(done.Srcs, m.Src)
		done.Sizes, parts = append(done.Sizes, len(m.body)), append(parts, m.body)
	}
	return w.send(done, parts...)
}

// lose tells all ranks that the group has failed.
func (d *desk) lose(err error) {
	d.hall.mu.Lock()
	if d.hall.lost == nil {
		d.hall.lose(err)
	}
	d.hall.mu.Unlock()
	d.tell(err, 0)
}

// isLost reports whether the group has failed.
func (d *desk) isLost() bool {
	d.hall.mu.Lock()
	defer d.hall.mu.Unlock()
	return d.hall.lost != nil
}

// tell tells the ranks from the first on that the group has failed, the first one last.
func (d *desk) tell(err error, first int) {
	for _, w := range slices.Backward(d.known()[first:]) {
		if w != nil {
			_ = w.send(message{Kind: lostMessage, Error: toWire(err)})
		}
	}
}

// known are the wires by rank, nil for a rank that has not come.
func (d *desk) known() []*wire {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.wires)
}

// hang ends a connection so that what was sent still arrives: the other side ends it.
func (d *desk) hang(w *wire) {
	if tcp, ok := w.conn.(*net.TCPConn); ok {
		_ = tcp.CloseWrite()
	}
	_ = w.conn.SetReadDeadline(time.Now().Add(drainTime))
}

// close ends the desk. Ranks that wait for an answer that is on its way get it.
func (d *desk) close() {
	d.listener.Close()
	d.end()
	d.open.Wait()
}
