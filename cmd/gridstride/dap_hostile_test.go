package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-dap"
)

// spinPTX prints, and calls a function for ever.
const spinPTX = `.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 args);
.global .b8 text[] = {103, 111, 10, 0};
.func (.param .b32 r) more(.param .b32 x)
{
	.reg .b32 %a;
	ld.param.b32 %a, [x];
	add.u32 %a, %a, 1;
	st.param.b32 [r], %a;
	ret;
}
.visible .entry spin(.param .u64 out)
{
	.reg .b64 %rd<4>; .reg .b32 %r<4>;
	mov.u64 %rd1, text;
	cvta.global.u64 %rd2, %rd1;
	mov.u64 %rd3, 0;
	{
		.param .b64 p0; .param .b64 p1; .param .b32 ret;
		st.param.b64 [p0], %rd2;
		st.param.b64 [p1], %rd3;
		call.uni (ret), vprintf, (p0, p1);
	}
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, 0;
AGAIN:
	{
		.param .b32 in; .param .b32 to;
		st.param.b32 [in], %r1;
		call.uni (to), more, (in);
		ld.param.b32 %r1, [to];
	}
	st.global.u32 [%rd1], %r1;
	bra AGAIN;
}
`

// spin launches spinPTX, stopped at its start.
func spin(t *testing.T) (e *editor, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "spin.ptx")
	if err := os.WriteFile(file, []byte(spinPTX), 0o644); err != nil {
		t.Fatal(err)
	}
	e = newEditor(t)
	e.launch(map[string]any{"cwd": filepath.Dir(file), "ptx": "spin.ptx", "block": "32", "args": []string{"u32[1]=zeros"}, "stopOnEntry": true})
	e.ask("configurationDone", nil, nil)
	e.stopped("entry")
	return e, file
}

// TestDAPSteps steps into a call, over it and out of it, and interrupts what does not end.
func TestDAPSteps(t *testing.T) {
	t.Parallel()
	e, file := spin(t)
	stopAt := func(lines ...dap.SourceBreakpoint) {
		e.ask("setBreakpoints", dap.SetBreakpointsArguments{Source: dap.Source{Path: file}, Breakpoints: lines}, nil)
	}
	call := 1 + strings.Count(spinPTX[:strings.Index(spinPTX, "call.uni (to)")], "\n")
	stopAt(dap.SourceBreakpoint{Line: call - 3})
	thread := 0
	do := func(command, reason string, line int) {
		t.Helper()
		e.ask(command, map[string]any{"threadId": thread}, nil)
		stop, at := e.stopped(reason)
		if thread = stop.ThreadId; at.Line != line || at.Source == nil || at.Source.Path != file {
			t.Fatalf("%s: %+v at line %d of %+v, want %d", command, stop, at.Line, at.Source, line)
		}
	}
	do("continue", "breakpoint", call-1)
	if text := e.event("output").(*dap.OutputEvent).Body.Output; text != "go\n" {
		t.Errorf("the kernel prints %q", text)
	}
	do("next", "step", call)
	do("next", "step", call+1)
	do("stepBack", "step", call)
	do("stepIn", "step", 9)
	do("next", "step", 10)
	do("stepOut", "step", call+1)
	do("reverseContinue", "breakpoint", call-1)
	stopAt()
	for range 3 { // a pause ends a run that is under way, and one that has not begun
		e.send("continue", nil)
		e.ask("pause", nil, nil)
		e.stopped("pause")
	}
	e.refused("pause", nil, "nothing runs")
	e.send("continue", nil)
	e.end()
}

// TestDAPTerminate ends the launch, and the session, in the middle of a run.
func TestDAPTerminate(t *testing.T) {
	t.Parallel()
	e, _ := spin(t)
	e.send("continue", nil)
	e.ask("terminate", nil, nil)
	e.event("terminated")
	e.end()
	e, _ = spin(t)
	e.send("continue", nil)
	e.in.Close() // the editor has crashed
	e.ended(0)
}

