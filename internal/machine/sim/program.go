package sim

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/decode"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Program is a module loaded into a machine: its variables in memory, and its kernels. A module has
// many kernels and most programs launch few, so each is decoded when it is first asked for.
type Program struct {
	m        *Machine
	mod      *ptx.Module
	globals  map[string]*memory.Segment
	unloaded atomic.Bool

	mu      sync.Mutex // for what follows
	loader  *decode.Loader
	entries map[string]*Entry // the entries decoded so far
}

// Entry is a kernel of a loaded module. Its fields are read-only.
type Entry struct {
	event.Kernel

	// registers is the most that a setmaxnreg asks for, of a thread; 0 where the kernel has none.
	registers int

	ended  sync.Pool // launches, see newLaunch
	warmth warmth
	prog   *Program
	err    error // why it cannot be launched: a LoadErrors, nil where nothing is wrong
	fn     *function
	code   map[uint64]*function // by address, for indirect calls
	memos  int                  // accesses that remember a segment
}

// IsLength reports whether the i-th parameter of a kernel is the length of the slice before it.
func (e *Entry) IsLength(i int) bool {
	return i > 0 && e.Params[i].Name == abi.LengthParam(e.Params[i-1].Name)
}

// Entry returns the kernel of that name. The error wraps ErrNoEntry and lists the kernels there
// are.
func (p *Program) Entry(name string) (*Entry, error) {
	f := p.mod.Kernel(name)
	if f == nil {
		have := "the module has no kernels"
		if names := p.names(); len(names) > 0 {
			have = "the module has " + strings.Join(names, ", ")
		}
		return nil, fmt.Errorf("kernel %q: %w: %s", name, ErrNoEntry, have)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	e, ok := p.entries[name]
	if !ok {
		e = p.newEntry(p.loader.Kernel(f))
		p.entries[name] = e
	}
	return e, nil
}

// names are the names of the kernels, sorted.
func (p *Program) names() []string {
	var names []string
	for _, f := range p.mod.Kernels() {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return names
}

// Entries returns the kernels by name.
func (p *Program) Entries() []*Entry {
	var list []*Entry
	for _, name := range p.names() {
		e, err := p.Entry(name)
		if err != nil {
			panic("BUG: " + err.Error())
		}
		list = append(list, e)
	}
	return list
}

// Global returns the address and size of a module variable in global or constant memory.
func (p *Program) Global(name string) (addr uint64, size int64, err error) {
	s, ok := p.globals[name]
	if !ok {
		return 0, 0, fmt.Errorf("variable %q: %w", name, ErrNoGlobal)
	}
	return s.Base, int64(s.Size), nil
}

// Constants is how many bytes the module's variables in constant memory have.
func (p *Program) Constants() (bytes int) {
	for _, s := range p.globals {
		if s.ReadOnly {
			bytes += int(s.Size)
		}
	}
	return bytes
}

// Unload frees the module's variables. Its kernels can no longer be launched. Unloading twice does
// nothing.
func (p *Program) Unload() {
	p.unloaded.Store(true)
	p.m.FreeAll(p)
}

func (e *Entry) function(addr uint64) *function { return e.code[addr] }

// checkLaunch refuses a launch that a device would refuse.
func (m *Machine) checkLaunch(e *Entry, l *Launch) error {
	lim := &m.cfg.Limits
	if e.prog.m != m {
		return fmt.Errorf("launch %s: its module is loaded into another machine", e.Name)
	}
	if e.prog.unloaded.Load() {
		return fmt.Errorf("launch %s: %w", e.Name, ErrUnloaded)
	}
	if e.err != nil {
		return fmt.Errorf("launch %s: %w", e.Name, e.err)
	}
	over := func(what string, got, limit int) error {
		return &LimitError{Kernel: e.Name, What: what, Got: int64(got), Limit: int64(limit)}
	}
	for i, axis := range []string{"x", "y", "z"} {
		if l.Grid[i] < 1 || l.Grid[i] > lim.GridDim[i] {
			return over("grid "+axis+" dimension", l.Grid[i], lim.GridDim[i])
		}
		if l.Block[i] < 1 || l.Block[i] > lim.BlockDim[i] {
			return over("block "+axis+" dimension", l.Block[i], lim.BlockDim[i])
		}
		if want := e.ReqNTID[i]; want > 0 && l.Block[i] != want {
			return &LimitError{Kernel: e.Name, What: "block " + axis + " dimension", Got: int64(l.Block[i]),
				Limit: int64(want), Exact: true}
		}
	}
	threads := l.Block[0] * l.Block[1] * l.Block[2]
	if threads > lim.ThreadsPerBlock {
		return over("block size", threads, lim.ThreadsPerBlock)
	}
	if most := e.MaxNTID[0] * e.MaxNTID[1] * e.MaxNTID[2]; most > 0 && threads > most {
		return over("block size (.maxntid of the kernel)", threads, most)
	}
	if err := m.checkCluster(e, l); err != nil {
		return err
	}
	blocks := l.Grid[0] * l.Grid[1] * l.Grid[2]
	switch {
	case e.StaticShared > lim.StaticShared:
		return over("declared shared memory", e.StaticShared, lim.StaticShared)
	case l.Shared < 0:
		return fmt.Errorf("launch %s: dynamic shared memory of %d bytes", e.Name, l.Shared)
	case e.StaticShared+l.Shared > lim.Shared:
		return over("shared memory, declared and dynamic,", e.StaticShared+l.Shared, lim.Shared)
	case len(l.Params) != e.ParamSize:
		return &LimitError{Kernel: e.Name, What: "size of the parameters in bytes", Got: int64(len(l.Params)),
			Limit: int64(e.ParamSize), Exact: true}
	case e.Cooperative && blocks > lim.CooperativeBlocks(threads, e.StaticShared+l.Shared):
		return over("grid, all of whose blocks must run at once,", blocks, lim.CooperativeBlocks(threads, e.StaticShared+l.Shared))
	case e.LocalBytes > lim.LocalBytes:
		return over("local memory of a thread", e.LocalBytes, lim.LocalBytes)
	}
	return nil
}
