package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-dap"
	"github.com/gridstride/gridstride/internal/tools/cli"
)

// editor is a client of "gridstride dap".
type editor struct {
	*testing.T
	root   string // the module's folder
	in     *io.PipeWriter
	all    chan dap.Message // what comes
	events []dap.Message    // that nobody has waited for yet
	seq    int
	status chan int // of the command, when it has ended
	errors strings.Builder
}

// newEditor starts the command.
func newEditor(t *testing.T) *editor {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	in, toCommand := io.Pipe()
	fromCommand, out := io.Pipe()
	e := &editor{T: t, root: root, in: toCommand, all: make(chan dap.Message, 1000), status: make(chan int, 1)}
	go func() {
		command := newRoot()
		command.SetIn(in)
		status := cli.Run(command, []string{"dap"}, out, &e.errors, printError)
		in.Close()
		out.Close()
		e.status <- status
	}()
	go func() {
		defer close(e.all)
		for r := bufio.NewReader(fromCommand); ; {
			m, err := dap.ReadProtocolMessage(r)
			if err != nil {
				return
			}
			e.all <- m
		}
	}()
	t.Cleanup(func() { toCommand.Close() })
	return e
}

// next is the next message that comes; nil if none does any more.
func (e *editor) next() dap.Message {
	e.Helper()
	select {
	case m := <-e.all:
		return m
	case <-time.After(20 * time.Second):
		e.Fatal("nothing comes")
	}
	return nil
}

// send sends a request with arguments, and returns its number.
func (e *editor) send(command string, arguments any) int {
	e.Helper()
	e.seq++
	body, err := json.Marshal(map[string]any{"seq": e.seq, "type": "request", "command": command, "arguments": arguments})
	if err != nil {
		e.Fatal(err)
	}
	e.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
	return e.seq
}

func (e *editor) raw(text string) {
	e.Helper()
	if _, err := io.WriteString(e.in, text); err != nil {
		e.Fatal(err)
	}
}

// answer waits for the answer to a request.
func (e *editor) answer(seq int) dap.Message {
	e.Helper()
	for {
		m := e.next()
		if m == nil {
			e.Fatalf("no answer to request %d: %s", seq, &e.errors)
		}
		if r, ok := m.(dap.ResponseMessage); ok {
			if r.GetResponse().RequestSeq == seq {
				return m
			}
			continue
		}
		e.events = append(e.events, m)
	}
}

// ask sends a request, and returns the body of its answer in *to, which may be nil.
func (e *editor) ask(command string, arguments, to any) {
	e.Helper()
	m := e.answer(e.send(command, arguments))
	if failed, ok := m.(*dap.ErrorResponse); ok {
		e.Fatalf("%s %v: %s", command, arguments, failed.Message)
	}
	body, err := json.Marshal(m)
	if err == nil && to != nil {
		err = json.Unmarshal(body, &struct{ Body any }{to})
	}
	if err != nil {
		e.Fatal(err)
	}
}

// refused sends a request that must be answered with an error that has want.
func (e *editor) refused(command string, arguments any, want string) {
	e.Helper()
	m, ok := e.answer(e.send(command, arguments)).(*dap.ErrorResponse)
	if !ok || !strings.Contains(m.Message, want) || m.Body.Error == nil || m.Body.Error.Format != m.Message {
		e.Errorf("%s %v: %+v, want %q", command, arguments, m, want)
	}
}

// event waits for an event.
func (e *editor) event(name string) dap.Message {
	e.Helper()
	for {
		for i, m := range e.events {
			if v, ok := m.(dap.EventMessage); ok && v.GetEvent().Event == name {
				e.events = slices.Delete(e.events, i, i+1)
				return m
			}
		}
		m := e.next()
		if m == nil {
			e.Fatalf("no event %s: %s", name, &e.errors)
		}
		e.events = append(e.events, m)
	}
}

// stopped waits until the kernel has stopped, and returns the event and the innermost call of its thread.
func (e *editor) stopped(reason string) (dap.StoppedEventBody, dap.StackFrame) {
	e.Helper()
	body := e.event("stopped").(*dap.StoppedEvent).Body
	if body.Reason != reason {
		e.Fatalf("stopped: %+v, want %s", body, reason)
	}
	var stack dap.StackTraceResponseBody
	e.ask("stackTrace", dap.StackTraceArguments{ThreadId: body.ThreadId}, &stack)
	return body, stack.StackFrames[0]
}

// launch launches with the fields of a configuration.
func (e *editor) launch(configuration map[string]any) {
	e.Helper()
	text, _ := json.Marshal(configuration)
	text = []byte(strings.ReplaceAll(string(text), "${workspaceFolder}", filepath.ToSlash(e.root)))
	e.ask("initialize", map[string]any{"adapterID": "gridstride", "linesStartAt1": true}, nil)
	e.ask("launch", json.RawMessage(text), nil)
	e.event("initialized")
}

// end disconnects, and waits for the end of the command.
func (e *editor) end() {
	e.Helper()
	e.ask("disconnect", nil, nil)
	e.ended(0)
}

func (e *editor) ended(want int) {
	e.Helper()
	for e.next() != nil {
	}
	if status := <-e.status; status != want {
		e.Errorf("status %d, want %d: %s", status, want, &e.errors)
	}
}

// scope is the values of a scope, or of a value with parts.
func (e *editor) scope(frame int, path ...string) map[string]dap.Variable {
	e.Helper()
	var scopes dap.ScopesResponseBody
	e.ask("scopes", dap.ScopesArguments{FrameId: frame}, &scopes)
	ref := 0
	for _, s := range scopes.Scopes {
		if s.Name == path[0] {
			ref = s.VariablesReference
		}
	}
	values := e.parts(dap.VariablesArguments{VariablesReference: ref})
	for _, name := range path[1:] {
		values = e.parts(dap.VariablesArguments{VariablesReference: values[name].VariablesReference})
	}
	return values
}

func (e *editor) parts(a dap.VariablesArguments) map[string]dap.Variable {
	e.Helper()
	var list dap.VariablesResponseBody
	e.ask("variables", a, &list)
	values := map[string]dap.Variable{}
	for _, v := range list.Variables {
		values[v.Name] = v
	}
	return values
}
