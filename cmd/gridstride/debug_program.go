package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/gridstride/gridstride/internal/language/build"
	"github.com/gridstride/gridstride/internal/language/sourcetext"
	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/checked/shown"
	"github.com/gridstride/gridstride/internal/machine/debugger"
	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/internal/tools/plain"
)

// programJob debugs the launches of a program, each as it is about to run there. The program waits
// meanwhile, runs it under the checks afterwards, and goes on.
type programJob struct {
	dir      string // from which packages are named
	options  check.Options
	settings debugger.Settings
	wanted   debugger.Wanted // the launch to debug first
	output   io.Writer       // gets what the program and its kernels print
	// session debugs a launch. ok is false if the program is to end.
	session func(context.Context, *shownLaunch) (w debugger.Wanted, ok bool, err error)

	sources *sourcetext.Finder
	names   map[string]*build.Names // by package
}

// shownLaunch is a launch of the program.
type shownLaunch struct {
	checked.Launch
	settings debugger.Settings
	title    string
	sources  *sourcetext.Finder
}

// run runs the program. The command says what it starts with the environment.
func (p *programJob) run(ctx context.Context, command func(context.Context, checked.Env) *exec.Cmd) error {
	dir, err := os.MkdirTemp("", "gridstride-debug-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	leave, err := shown.Attend(dir)
	if err != nil {
		return err
	}
	defer leave()
	p.sources, p.names = sourcetext.New(p.dir).InModule(p.dir), map[string]*build.Names{}
	running, stop := context.WithCancel(ctx)
	defer stop()
	cmd := command(running, checked.Env{Dir: dir, Orders: 1, Seed: p.options.Seed, Budget: p.options.Budget, Show: true})
	cmd.Dir = p.dir
	said := &gate{to: plain.Raw(p.output)}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		return err
	}
	gone := make(chan struct{})
	var ended error
	go func() {
		defer close(gone)
		ended = cmd.Wait()
	}()
	n, quit, err := p.launches(ctx, dir, gone)
	if !quit && err == nil && n > 0 {
		p.over(n)
	}
	if quit || err != nil {
		said.shut() // that it was interrupted is no news
		stop()
	}
	<-gone
	_, failed := errors.AsType[*exec.ExitError](ended)
	switch {
	case quit || err != nil:
		return err
	case failed:
		return &cli.StatusError{Status: 1, Err: fmt.Errorf("the program ended: %w", ended)}
	case ended == nil && n == 0:
		return errors.New("no kernel was launched on a simulated device")
	}
	return ended
}

// over says that the program has ended, and what it has not launched.
func (p *programJob) over(n int) {
	text := "the program has ended after " + count.Of(n, "launch", "launches")
	switch {
	case p.wanted.Number > n:
		text += fmt.Sprintf("; there was no launch %d", p.wanted.Number)
	case p.wanted.Kernel != "":
		text += "; none of the last was of " + p.wanted.Kernel
	case p.wanted.Finding:
		text += "; the checks found nothing in the last"
	}
	fmt.Fprintln(p.output, text)
}

// gate is a writer until it is shut.
type gate struct {
	mu sync.Mutex
	to io.Writer // nil once it is shut
}

// Write implements io.Writer.
func (g *gate) Write(b []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.to == nil {
		return len(b), nil
	}
	return g.to.Write(b)
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.to = nil
}

// launches debugs the launches that the program shows, until it has gone.
func (p *programJob) launches(ctx context.Context, dir string, gone <-chan struct{}) (n int, quit bool, err error) {
	for {
		l, done, err := next(ctx, dir, gone)
		switch {
		case err != nil:
			return n, false, err
		case l == nil:
			select {
			case <-gone:
				return n, false, nil
			default: // it was interrupted
				return n, true, nil
			}
		}
		n++
		more, err := p.debug(ctx, n, l)
		if err != nil || !more {
			return n, true, err
		}
		if err := done(); err != nil {
			return n, false, err
		}
	}
}

// next waits for a launch. An interrupt ends the waiting, also after others that ended a command.
func next(ctx context.Context, dir string, gone <-chan struct{}) (*shown.Launch, func() error, error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	return shown.Next(ctx, dir, gone)
}

// debug debugs a launch if it is wanted. It reports whether the program is to go on.
func (p *programJob) debug(ctx context.Context, n int, l *shown.Launch) (more bool, err error) {
	if n < p.wanted.Number || !p.wanted.Is(l.Kernel, l.Image.Entry) {
		return true, nil
	}
	title := fmt.Sprintf("launch %d: %s", n, l.Kernel)
	if l.From != "" {
		title += ", from " + l.From
	}
	if l.Why != "" {
		fmt.Fprintf(p.output, "%s cannot be debugged: %s\n", title, l.Why)
		return true, nil
	}
	launch, err := p.launch(ctx, l)
	if err != nil {
		return false, err
	}
	launch.title = title
	if p.wanted.Finding {
		if finds, err := launch.finds(ctx); err != nil || !finds {
			return true, err
		}
	}
	w, ok, err := p.session(ctx, launch)
	p.wanted = w
	return ok, err
}

// launch makes the launch here.
func (p *programJob) launch(ctx context.Context, l *shown.Launch) (*shownLaunch, error) {
	m, e, sl, err := l.Image.Restore()
	if err != nil {
		return nil, err
	}
	sl.Output = p.output
	o := p.options
	o.Kernel, o.LaunchedFrom, o.Init, o.Text = l.Kernel, l.From, l.Init(), p.sources.Line
	launch := &shownLaunch{Launch: checked.Launch{Machine: m, Entry: e, Launch: sl, Options: o}, settings: p.settings, sources: p.sources}
	launch.settings.More = true
	if names := p.namesOf(ctx, e.Module); names != nil {
		launch.settings.Variables = names.Variables
		launch.Elems = map[string]ptx.Type{}
		for name, elem := range names.Elements[e.Name] {
			if slices.Contains(numbers, elem) {
				launch.Elems[name] = tool.NumberType(elem)
			}
		}
	}
	share := &sharer{shown: l, entry: e, elems: launch.Elems}
	launch.settings.Share = func() (string, error) { return share.link("http://" + tourAddress + "/") }
	return launch, nil
}

// numbers are Go's types of numbers that PTX has.
var numbers = []string{"bool", "byte", "int", "uint", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"}

// namesLimit is how long the compiler may take to say which variables registers hold.
const namesLimit = 20 * time.Second

// namesOf are the names that a kernel's package gives: none if it is not of the module at hand.
func (p *programJob) namesOf(ctx context.Context, m *ptx.Module) *build.Names {
	file := m.Files()[1]
	if file == "" || p.sources.Path(file) == "" {
		return nil
	}
	pkg := path.Dir(file)
	names, known := p.names[pkg]
	if !known {
		ctx, cancel := context.WithTimeout(ctx, namesLimit)
		defer cancel()
		names, _ = build.NamesOf(ctx, p.dir, pkg, m) // a package that does not compile has none
		p.names[pkg] = names
	}
	return names
}

// finds reports whether the checks find something in the launch.
func (l *shownLaunch) finds(ctx context.Context) (bool, error) {
	s, err := debugger.Start(ctx, l.Launch, l.settings, io.Discard)
	if err != nil {
		return false, err
	}
	defer s.Close()
	return s.Finds(ctx)
}
