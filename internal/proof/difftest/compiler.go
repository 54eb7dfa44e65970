package difftest

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/pass"
	"github.com/gridstride/gridstride/internal/language/load"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Machine runs PTX: the simulator, or a GPU. It must be safe for use from several goroutines.
type Machine interface {
	Name() string
	// Load makes the kernels of a module ready. The module stays loaded until the result is closed.
	Load(text string) (Kernels, error)
}

// Kernels are the kernels of a loaded module.
type Kernels interface {
	// Launch runs p's kernel, which is entry in the module and was compiled from the source file of
	// that name.
	Launch(ctx context.Context, p *Program, entry, file string) Outcome
	Close()
}

// Module is the PTX of the programs that ask for one target.
type Module struct {
	Target string // "" if they ask for none
	PTX    string
}

// modules are loaded ones by their targets.
type modules map[string]Kernels

// loadModules loads all of a list, or none.
func loadModules(m Machine, list []Module) (Kernels, error) {
	all := modules{}
	for _, mod := range list {
		k, err := m.Load(mod.PTX)
		if err != nil {
			all.Close()
			return nil, err
		}
		all[mod.Target] = k
	}
	return all, nil
}

// Launch implements Kernels.
func (m modules) Launch(ctx context.Context, p *Program, entry, file string) Outcome {
	k := m[p.Target]
	if k == nil {
		return Outcome{Err: fmt.Errorf("no module for target %q", p.Target)}
	}
	return k.Launch(ctx, p, entry, file)
}

// Close implements Kernels.
func (m modules) Close() {
	for _, k := range m {
		k.Close()
	}
}

// Compiler is the compiler under test with a machine that runs its output: a Device. The PTX goes
// the way it goes for users, as text.
type Compiler struct {
	Machine  Machine
	importer compile.Importer
	passes   []pass.Pass // nil for all of them, as for users
}

// NewCompiler makes a Compiler. dir is a folder of this module, where package gpu is found from.
func NewCompiler(ctx context.Context, dir string, m Machine) (*Compiler, error) {
	_, imp, err := load.Packages(ctx, dir, modulePath+"/gpu")
	return &Compiler{Machine: m, importer: imp}, err
}

// Name implements Device.
func (c *Compiler) Name() string { return c.Machine.Name() }

// Run implements Device. The programs are compiled as one package; if that fails, each separately,
// to find the culprit.
func (c *Compiler) Run(ctx context.Context, programs []*Program) []Outcome {
	if kernels, _, err := c.load(programs, 0); err == nil {
		defer kernels.Close()
		return launchAll(ctx, kernels, programs)
	}
	outcomes := make([]Outcome, len(programs))
	for i := range programs {
		kernels, stage, err := c.load(programs[i:i+1], i)
		if err != nil {
			outcomes[i] = Outcome{Stage: stage, Err: err}
			continue
		}
		outcomes[i] = programs[i].launch(ctx, kernels, i)
		kernels.Close()
	}
	return outcomes
}

func launchAll(ctx context.Context, kernels Kernels, programs []*Program) []Outcome {
	outcomes := make([]Outcome, len(programs))
	for i, p := range programs {
		outcomes[i] = p.launch(ctx, kernels, i)
	}
	return outcomes
}

// launch launches the program that was compiled under the number id.
func (p *Program) launch(ctx context.Context, kernels Kernels, id int) (o Outcome) {
	defer func() {
		if x := recover(); x != nil {
			o = Outcome{Stage: "machine panic", Err: fmt.Errorf("%v\n%s", x, debug.Stack())}
		}
	}()
	entry := strings.Join(append([]string{fmt.Sprintf("K_%d", id)}, p.TypeArgs...), "_")
	o = kernels.Launch(ctx, p, entry, fileOf(id))
	if o.Err != nil {
		o.Stage = "launch"
	}
	return o
}

func fileOf(id int) string { return fmt.Sprintf("kernel%d.go", id) }

// load compiles the programs, numbered from first on, and loads the modules.
func (c *Compiler) load(programs []*Program, first int) (k Kernels, stage string, err error) {
	list, stage, err := c.compile(programs, first)
	if err != nil {
		return nil, stage, err
	}
	k, err = loadModules(c.Machine, list)
	return k, "load", err
}

// compile compiles the programs, numbered from first on, to PTX text, which is parsed and verified
// again.
func (c *Compiler) compile(programs []*Program, first int) (list []Module, stage string, err error) {
	defer func() {
		if x := recover(); x != nil {
			stage, err = "compiler panic", fmt.Errorf("%v\n%s", x, debug.Stack())
		}
	}()
	src := &compile.Source{Path: modulePath + "/kernels", Name: "kernels"}
	for i, p := range programs {
		src.Files = append(src.Files, compile.File{Name: fileOf(first + i), Text: []byte(p.Named(first + i))})
	}
	res, err := compile.Compile(src, c.importer, compile.Options{Verify: true, Passes: c.passes})
	if _, ok := err.(compile.ErrorList); ok {
		return nil, "refusal", err
	} else if err != nil {
		return nil, "compiler", err
	}
	for _, of := range res.Set() {
		m := Module{of.Target.String(), of.PTX.String()}
		mod, err := ptx.Parse("kernels.ptx", m.PTX)
		if err != nil {
			return nil, "ptx", err
		}
		if err := ptx.Verify(mod); err != nil {
			return nil, "ptx", err
		}
		list = append(list, m)
	}
	return list, "", nil
}
