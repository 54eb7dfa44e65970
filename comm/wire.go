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
	mu   sync.Mutex
}

// sendTime is how long a message may take, and a second more for each MB.
const sendTime = 30 * time.Second

// send sends a message with the parts of its body.
func (w *wire) send(m message, body ...[]byte) error {
	m.Body = 0
	for _, part := range body {
		m.Body += len(part)
	}
	head, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(head) > maxHead {
		return fmt.Errorf("a message of %d bytes; want at most %d", len(head), maxHead)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	limit := sendTime + time.Duration(m.Body>>20)*time.Second
	if err := w.conn.SetWriteDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	first := binary.LittleEndian.AppendUint32([]byte(magic), uint32(len(head)))
	all := append(net.Buffers{first, head}, body...)
	_, err = all.WriteTo(w.conn)
	return err
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
