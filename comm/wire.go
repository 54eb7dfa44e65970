package comm

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// The kinds of messages between a rank and the desk.
const (
	helloMessage   = "hello"   // a rank has come
	knownMessage   = "known"   // the answer: wait for the others
	welcomeMessage = "welcome" // all have come
	enterMessage   = "enter"   // a rank enters a collective
	giveUpMessage  = "give up" // a rank's wait for the others has ended
	doneMessage    = "done"    // all have entered
	leaveMessage   = "leave"   // a rank enters no more collectives
	lostMessage    = "lost"    // a rank has failed: the group is to be aborted
)

// magic begins every message, so that a stranger on the port is known by its first bytes.
const magic = "gscomm1\n"

// The largest parts of a message, in bytes.
const (
	maxHead = 64 << 10
	maxBody = 256 << 20 // of one rank
)

// message is the head of a message. Fields that a kind does not need are zero.
type message struct {
	Kind  string
	Error *wireError `json:",omitempty"`

	Rank, Ranks int     // of who says hello
	Token       string  // that the meeting's file has
	NCCL        canNCCL // of who says hello, or of the group
	AnyOrder    bool    // of who says hello: see Options

	What       collective
	Seq        int   // of a rank's enters, from 1. Who gives up, gives up those up to it
	Posted     bool  // the rank does not wait for the answer, which is of its Kind alone
	Dst, Src   int   // lengths of a rank's buffers
	Dsts, Srcs []int // of all ranks'
	Sizes      []int // of the parts of the body, by rank
	Body       int   // its size
}

// canNCCL is the version of a process's NCCL, or why it cannot be used.
type canNCCL struct{ Version, Why string }

// wireError is an error on its way to another process.
type wireError struct {
	Mismatch *MismatchError `json:",omitempty"`
	Absent   *absentOnWire  `json:",omitempty"`
	Text     string         `json:",omitempty"`
}

type absentOnWire struct {
	Entered string
	Ranks   []int
	Cause   string
}

// toWire puts an error into a message.
func toWire(err error) *wireError {
	if e, ok := errors.AsType[*MismatchError](err); ok {
		return &wireError{Mismatch: e}
	}
	if e, ok := errors.AsType[*AbsentError](err); ok {
		w := &absentOnWire{Entered: e.Entered, Ranks: e.Ranks}
		if e.Cause != nil {
			w.Cause = e.Cause.Error()
		}
		return &wireError{Absent: w}
	}
	return &wireError{Text: err.Error()}
}

// err is the error that was sent, or nil.
func (w *wireError) err() error {
	switch {
	case w == nil:
		return nil
	case w.Mismatch != nil:
		return w.Mismatch
	case w.Absent == nil:
		return errors.New(w.Text)
	}
	e := &AbsentError{Entered: w.Absent.Entered, Ranks: w.Absent.Ranks}
	if w.Absent.Cause != "" {
		e.Cause = errors.New(w.Absent.Cause)
	}
	return e
}

// wire is one side of a connection. Any goroutine may send. One receives.
type wire struct {
	conn net.Conn
	mu   sync.Mutex // held by who writes

	late    sync.Mutex // of what is below
	waiting []byte     // messages that are to be written before the next
	wake    chan struct{}
}

// sendTime is how long a message may take, and a second more for each MB.
const sendTime = 30 * time.Second

// encode is a message, without the parts of its body.
func encode(m message, body [][]byte) ([]byte, int, error) {
	m.Body = 0
	for _, part := range body {
		m.Body += len(part)
	}
	head, err := json.Marshal(m)
	if err != nil {
		return nil, 0, err
	}
	if len(head) > maxHead {
		return nil, 0, fmt.Errorf("a message of %d bytes; want at most %d", len(head), maxHead)
	}
	first := binary.LittleEndian.AppendUint32([]byte(magic), uint32(len(head)))
	return append(first, head...), m.Body, nil
}

// send sends a message with the parts of its body, after those that are to be sent soon.
func (w *wire) send(m message, body ...[]byte) error {
	first, size, err := encode(m, body)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.write(size, append(net.Buffers{w.takeWaiting(), first}, body...))
}

// write writes buffers whose size is not far above size. It needs w.mu.
func (w *wire) write(size int, all net.Buffers) error {
	limit := sendTime + time.Duration(size>>20)*time.Second
	if err := w.conn.SetWriteDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	_, err := all.WriteTo(w.conn)
	return err
}

// soon has a message sent by [wire.sendSoon], so that the caller does not wait for the system.
func (w *wire) soon(m message) error {
	first, _, err := encode(m, nil)
	if err != nil {
		return err
	}
	w.late.Lock()
	w.waiting = append(w.waiting, first...)
	w.late.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
	return nil
}

func (w *wire) takeWaiting() []byte {
	w.late.Lock()
	defer w.late.Unlock()
	taken := w.waiting
	w.waiting = nil
	return taken
}

// sendSoon sends what is to be sent soon, until ended is closed. If that fails it closes the
// connection, which who receives finds out about.
func (w *wire) sendSoon(ended <-chan struct{}) {
	for {
		select {
		case <-w.wake:
		case <-ended:
			return
		}
		w.mu.Lock()
		err := w.write(0, net.Buffers{w.takeWaiting()})
		w.mu.Unlock()
		if err != nil {
			w.conn.Close()
			return
		}
	}
}

// receive receives a message, whose body has limit bytes at most.
func (w *wire) receive(limit int) (m message, body []byte, err error) {
	first := make([]byte, len(magic)+4)
	if _, err := io.ReadFull(w.conn, first); err != nil {
		return m, nil, err
	}
	n := binary.LittleEndian.Uint32(first[len(magic):])
	if string(first[:len(magic)]) != magic || n > maxHead {
		return m, nil, errors.New("what came is no message of a group")
	}
	head := make([]byte, n)
	if _, err := io.ReadFull(w.conn, head); err != nil {
		return m, nil, err
	}
	if err := json.Unmarshal(head, &m); err != nil {
		return m, nil, err
	}
	if m.Body < 0 || m.Body > limit {
		return m, nil, fmt.Errorf("a message has %d bytes; want at most %d", m.Body, limit)
	}
	body = make([]byte, m.Body)
	_, err = io.ReadFull(w.conn, body)
	return m, body, err
}
