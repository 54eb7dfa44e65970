// Package debugger steps a kernel on the simulator, in both directions, by the commands of
// "gridstride debug". Its time is the time of package timeline.
//
// A Session does what a command line says (Session.Do) and writes what there is to see.
//
//	session command      the commands, by name
//	stop step finding    where to stop: breakpoints, lines, what the checks find
//	code variables       instructions with their lines, and the variables in their registers
//	place value show     memory and registers: their names, their values, and the text of both
//	launches             from one launch of a program to the next
//	position warps parts the same for programs: where the threads are, and values with parts
package debugger

import (
	"context"
	"fmt"
	"io"

	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/check/memcheck"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/timeline"
)

// Settings say how a session begins.
type Settings struct {
	// Order is the order of blocks, warps and lanes, as a check numbers them: 0 is ascending.
	Order int
	// Variables are the Go variables by the register that holds them, for each function.
	Variables Variables
	// Keep bounds what the timeline keeps. The zero Options are its defaults.
	Keep timeline.Options
	// More says that the program may launch more kernels, and each launch has a session.
	More bool
	// Share makes a link to the tour with the launch; nil if there is none.
	Share func() (string, error)
	// Stops are the stops of the launch before; nil for none.
	Stops *Stops
}

// Session is a launch that is being debugged. One goroutine at a time may use it.
type Session struct {
	launch  checked.Launch
	set     Settings
	order   string // its name
	record  *memcheck.Recorder
	line    *timeline.Timeline
	code    *code
	buffers []buffer
	out     io.Writer

	focus   Focus
	stops   []*stop
	nextID  int
	last    arrival         // of the last command that moved
	finding *report.Finding // found last
	catch   bool            // runs stop at first
	first   *first          // nil if it is not known
	listed  place           // the last line that list has shown
	wanted  *Wanted         // nil if no other launch is
}

// Focus is the thread that commands are about.
type Focus struct{ Block, Warp, Lane int }

// Start begins a session at the start of the launch. out gets what the commands say. It must be closed.
func Start(ctx context.Context, l checked.Launch, set Settings, out io.Writer) (*Session, error) {
	s := &Session{launch: l, set: set, out: out, nextID: 1}
	s.order = check.SetOrder(&s.launch.Launch, set.Order, l.Options.Seed)
	s.launch.Launch.Budget = l.Options.Budget
	if s.launch.Launch.Budget == 0 {
		s.launch.Launch.Budget = check.DefaultBudget
	}
	s.launch.Launch.MaxFaults = maxFaults
	var err error
	if s.record, s.launch.Launch.Params, err = memcheck.NewRecorder(&l.Machine.Space, &l.Entry.Kernel, l.Launch.Params); err != nil {
		return nil, err
	}
	s.code = newCode(l.Entry.Module)
	s.buffers = s.findBuffers()
	if s.line, err = timeline.New(ctx, l.Machine, l.Entry, s.launch.Launch, set.Keep); err != nil {
		s.record.Close()
		return nil, err
	}
	s.follow()
	s.keep(set.Stops)
	return s, nil
}

// maxFaults is how many bad accesses a launch may make.
const maxFaults = 1 << 14

// Close ends the session.
func (s *Session) Close() { s.record.Close() }

// Intro says what is being debugged.
func (s *Session) Intro() {
	l := s.launch.Launch
	fmt.Fprintf(s.out, "kernel %s, grid %s, block %s, %s order; help lists the commands\n", s.launch.Entry.Name, times(l.Grid), times(l.Block), s.order)
	s.showPosition()
}

func times(d [3]int) string { return fmt.Sprintf("%dx%dx%d", d[0], d[1], d[2]) }
