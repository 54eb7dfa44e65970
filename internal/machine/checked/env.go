package checked

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/sourcetext"
	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/report"
)

// EnvVar is the environment variable with which gridstride check, profile and debug make the
// programs they start check, count or show their launches on every simulated device they open. Its value is an Env as
// text.
const EnvVar = "GRIDSTRIDE_CHECK"

// Env says what a program is to check, and the folder through which it talks to the command that
// has started it.
type Env struct {
	Dir      string
	Tools    []report.Tool
	Orders   int
	Seed     uint64
	Pedantic bool
	Profile  bool
	Show     bool // launches are shown to the command, which debugs them, before they run
	Budget   uint64
	Timeout  time.Duration // of a launch
}

// String is the value of the environment variable: "orders=2 seed=1 … dir=/tmp/x". The folder comes
// last, as its name may hold anything.
func (e Env) String() string {
	tools := make([]string, len(e.Tools))
	for i, t := range e.Tools {
		tools[i] = string(t)
	}
	return fmt.Sprintf("tools=%s orders=%d seed=%d pedantic=%t profile=%t show=%t budget=%d timeout=%v dir=%s",
		strings.Join(tools, ","), e.Orders, e.Seed, e.Pedantic, e.Profile, e.Show, e.Budget, e.Timeout, e.Dir)
}

// parseEnv reads what String has written.
func parseEnv(text string) (e Env, err error) {
	for {
		key, rest, _ := strings.Cut(text, "=")
		if key == "dir" {
			e.Dir = rest
			break
		}
		value, more, ok := strings.Cut(rest, " ")
		if !ok {
			return e, errors.New("it names no folder")
		}
		if err := e.set(key, value); err != nil {
			return e, err
		}
		text = more
	}
	if e.Dir == "" {
		return e, errors.New("it names no folder")
	}
	return e, nil
}

func (e *Env) set(key, value string) (err error) {
	switch key {
	case "tools":
		if value != "" {
			for t := range strings.SplitSeq(value, ",") {
				e.Tools = append(e.Tools, report.Tool(t))
			}
		}
	case "orders":
		e.Orders, err = strconv.Atoi(value)
	case "seed":
		e.Seed, err = strconv.ParseUint(value, 10, 64)
	case "pedantic":
		e.Pedantic, err = strconv.ParseBool(value)
	case "profile":
		e.Profile, err = strconv.ParseBool(value)
	case "show":
		e.Show, err = strconv.ParseBool(value)
	case "budget":
		e.Budget, err = strconv.ParseUint(value, 10, 64)
	case "timeout":
		e.Timeout, err = time.ParseDuration(value)
	default:
		return fmt.Errorf("this version of gridstride does not know %q", key)
	}
	return err
}

// FromEnv is the configuration that the environment asks for, or nil.
func FromEnv() (*Config, error) {
	text := os.Getenv(EnvVar)
	if text == "" {
		return nil, nil
	}
	e, err := parseEnv(text)
	if err != nil {
		return nil, fmt.Errorf("%s, which gridstride check sets, is %q: %w", EnvVar, text, err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	folder := folderAt(e.Dir, e.Show)
	c := &Config{
		Options: check.Options{
			Tools: e.Tools, Orders: e.Orders, Seed: e.Seed, Pedantic: e.Pedantic, Profile: e.Profile, Budget: e.Budget,
			TimeLimit: e.Timeout,
		},
		Report: folder.write,
		Folder: folder,
		Finish: true,
	}
	c.ReadSources(sourcetext.New().InModule(dir), abi.Version)
	return c, nil
}
