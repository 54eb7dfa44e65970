package debugger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A program may launch many kernels. Each launch is a session. Breakpoints go on from one to the next.

// Stops are the breakpoints and watchpoints of a session, for the session of the program's next launch.
type Stops struct {
	list   []*stop
	nextID int
	catch  bool
}

// Stops returns the session's.
func (s *Session) Stops() *Stops { return &Stops{s.stops, s.nextID, s.catch} }

// keep takes over what is not this launch's own: a watchpoint stays if its place has a name here.
func (s *Session) keep(k *Stops) {
	if k == nil {
		return
	}
	s.nextID, s.catch = k.nextID, k.catch
	for _, p := range k.list {
		if p.on.Size > 0 {
			o, err := s.placeOf(strings.Fields(p.text)[1])
			if err != nil {
				continue
			}
			moved := *p
			moved.on = o.Place
			p = &moved
		}
		s.stops = append(s.stops, p)
	}
}

// Wanted is the launch to debug next.
type Wanted struct {
	Kernel  string // its name, "" for any
	Number  int    // its number, from 1; 0 for any
	Finding bool   // the checks must find something in it
}

// Is reports whether a kernel is wanted. It has several names, as main.Partial[float32] and
// Partial_float32, and may be named without its package and its types.
func (w Wanted) Is(names ...string) bool {
	for _, name := range names {
		generic, types, _ := strings.Cut(name, "[")
		short := generic[strings.LastIndexByte(generic, '.')+1:]
		if slices.Contains([]string{"", name, generic, short, short + "[" + types}, w.Kernel) {
			return true
		}
	}
	return false
}

// Wanted is which launch the user wants next. ok is false for none: the program is to end.
func (s *Session) Wanted() (w Wanted, ok bool) {
	if s.wanted == nil {
		return w, false
	}
	return *s.wanted, true
}

func (s *Session) launchCommand(_ context.Context, args []string) error {
	switch {
	case !s.set.More:
		return errors.New("this is the only launch; quit ends the debugger")
	case len(args) > 1:
		return errors.New("launch takes a number, the name of a kernel, or finding")
	}
	s.wanted = &Wanted{}
	if len(args) == 1 {
		n, err := positive(args[0])
		switch {
		case args[0] == "finding":
			s.wanted.Finding = true
		case err == nil:
			s.wanted.Number = n
		default:
			s.wanted.Kernel = args[0]
		}
	}
	return errQuit
}

// Finds reports whether the checks find anything in the launch. The session is at the start afterwards.
func (s *Session) Finds(ctx context.Context) (bool, error) {
	f, _, err := s.toFirst(ctx, "")
	err = errors.Join(err, s.line.Seek(context.WithoutCancel(ctx), 0))
	s.follow()
	return f != nil, err
}

func (s *Session) shareCommand(context.Context, []string) error {
	if s.set.Share == nil {
		return errors.New("share is for the launches of a test; gridstride check FILE.ptx --share is for others")
	}
	address, err := s.set.Share()
	if err != nil {
		return fmt.Errorf("share: %w", err)
	}
	fmt.Fprintln(s.out, address)
	return nil
}
