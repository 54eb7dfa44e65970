package adapter

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/google/go-dap"
)

// largestMessage is how many bytes a message may have, its header included.
const largestMessage = 4 << 20

// wire is the connection with a client.
type wire struct {
	limit limited
	in    *bufio.Reader

	mu  sync.Mutex
	out io.Writer
	seq int
}

func newWire(in io.Reader, out io.Writer) *wire {
	w := &wire{out: out}
	w.limit.from = in
	w.in = bufio.NewReader(&w.limit)
	return w
}

// limited is a reader of left bytes: it ends a header that has no end.
type limited struct {
	from io.Reader
	left int
}

// Read implements io.Reader.
func (l *limited) Read(b []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("a message of more than %d bytes", largestMessage)
	}
	n, err := l.from.Read(b[:min(len(b), l.left)])
	l.left -= n
	return n, err
}

// read reads a request. It is nil for a message that is none, and for one that is answered with an error.
func (w *wire) read() (dap.RequestMessage, error) {
	w.limit.left = largestMessage
	content, err := dap.ReadBaseMessage(w.in)
	if err != nil {
		return nil, err
	}
	message, err := dap.DecodeProtocolMessage(content)
	if err == nil {
		req, _ := message.(dap.RequestMessage)
		return req, nil
	}
	var head struct {
		Seq     int    `json:"seq"`
		Type    string `json:"type"`
		Command string `json:"command"`
	}
	if json.Unmarshal(content, &head) != nil || head.Type != "request" || head.Command == "" {
		return nil, err
	}
	if _, unknown := errors.AsType[*dap.DecodeProtocolMessageFieldError](err); unknown {
		err = fmt.Errorf("%.40s is not supported", head.Command)
	}
	w.refuse(&dap.Request{ProtocolMessage: dap.ProtocolMessage{Seq: head.Seq, Type: head.Type}, Command: head.Command}, err, false)
	return nil, nil
}

// answer answers a request well.
func (w *wire) answer(req dap.RequestMessage, to dap.ResponseMessage) {
	r := to.GetResponse()
	r.Command, r.RequestSeq, r.Success = req.GetRequest().Command, req.GetRequest().Seq, true
	w.send(to)
}

// refuse answers a request with an error. show asks the client to show it to the user.
func (w *wire) refuse(req dap.RequestMessage, err error, show bool) {
	text := strings.TrimSpace(err.Error())
	to := &dap.ErrorResponse{Body: dap.ErrorResponseBody{Error: &dap.ErrorMessage{Id: 1, Format: text, ShowUser: show}}}
	to.Command, to.RequestSeq, to.Message = req.GetRequest().Command, req.GetRequest().Seq, text
	w.send(to)
}

// event sends an event.
func (w *wire) event(name string, e dap.EventMessage) {
	e.GetEvent().Event = name
	w.send(e)
}

// send sends a message. What cannot be sent is lost: the client has gone, and reading says so.
func (w *wire) send(m dap.Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seq++
	switch m := m.(type) {
	case dap.ResponseMessage:
		m.GetResponse().Seq, m.GetResponse().Type = w.seq, "response"
	case dap.EventMessage:
		m.GetEvent().Seq, m.GetEvent().Type = w.seq, "event"
	}
	dap.WriteProtocolMessage(w.out, m)
}

// output shows text to the user.
func (w *wire) output(category, text string) {
	e := &dap.OutputEvent{Body: dap.OutputEventBody{Category: category, Output: text}}
	w.event("output", e)
}

// printed passes the kernel's prints on.
type printed struct{ *wire }

// Write implements io.Writer.
func (p printed) Write(b []byte) (int, error) {
	const most = 1 << 16
	for rest := b; len(rest) > 0; {
		n := min(len(rest), most)
		p.output("stdout", string(rest[:n]))
		rest = rest[n:]
	}
	return len(b), nil
}

// saying is the debugger's answer to a command.
type saying struct{ strings.Builder }

// mostSaid is the largest number of bytes of a saying.
const mostSaid = 1 << 16

// Write implements io.Writer.
func (s *saying) Write(b []byte) (int, error) {
	s.Builder.Write(b[:min(len(b), max(0, mostSaid-s.Len()))])
	return len(b), nil
}

// take returns what has been said since the last call.
func (s *saying) take() string {
	text := s.String()
	if len(text) == mostSaid {
		text += "\n…"
	}
	s.Reset()
	return strings.TrimRight(text, "\n")
}