// TestDAPNoMessages ends with a clear message where what comes is no message.
func TestDAPNoMessages(t *testing.T) {
	t.Parallel()
	framed := func(text string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text) }
	for _, text := range []string{
		"GET / HTTP/1.1\r\n\r\n", "Content-Length: 99999999\r\n\r\n", "Content-Length: 99999999999999999999\r\n\r\n", "Content-Length: 10\r\nX: y\r\n\r\n",
		"Content-Length: -1\r\n\r\n", strings.Repeat("x", 5<<20), framed("nonsense"), framed("[]"), framed("{}"), framed(`{"seq":1,"type":"request"}`),
		framed(""), framed(strings.Repeat("[", 20000)), "Content-Length: 10\r\n\r\nabc", framed(`{"seq":1,"type":"request","command":7}`),
	} {
		e := newEditor(t)
		go func() {
			io.WriteString(e.in, text)
			e.in.Close()
		}()
		if e.ended(1); !strings.Contains(e.errors.String(), "the client") {
			t.Errorf("%.40q: %s", text, &e.errors)
		}
	}
}

// TestDAPNonsense sends requests that make no sense: each is answered, and the session goes on.
func TestDAPNonsense(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	e.refused("threads", nil, "nothing is launched")
	e.refused("launch", nil, "needs a kernel")
	e.refused("launch", []int{1}, "cannot unmarshal")
	e.refused("launch", map[string]any{"ptx": "x.ptx", "kernel": "K"}, "not both")
	e.refused("launch", map[string]any{"ptx": "x.ptx", "cwd": t.TempDir()}, "x.ptx")
	e.refused("launch", map[string]any{"kernel": "Nothing", "package": "./examples/dot", "cwd": e.root}, "Nothing")
	e.refused("launch", map[string]any{"kernel": "Partial[float32]", "package": "./examples/dot", "cwd": e.root, "grid": 0}, "at least 1")
	e.refused("initialize", map[string]any{"pathFormat": "uri"}, "want path")
	e.in.Close()
	e.ended(0)

	e, file := spin(t)
	e.refused("launch", map[string]any{"ptx": file}, "already")
	e.refused("attach", nil, "attach is not supported")
	e.refused("frobnicate", nil, "frobnicate is not supported")
	e.refused("setExceptionBreakpoints", map[string]any{"filters": []string{"all"}}, "there is finding")
	e.refused("setBreakpoints", dap.SetBreakpointsArguments{Breakpoints: make([]dap.SourceBreakpoint, 2000)}, "at most 1000")
	e.refused("exceptionInfo", nil, "nothing was found")
	commands := []string{"setBreakpoints", "setExceptionBreakpoints", "threads", "stackTrace", "scopes", "variables", "evaluate", "exceptionInfo",
		"next", "stepIn", "stepOut", "stepBack", "reverseContinue", "pause", "source", "completions", "cancel", "gotoTargets", "readMemory", "restart"}
	sent := 0
	for _, command := range commands {
		for _, n := range []int{0, -1, 1, 1 << 31, 1<<62 + 1} {
			arguments := map[string]any{"threadId": n, "frameId": n, "variablesReference": n, "start": n, "count": n, "startFrame": n, "levels": n,
				"expression": "print out[" + fmt.Sprint(n) + "]", "context": "repl", "breakpoints": []map[string]int{{"line": n}}, "source": map[string]string{"path": file}}
			for _, a := range []any{arguments, nil, []int{n}, "x"} {
				e.answer(e.send(command, a))
				e.ask("setBreakpoints", dap.SetBreakpointsArguments{Source: dap.Source{Path: file}, Breakpoints: []dap.SourceBreakpoint{{Line: 32}}}, nil)
				sent++
			}
		}
	}
	t.Logf("%d requests were answered", sent)
	e.end()
}
