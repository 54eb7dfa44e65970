package debugger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/timeline"
	"github.com/gridstride/gridstride/internal/tools/count"
)

var (
	errNoThread = errors.New("the thread is not running; choose another with thread, or see warps")
	errQuit     = errors.New("quit")
)

// command is the first word of a line.
type command struct {
	names []string // the first is the whole one, the others are short for it
	args  string
	help  string
	more  string // how help NAME goes on
	do    func(s *Session, ctx context.Context, args []string) error
}

// commands are all of them, in the order of help. (It is set by init, as help prints it.)
var commands []command

func init() {
	commands = []command{
		{[]string{"break", "b"}, "LINE [block N] [warp N] [thread N]", "stop before a line",
			"LINE is N, FILE:N or ptx:N. Blocks, warps and threads (of their block) count from 0.", (*Session).breakCommand},
		{[]string{"watch"}, "PLACE [read|write]", "stop after an access to memory", placeHelp, (*Session).watchCommand},
		{[]string{"breaks"}, "", "list where it stops", "", (*Session).breaksCommand},
		{[]string{"delete"}, "[N]", "remove one of them, or all", "", (*Session).deleteCommand},
		{[]string{"continue", "c"}, "", "run to the next stop, a fault or the end", "", func(s *Session, ctx context.Context, _ []string) error { return s.forward(ctx) }},
		{[]string{"reverse", "rc"}, "", "run back to the last stop or fault, or to the start", "", func(s *Session, ctx context.Context, _ []string) error { return s.backward(ctx) }},
		{[]string{"step", "s"}, "[lane|warp|block|any] [N]", "go to the next line of the thread, or of any in its warp or block",
			"With any it is whichever warp of the launch runs next. N is how often.", stepper(false, false)},
		{[]string{"stepi", "si"}, "[lane|warp|block|any] [N]", "the same to the next instruction", "", stepper(true, false)},
		{[]string{"back", "rs"}, "[lane|warp|block|any] [N]", "step back to the line before", "", stepper(false, true)},
		{[]string{"backi", "rsi"}, "[lane|warp|block|any] [N]", "the same to the instruction before", "", stepper(true, true)},
		{[]string{"goto", "g"}, "TIME|start|end", "go to a time", "Time is the number of warp instructions that have run.", (*Session).gotoCommand},
		{[]string{"finding", "race"}, "[TOOL]", "go to the first finding of the checks, and show both sides of a race",
			"TOOL is memcheck, racecheck, initcheck or synccheck; all without one.", (*Session).findingCommand},
		{[]string{"other"}, "", "go back to the other access of the race in view", "", func(s *Session, ctx context.Context, _ []string) error { return s.other(ctx) }},
		{[]string{"who"}, "PLACE [N]", "say who wrote there last, or the last N writes", placeHelp, (*Session).whoCommand},
		{[]string{"thread", "t"}, "N [block N]", "look at another thread of the block, or of another block", "", (*Session).threadCommand},
		{[]string{"where", "w"}, "", "say which thread is in view, and where", "", func(s *Session, _ context.Context, _ []string) error { s.showPosition(); return nil }},
		{[]string{"warps"}, "[all]", "say where the block's warps are, and whom they wait for", "", (*Session).warpsCommand},
		{[]string{"stack", "bt"}, "", "show the calls of the thread", "", func(s *Session, _ context.Context, _ []string) error { return s.showStack() }},
		{[]string{"list", "l"}, "[LINE]", "show the source", "", (*Session).listCommand},
		{[]string{"ptx"}, "", "show the PTX", "", func(s *Session, _ context.Context, _ []string) error { return s.showPTX() }},
		{[]string{"print", "p"}, "NAME", "show a variable, a register or memory",
			"NAME is a Go variable, a register (%r1), a parameter, or a place. " + placeHelp, (*Session).printCommand},
		{[]string{"lanes"}, "NAME", "show a variable or a register of all lanes of the warp", "", (*Session).lanesCommand},
		{[]string{"locals"}, "", "show the thread's variables", "", (*Session).localsCommand},
		{[]string{"args"}, "", "show the kernel's arguments", "", (*Session).argsCommand},
		{[]string{"regs"}, "", "show the thread's registers", "", (*Session).regsCommand},
		{[]string{"launch"}, "[N|KERNEL|finding]", "go on to a later launch of the test",
			"It is the next one, or launch N, or the next of KERNEL, or the next in which the checks find something. Breakpoints stay.", (*Session).launchCommand},
		{[]string{"share"}, "", "print a link to the tour with this launch of a test", "It has the PTX and the arguments. Nothing is sent anywhere.", (*Session).shareCommand},
		{[]string{"info"}, "", "say how much of the execution is kept", "", (*Session).infoCommand},
		{[]string{"help", "h"}, "[COMMAND]", "explain the commands", "", (*Session).helpCommand},
		{[]string{"quit", "q"}, "", "end", "", func(*Session, context.Context, []string) error { return errQuit }},
	}
}

