package sim

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Program is a module loaded into a machine: decoded kernels, and its variables in memory.
type Program struct {
	m       *Machine
	mod     *ptx.Module
	entries map[string]*Entry
}

// Entry is a kernel of a loaded module. Its fields are read-only.
type Entry struct {
	Name string
	Func *ptx.Func
	// Params are the parameters in order; Launch.Params must hold ParamSize bytes, each parameter at its Offset, little
	// endian.
	Params    []Param
	ParamSize int
	// ReqNTID is the block size that .reqntid fixes, zero when free.
	ReqNTID [3]int
	// MaxNTID is what .maxntid allows, zero when free: its product bounds the threads of a block.
	MaxNTID [3]int
	// StaticShared is the size of the kernel's declared shared memory, of the functions it calls too; DynamicShared says whether it
	// declares extern shared memory.
	StaticShared  int
	DynamicShared bool

	prog *Program
}

// Param is one kernel parameter.
type Param struct {
	Name   string
	Type   ptx.Type // element type when Size is more than one element
	Size   int      // bytes
	Align  int
	Offset int // in Launch.Params
	Ptr    *ptx.PtrAttr
}

// Entry returns the kernel of that name. The error wraps ErrNoEntry and lists the kernels there are.
func (p *Program) Entry(name string) (*Entry, error) {
	if e, ok := p.entries[name]; ok {
		return e, nil
	}
	return nil, fmt.Errorf("kernel %q: %w", name, ErrNoEntry)
}
