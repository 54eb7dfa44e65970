package adapter

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/google/go-dap"
	"github.com/gridstride/gridstride/internal/machine/debugger"
)

// warpsPerBlock is how many warps a block has at most.
const warpsPerBlock = 32

// thread is the number of a warp.
func thread(f debugger.Focus) int { return f.Block*warpsPerBlock + f.Warp + 1 }

func sameWarp(a, b debugger.Focus) bool { return a.Block == b.Block && a.Warp == b.Warp }

// warps are the warps in flight, and the one in focus, which may have ended.
func (v *server) warps() []debugger.Focus {
	list, f := v.debug.Warps(), v.debug.Position().Focus
	if !slices.ContainsFunc(list, func(w debugger.Focus) bool { return sameWarp(w, f) }) {
		list = append(list, f)
	}
	return list
}

// focus is the thread of a warp that is shown.
func (v *server) focus(id int) (debugger.Focus, error) {
	for _, f := range v.warps() {
		if thread(f) == id {
			return f, nil
		}
	}
	return debugger.Focus{}, fmt.Errorf("thread %d is not running", id)
}

func (v *server) threads(req *dap.ThreadsRequest) error {
	to := &dap.ThreadsResponse{Body: dap.ThreadsResponseBody{Threads: []dap.Thread{}}}
	for _, f := range v.warps() {
		to.Body.Threads = append(to.Body.Threads, dap.Thread{Id: thread(f), Name: fmt.Sprintf("block %d warp %d", f.Block, f.Warp)})
	}
	v.wire.answer(req, to)
	return nil
}

// looking does something with another thread in focus.
func (v *server) looking(f debugger.Focus, do func() error) error {
	before := v.debug.Position().Focus
	if err := v.debug.Look(f); err != nil {
		return err
	}
	return errors.Join(do(), v.debug.Look(before))
}

func (v *server) stackTrace(req *dap.StackTraceRequest) error {
	f, err := v.focus(req.Arguments.ThreadId)
	if err != nil {
		return err
	}
	to := &dap.StackTraceResponse{}
	err = v.looking(f, func() error {
		for i, c := range v.debug.Calls() {
			to.Body.StackFrames = append(to.Body.StackFrames, v.stackFrame(v.frame(f, i), f, &c))
		}
		return nil
	})
	if len(to.Body.StackFrames) == 0 {
		text := "lane %d has not started, or has ended"
		if v.debug.Position().Ended {
			text = "lane %d: the launch has ended"
		}
		to.Body.StackFrames = []dap.StackFrame{{Id: v.frame(f, 0), Name: fmt.Sprintf(text, f.Lane)}}
	}
	all := to.Body.StackFrames
	to.Body.TotalFrames = len(all)
	to.Body.StackFrames = page(all, req.Arguments.StartFrame, req.Arguments.Levels)
	if err == nil {
		v.wire.answer(req, to)
	}
	return err
}

// stackFrame is a call, for the client.
func (v *server) stackFrame(id int, f debugger.Focus, c *debugger.Call) dap.StackFrame {
	frame := dap.StackFrame{Id: id, Name: fmt.Sprintf("%s, lane %d", c.Name, f.Lane), Line: c.Line}
	if c.PTX > 0 {
		frame.InstructionPointerReference = fmt.Sprintf("ptx:%d", c.PTX)
	}
	at := ""
	if c.File != "" {
		at = v.target.Path(c.File)
	}
	switch {
	case at != "":
		frame.Source = &dap.Source{Name: path.Base(c.File), Path: at}
	case v.target.PTX != "" && c.PTX > 0:
		frame.Source, frame.Line = &dap.Source{Path: v.target.PTX}, c.PTX
	case c.File != "":
		frame.Source = &dap.Source{Name: path.Base(c.File)}
	}
	return frame
}

// call is a call of a thread; 0 is the innermost.
type call struct {
	focus debugger.Focus
	depth int
}

// frame is the number of a call.
func (v *server) frame(f debugger.Focus, depth int) int {
	c := call{f, depth}
	if i := slices.Index(v.frames, c); i >= 0 {
		return i + 1
	}
	v.frames = append(v.frames, c)
	return len(v.frames)
}

// forget makes the numbers of frames and variables void: the kernel has moved.
func (v *server) forget() { v.frames, v.refs, v.numbers = nil, nil, map[reference]int{} }

// page is a part of a list: count from start on, all for 0.
func page[T any](list []T, start, count int) []T {
	list = list[min(max(start, 0), len(list)):]
	if count > 0 {
		list = list[:min(count, len(list))]
	}
	return list
}