const placeHelp = "A place is a variable in shared memory or a buffer, or a part of one (cache[3], tile[2][3], p[1].mass), " +
	"or bytes (0x700000000000:f32, shared+16:u32)."

// Do does what a line says. quit says that the session is to end.
func (s *Session) Do(ctx context.Context, line string) (quit bool, err error) {
	words := strings.Fields(line)
	if len(words) == 0 || strings.HasPrefix(words[0], "#") {
		return false, nil
	}
	c, err := find(words[0])
	if err != nil {
		return false, err
	}
	err = c.do(s, ctx, words[1:])
	return err == errQuit, err
}

// find is the command of a name, or of the beginning of one.
func find(name string) (*command, error) {
	var begin []string
	var found *command
	for i := range commands {
		c := &commands[i]
		if slices.Contains(c.names, name) {
			return c, nil
		}
		if strings.HasPrefix(c.names[0], name) {
			begin, found = append(begin, c.names[0]), c
		}
	}
	switch len(begin) {
	case 0:
		return nil, fmt.Errorf("there is no command %s; help lists them", name)
	case 1:
		return found, nil
	}
	return nil, fmt.Errorf("%s may be %s", name, strings.Join(begin, " or "))
}

func positive(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s is no number from 1 on", text)
	}
	return n, nil
}

func (s *Session) breakCommand(_ context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("break needs a line")
	}
	at, err := s.code.find(args[0])
	if err != nil {
		return err
	}
	p := &stop{at: at, only: everybody, text: "break at " + strings.Join(append([]string{at.String()}, args[1:]...), " ")}
	if err := s.filter(&p.only, args[1:]); err != nil {
		return err
	}
	s.addStop(p)
	return nil
}

// filter reads "block 1 warp 0 thread 5".
func (s *Session) filter(f *filter, args []string) error {
	l := &s.launch.Launch
	threads := l.Block[0] * l.Block[1] * l.Block[2]
	for ; len(args) >= 2; args = args[2:] {
		to, below := &f.block, l.Grid[0]*l.Grid[1]*l.Grid[2]
		switch args[0] {
		case "block":
		case "warp":
			to, below = &f.warp, (threads+31)/32
		case "thread":
			to, below = &f.thread, threads
		default:
			return fmt.Errorf("%s: want block, warp or thread", args[0])
		}
		n, err := strconv.Atoi(args[1])
		if err != nil || n < 0 || n >= below {
			return fmt.Errorf("%s %s: want 0 to %d", args[0], args[1], below-1)
		}
		*to = n
	}
	if len(args) > 0 {
		return fmt.Errorf("%s needs a number", args[0])
	}
	return nil
}

func (s *Session) watchCommand(_ context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("watch needs a place")
	}
	o, err := s.placeOf(args[0])
	if err != nil {
		return err
	}
	p := &stop{on: o.Place, text: "watch " + strings.Join(args, " ")}
	switch {
	case len(args) == 1:
	case args[1] == "read":
		p.kinds = []event.AccessKind{event.Load, event.AtomicRMW}
	case args[1] == "write":
		p.kinds = timeline.Writes
	default:
		return fmt.Errorf("%s: want read or write", args[1])
	}
	if _, err := s.read(o.Place); err != nil {
		return err
	}
	s.addStop(p)
	return nil
}

// placeOf is memory that must be there.
func (s *Session) placeOf(text string) (object, error) {
	o, ok, err := s.object(text)
	if err == nil && !ok {
		err = fmt.Errorf("%s is no variable in shared memory, and no buffer; there are %s", text, strings.Join(s.memoryNames(), ", "))
	}
	return o, err
}

func (s *Session) memoryNames() (names []string) {
	for _, v := range s.launch.Entry.Shared {
		names = append(names, v.Name)
	}
	for _, b := range s.buffers {
		names = append(names, b.name)
	}
	if names == nil {
		names = []string{"none"}
	}
	return names
}

func (s *Session) breaksCommand(context.Context, []string) error {
	for _, p := range s.stops {
		fmt.Fprintf(s.out, "%d: %s\n", p.id, p.text)
	}
	if len(s.stops) == 0 {
		fmt.Fprintln(s.out, "it stops nowhere but at faults and the end")
	}
	return nil
}

