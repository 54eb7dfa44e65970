package lab

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/debugger"
	"github.com/gridstride/gridstride/internal/machine/runptx"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/timeline"
)

// Look asks for a moment of an execution.
type Look struct {
	At uint64 `json:"at"` // warp instructions that have run
	// Thread is the thread to look at; nil for one that runs next.
	Thread *debugger.Focus `json:"thread,omitempty"`
	// Command is a command of gridstride debug that goes elsewhere or asks something; "" for none.
	Command string `json:"command,omitempty"`
}

// Moment describes one time of an execution.
type Moment struct {
	Error  string         `json:"error"`
	At     uint64         `json:"at"`
	Ended  bool           `json:"ended"`
	Why    string         `json:"why"` // it has ended, if not well
	Thread debugger.Focus `json:"thread"`
	Line   int            `json:"line"` // of the thread; 0 if it does not run
	PTX    string         `json:"ptx"`  // its instruction
	Said   string         `json:"said"` // by the command
	Warps  []WarpAt       `json:"warps"`
	More   int            `json:"more"` // warps in flight beyond Warps
	Locals []Local        `json:"locals"`
	// Shared has the arrays of the block's shared memory, and Buffers the arrays of global memory.
	Shared  []Array `json:"shared"`
	Buffers []Array `json:"buffers"`
	Kept    Kept    `json:"kept"`
}

// WarpAt is where a warp is.
type WarpAt struct {
	Block  int       `json:"block"`
	Warp   int       `json:"warp"`
	Exist  uint32    `json:"exist"`
	Ended  uint32    `json:"ended"`
	Groups []GroupAt `json:"groups"`
	Flight []string  `json:"flight"` // "line 12: cp.async…" for work under way
}

// GroupAt is lanes of a warp that do the same.
type GroupAt struct {
	Lanes uint32 `json:"lanes"`
	Line  int    `json:"line"`
	Waits string `json:"waits"` // for what and whom; "" if they run
	Next  bool   `json:"next"`  // the next instruction is theirs
}

// Local is a Go variable that is in a register, in the thread in view and in the lanes of its warp that
// do the same.
type Local struct {
	Name  string   `json:"name"`
	Value string   `json:"value"`
	Lanes []string `json:"lanes"` // "lane 3" and its value, by turns
}

// Array is memory with its first elements.
type Array struct {
	Name   string   `json:"name"`
	Len    int      `json:"len"`
	Values []string `json:"values"`
}

// Kept says what the timeline keeps.
type Kept struct {
	Moments int `json:"moments"`
	Bytes   int `json:"bytes"`
	Dropped int `json:"dropped"`
}

// The bounds of a Moment, and of what a page's timeline keeps.
const (
	maxWarpsShown    = 64
	maxLocals        = 48
	maxElementsShown = 256
	keptEvery        = 1 << 12
	keptMemory       = 96 << 20
)

// watching is an execution that a page looks at. It is in the middle of the launch, so it has its own
// goroutine.
type watching struct {
	text   string
	launch string
	looks  chan Look
	seen   chan *Moment
	closed chan struct{}
	stop   context.CancelCauseFunc
}

var errLeft = errors.New("nobody looks at it any more")

// Look looks at a moment of an execution. The Lab keeps the execution until another is looked at.
func (l *Lab) Look(ctx context.Context, text string, launch Launch, k Look) *Moment {
	id := fmt.Sprintf("%+v", launch)
	if w := l.watching; w != nil && (w.text != text || w.launch != id) {
		l.leave()
	}
	if l.watching == nil {
		l.watching = l.program(text).watch(ctx, text, id, launch)
	}
	select {
	case l.watching.looks <- k:
		select {
		case m := <-l.watching.seen:
			return m
		case <-l.watching.closed:
		}
	case <-l.watching.closed:
	}
	// The launch could not begin, and has said why.
	w := l.watching
	l.watching = nil
	select {
	case m := <-w.seen:
		return m
	default:
		return &Moment{Error: "the execution has ended; run it again"}
	}
}

// leave ends the execution that a page looks at.
func (l *Lab) leave() {
	if w := l.watching; w != nil {
		w.stop(errLeft)
		<-w.closed
		l.watching = nil
	}
}

// watch begins an execution.
func (c *Compiled) watch(ctx context.Context, text, id string, l Launch) *watching {
	ctx, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	w := &watching{text: text, launch: id, looks: make(chan Look), seen: make(chan *Moment, 1), closed: make(chan struct{}), stop: stop}
	go func() {
		defer close(w.closed)
		defer func() {
			if r := recover(); r != nil {
				w.seen <- &Moment{Error: fmt.Sprintf("this is a fault of gridstride: %v", r)}
			}
		}()
		if err := c.show(ctx, w, l); err != nil && !errors.Is(err, errLeft) {
			w.seen <- &Moment{Error: c.words(err)}
		}
	}()
	return w
}

