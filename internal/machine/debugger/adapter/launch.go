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

// Open makes what a launch request says, and gives it to session, whose error it returns. output gets
// the kernel's prints.
type Open func(ctx context.Context, l *Launch, output io.Writer, session func(context.Context, Target) error) error

// start launches, and answers requests until the session is over.
func (v *server) start(ctx context.Context, req *dap.LaunchRequest) error {
	if v.debug != nil || v.over {
		return errors.New("a kernel has been launched already")
	}
	if len(req.Arguments) == 0 {
		return errors.New("a launch needs arguments: package and kernel, or ptx")
	}
	v.launch = Launch{}
	if err := json.Unmarshal(req.Arguments, &v.launch); err != nil {
		return fmt.Errorf("the launch's arguments: %w", err)
	}
	if l := &v.launch; (l.PTX == "") == (l.Kernel == "") {
		return errors.New("a launch needs a kernel, and its package if that is not the one in cwd, or ptx, and not both")
	}
	launched := false
	err := v.open(ctx, &v.launch, printed{v.wire}, func(ctx context.Context, t Target) (err error) {
		if v.debug, err = debugger.Start(ctx, t.Launch, t.Settings, &v.said); err != nil {
			return err
		}
		defer v.debug.Close()
		v.target, launched = t, true
		v.wire.answer(req, &dap.LaunchResponse{})
		v.wire.event("initialized", &dap.InitializedEvent{})
		return v.serve(ctx)
	})
	if !launched {
		v.debug = nil
		if err == nil {
			err = errors.New("nothing was launched")
		}
		return err
	}
	v.debug, v.over = nil, true
	return nil
}