func (s *Session) deleteCommand(_ context.Context, args []string) error {
	id := 0
	if len(args) > 0 {
		var err error
		if id, err = positive(args[0]); err != nil {
			return err
		}
	}
	if id == 0 && len(s.stops) == 0 {
		return nil
	}
	return s.removeStop(id)
}

// mostSteps is how many steps a command takes at most.
const mostSteps = 10_000

func stepper(instruction, back bool) func(*Session, context.Context, []string) error {
	return func(s *Session, ctx context.Context, args []string) error {
		u, n := laneUnit, 1
		for _, a := range args {
			if named, ok := unitNames[a]; ok {
				u = named
				continue
			}
			var err error
			if n, err = positive(a); err != nil || n > mostSteps {
				return fmt.Errorf("%s: want lane, warp, block, any, or how often, 1 to %d", a, mostSteps)
			}
		}
		out := s.out
		defer func() { s.out = out }()
		for i := range n {
			if s.out = out; i < n-1 {
				s.out = discard{}
			}
			if ended, _ := s.line.Ended(); ended && !back {
				s.out = out
				s.showPosition()
				return nil
			}
			if err := s.step(ctx, stride{unit: u, instruction: instruction, back: back}); err != nil {
				return err
			}
		}
		return nil
	}
}

// discard is where the places go that only the last of some steps shows.
type discard struct{}

// Write implements io.Writer.
func (discard) Write(b []byte) (int, error) { return len(b), nil }

func (s *Session) gotoCommand(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("goto needs a time, or start or end")
	}
	at := timeline.Time(1) << 62
	switch args[0] {
	case "start":
		at = 0
	case "end":
	default:
		n, err := strconv.ParseUint(args[0], 10, 62)
		if err != nil {
			return fmt.Errorf("%s is no time; want a number of instructions, start or end", args[0])
		}
		at = timeline.Time(n)
	}
	return s.arrived(arrival{}, s.line.Seek(ctx, at))
}

func (s *Session) findingCommand(ctx context.Context, args []string) error {
	tool := report.Tool("")
	if len(args) > 0 {
		if tool = report.Tool(args[0]); !slices.Contains(report.Tools, tool) {
			return fmt.Errorf("%s is no check; there are %v", tool, report.Tools)
		}
	}
	return s.findFirst(ctx, tool)
}

func (s *Session) threadCommand(_ context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("thread needs the number of a thread of the block")
	}
	f := filter{block: s.focus.Block, warp: -1}
	if err := s.filter(&f, append([]string{"thread"}, args...)); err != nil {
		return err
	}
	s.focus = Focus{f.block, f.thread / 32, f.thread % 32}
	s.last = arrival{}
	s.showPosition()
	return nil
}

func (s *Session) warpsCommand(_ context.Context, args []string) error {
	all := len(args) > 0 && args[0] == "all"
	shown := 0
	blocks := s.line.Blocks()
	slices.SortFunc(blocks, func(a, b sim.BlockView) int { return a.Linear - b.Linear })
	for i := range blocks {
		if all || blocks[i].Linear == s.focus.Block {
			s.showWarps(&blocks[i])
			shown++
		}
	}
	if shown == 0 {
		return fmt.Errorf("block %d is not running", s.focus.Block)
	}
	return nil
}

func (s *Session) listCommand(_ context.Context, args []string) error {
	if len(args) > 0 {
		at, err := s.code.find(args[0])
		if err != nil && at.line == 0 {
			return err
		}
		return s.showSource(at)
	}
	if s.listed.line > 0 && s.text(s.listed) != "" {
		return s.showSource(s.listed)
	}
	at := s.where()
	if at == nil {
		return errNoThread
	}
	return s.showSource(placeOf(at))
}

func (s *Session) infoCommand(context.Context, []string) error {
	moments, bytes, every, dropped := s.line.Kept()
	fmt.Fprintf(s.out, "time %d; the execution is known up to %d\n", s.line.Now(), s.line.Known())
	fmt.Fprintf(s.out, "it is kept at %s, %d instructions apart or more, in %d KiB; %d were dropped\n",
		count.Of(moments, "moment"), every, bytes>>10, dropped)
	return nil
}

func (s *Session) helpCommand(_ context.Context, args []string) error {
	if len(args) > 0 {
		c, err := find(args[0])
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s %s\n  %s", strings.Join(c.names, ", "), c.args, c.help)
		if c.more != "" {
			fmt.Fprintf(s.out, ". %s", c.more)
		}
		fmt.Fprintln(s.out)
		return nil
	}
	for _, c := range commands {
		fmt.Fprintf(s.out, "  %-48s %s\n", strings.TrimSpace(strings.Join(c.names, ", ")+" "+c.args), c.help)
	}
	return nil
}