// show answers looks until nobody looks any more.
func (c *Compiled) show(ctx context.Context, w *watching, l Launch) error {
	job, k, err := c.job(l)
	if err != nil {
		return err
	}
	o := runptx.Observation{Options: check.Options{Budget: budget}}
	return job.Debug(ctx, o, func(ctx context.Context, d checked.Launch) error {
		var out strings.Builder
		s, err := debugger.Start(ctx, d, debugger.Settings{
			Order: l.Order, Variables: k.variables, Keep: timeline.Options{Every: keptEvery, Memory: keptMemory},
		}, &out)
		if err != nil {
			return err
		}
		defer s.Close()
		for {
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case look := <-w.looks:
				w.seen <- c.moment(ctx, s, look, &out)
			}
		}
	})
}

// moment goes where a Look wants, does its command, and says what is to be seen there.
func (c *Compiled) moment(ctx context.Context, s *debugger.Session, k Look, out *strings.Builder) *Moment {
	m := &Moment{Warps: []WarpAt{}, Locals: []Local{}, Shared: []Array{}, Buffers: []Array{}}
	out.Reset()
	err := s.Goto(ctx, timeline.Time(k.At))
	if err == nil && k.Thread != nil {
		err = s.Look(*k.Thread)
	}
	if out.Reset(); err == nil && k.Command != "" {
		_, err = s.Do(ctx, k.Command)
	}
	if err != nil {
		m.Error = c.words(err)
	}
	m.Said = c.wordsOf(out.String())
	p := s.Position()
	m.At, m.Ended, m.Thread = uint64(p.Time), p.Ended, p.Focus
	if p.Err != nil {
		m.Why = c.words(p.Err)
	}
	c.warps(s, m)
	m.variables(s)
	m.Kept.Moments, m.Kept.Bytes, m.Kept.Dropped = s.Kept()
	return m
}

// warps says where the warps are.
func (c *Compiled) warps(s *debugger.Session, m *Moment) {
	list, more := s.Positions(maxWarpsShown)
	m.More = more
	for _, w := range list {
		at := WarpAt{Block: w.Block, Warp: w.Index, Exist: w.Exist, Ended: w.Ended, Groups: []GroupAt{}, Flight: []string{}}
		for _, g := range w.Groups {
			x := GroupAt{Lanes: g.Lanes, Next: g.Running}
			if g.Site != nil {
				x.Line = c.line(g.Site)
			}
			if g.State != event.Running {
				x.Waits = c.wordsOf(waits(g))
			}
			if w.Block == m.Thread.Block && w.Index == m.Thread.Warp && g.Lanes>>m.Thread.Lane&1 != 0 && g.Site != nil {
				m.Line, m.PTX = x.Line, g.Site.Instr.String()
			}
			at.Groups = append(at.Groups, x)
		}
		for _, f := range w.Flight {
			at.Flight = append(at.Flight, fmt.Sprintf("line %d: %s", c.line(f.Site), f.Site.Instr.Op))
		}
		m.Warps = append(m.Warps, at)
	}
}

// waits says for what and whom lanes wait.
func waits(g debugger.Group) string {
	if g.Detail == "" {
		return string(g.State)
	}
	return strings.TrimSuffix(string(g.State), " at") + ": " + g.Detail
}

// variables reads the variables of the thread in view, and memory.
func (m *Moment) variables(s *debugger.Session) {
	locals, err := s.Locals()
	if err != nil {
		locals, err = s.Registers() // PTX of another compiler has no Go names
	}
	if err == nil {
		for _, v := range locals[:min(len(locals), maxLocals)] {
			x := Local{Name: v.Name, Value: v.Text, Lanes: []string{}}
			if lanes, err := s.Lanes(v.Name); err == nil {
				for _, one := range lanes {
					x.Lanes = append(x.Lanes, one.Name, one.Text)
				}
			}
			m.Locals = append(m.Locals, x)
		}
	}
	for to, list := range map[*[]Array][]debugger.Value{&m.Shared: s.Shared(), &m.Buffers: s.Buffers()} {
		for _, v := range list {
			a := Array{Name: v.Name, Len: v.Elements, Values: []string{}}
			parts, err := s.Parts(v.Name, 0, maxElementsShown)
			if err != nil {
				continue
			}
			for _, p := range parts {
				a.Values = append(a.Values, p.Text)
			}
			*to = append(*to, a)
		}
	}
}
