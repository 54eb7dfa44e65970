package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/google/go-dap"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/debugger"
)

// Launch is the arguments of a launch request: the fields of a configuration in launch.json.
type Launch struct {
	// Package and Kernel name the kernel, as "gridstride debug" takes them.
	Package string `json:"package"`
	Kernel  string `json:"kernel"`
	Target  string `json:"target"`
	// Test is a regexp of tests of the package, in place of a launch: their launches are debugged, from the
	// first one of the kernel on, if that is named.
	Test string `json:"test"`
	// PTX is a file, in place of a package. Entry is its kernel.
	PTX     string   `json:"ptx"`
	Entry   string   `json:"entry"`
	Sources []string `json:"sources"`
	// Grid, Block, Shared and Args are the launch, as flags have it.
	Grid   Size     `json:"grid"`
	Block  Size     `json:"block"`
	Shared int      `json:"shared"`
	Args   []string `json:"args"`
	// CheckOrder is the order to run in.
	CheckOrder int `json:"checkOrder"`
	// Cwd is the folder in which names of files and packages that are not absolute are looked up.
	Cwd         string `json:"cwd"`
	StopOnEntry bool   `json:"stopOnEntry"`
	NoDebug     bool   `json:"noDebug"`
}

// Size is "16x16", "256" or a number.
type Size string

// UnmarshalJSON implements json.Unmarshaler.
func (s *Size) UnmarshalJSON(b []byte) error {
	if n, err := strconv.Atoi(string(b)); err == nil {
		*s = Size(strconv.Itoa(n))
		return nil
	}
	return json.Unmarshal(b, (*string)(s))
}

// Target is a kernel to debug.
type Target struct {
	Launch   checked.Launch
	Settings debugger.Settings
	// Path is where a source file is on disk that PTX names, "" if that is not known.
	Path func(file string) string
	// PTX is the path of the PTX file, "" for a kernel of a package.
	PTX string
}

// Session debugs a kernel. more says that the program is to go on, and which launch of it is wanted then.
type Session func(ctx context.Context, t Target) (w debugger.Wanted, more bool, err error)

// Open makes what a launch request says, and gives it to session, whose error it returns. It gives it each
// launch of a program, while more is true. output gets what the kernel and the program print.
type Open func(ctx context.Context, l *Launch, output io.Writer, session Session) error

// start launches, and answers requests until the session is over.
func (v *server) start(ctx context.Context, req *dap.LaunchRequest) error {
	if v.debug != nil || v.over {
		return errors.New("a kernel has been launched already")
	}
	if err := v.configure(req); err != nil {
		return err
	}
	launched := false
	err := v.open(ctx, &v.launch, printed{v.wire}, func(ctx context.Context, t Target) (debugger.Wanted, bool, error) {
		begin := func(ctx context.Context) {
			v.again()
			v.begin(ctx)
		}
		if !launched {
			begin = func(context.Context) {
				launched = true
				v.wire.answer(req, &dap.LaunchResponse{})
				v.wire.event("initialized", &dap.InitializedEvent{})
			}
		}
		return v.session(ctx, t, begin)
	})
	v.debug = nil
	if !launched {
		if err == nil {
			err = errors.New("nothing was launched")
		}
		return err
	}
	if v.launch.Test != "" && !v.gone {
		if v.failed = err != nil; v.failed {
			v.wire.output("console", err.Error()+"\n")
		}
		v.finish()
	}
	v.over = true
	return nil
}

// configure reads the arguments of a launch.
func (v *server) configure(req *dap.LaunchRequest) error {
	if len(req.Arguments) == 0 {
		return errors.New("a launch needs arguments: package and kernel, package and test, or ptx")
	}
	v.launch = Launch{}
	if err := json.Unmarshal(req.Arguments, &v.launch); err != nil {
		return fmt.Errorf("the launch's arguments: %w", err)
	}
	if l := &v.launch; (l.PTX == "") == (l.Kernel == "" && l.Test == "") {
		return errors.New("a launch needs a kernel or a test, and the package if that is not the one in cwd, or ptx, and not both")
	}
	return nil
}

// session answers requests while a launch is debugged.
func (v *server) session(ctx context.Context, t Target, begin func(context.Context)) (w debugger.Wanted, more bool, err error) {
	t.Settings.Stops = v.stops
	s, err := debugger.Start(ctx, t.Launch, t.Settings, &v.said)
	if err != nil {
		return w, false, err
	}
	defer s.Close()
	v.debug, v.target, v.left = s, t, false
	begin(ctx)
	err = v.serve(ctx, func() bool { return v.left || v.over && t.Settings.More })
	v.stops = s.Stops()
	w, _ = s.Wanted()
	return w, v.left && !v.gone, err
}

// leave ends the session of a launch: the program goes on, if there is one.
func (v *server) leave() {
	if v.target.Settings.More {
		v.left = true
		return
	}
	v.finish()
}
