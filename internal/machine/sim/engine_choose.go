package sim

import (
	"fmt"
	"os"

	"github.com/gridstride/gridstride/internal/machine/sim/native"
)

// Engine says what runs kernels. All engines have the same results, faults and counts.
type Engine string

// The engines. Without a choice kernels are interpreted until it is worth compiling them.
const (
	// Interpreter calls a Go function for each instruction.
	Interpreter Engine = "interpreter"
	// Compiled compiles the instructions that it knows to machine code, when a kernel is first
	// launched, and interprets the others. It is Interpreter if the processor or the system does
	// not allow that, or if an observer watches, as all checks do.
	Compiled Engine = "compiled"
)

// engineEnv is the environment variable that names an engine.
const engineEnv = "GRIDSTRIDE_ENGINE"

// EngineError names an engine that does not exist.
type EngineError struct {
	Name string
	Env  bool // GRIDSTRIDE_ENGINE asked for it
}

// Error names the engines that there are.
func (e *EngineError) Error() string {
	what := "the engine"
	if e.Env {
		what = engineEnv
	}
	return fmt.Sprintf("%s is %q; want %q or %q", what, e.Name, Interpreter, Compiled)
}

// engineOf makes the engine of a name. "" is the one that the environment names.
func engineOf(name Engine) (engine, error) {
	fromEnv := name == ""
	if fromEnv {
		name = Engine(os.Getenv(engineEnv))
	}
	switch {
	case name != "" && name != Compiled && name != Interpreter:
		return nil, &EngineError{Name: string(name), Env: fromEnv}
	case name == Interpreter || !native.Suits():
		return nil, nil
	}
	if native.Possible {
		e := newCompiler()
		if name == "" {
			e.patience = patience
		}
		return e, nil
	}
	return nil, nil
}
