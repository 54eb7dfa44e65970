package sim

import (
	"bytes"
	"fmt"

	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Image is a launch with all that it depends on, apart from the machine that it was made for: what
// another process needs to run it.
type Image struct {
	Name, PTX  string // of the module
	Entry      string
	SM, Device int // as in Config
	Grid       [3]int
	Block      [3]int
	Cluster    [3]int
	Shared     int
	Params     []byte
	Memory     []ImageMemory
}

// ImageMemory is an allocation of an Image, or a variable.
type ImageMemory struct {
	Addr     uint64
	Bytes    []byte
	Name     string // of a variable, "" for an allocation
	ReadOnly bool
	Owner    ImageOwner
}

// ImageOwner says whose memory it is.
type ImageOwner int

// The owners of memory.
const (
	OfHost    ImageOwner = iota // an allocation, or what belongs to other modules
	OfModule                    // a variable of the kernel's module
	OfKernels                   // from the malloc of a kernel
)

// Image is the image of a launch. Its memory is the machine's own: it is to be copied before the machine
// runs anything. The error is of a launch with textures or surfaces, or with more memory than a Replay
// takes.
func (m *Machine) Image(e *Entry, l Launch) (*Image, error) {
	m.objects.mu.RLock()
	defer m.objects.mu.RUnlock()
	if n := len(m.objects.by); n > 0 {
		return nil, fmt.Errorf("launch %s: the device has textures or surfaces (%d), which an image of a launch does not", e.Name, n)
	}
	i := &Image{
		Name: e.prog.mod.Source.Name, PTX: e.prog.mod.Source.Parsed(), Entry: e.Name, SM: m.cfg.SM, Device: m.cfg.Device,
		Grid: l.Grid, Block: l.Block, Cluster: l.Cluster, Shared: l.Shared, Params: l.Params,
	}
	if i.PTX == "" { // a module that was built
		i.PTX = e.prog.mod.String()
	}
	var total uint64
	for _, s := range m.Reachable() {
		b := ImageMemory{Addr: s.Base, Bytes: s.Mem[:s.Size], Name: s.Name, ReadOnly: s.ReadOnly}
		switch s.Owner {
		case e.prog:
			b.Owner = OfModule
		case &m.heap:
			b.Owner = OfKernels
		}
		i.Memory = append(i.Memory, b)
		total += s.Size
	}
	if total > MaxReplayed {
		return nil, fmt.Errorf("launch %s: %w: the device has %d bytes; at most %d are copied", e.Name, ErrTooMuchMemory, total, MaxReplayed)
	}
	return i, nil
}

// ownMemory is how many bytes a restored machine may allocate besides the image's.
const ownMemory = 64 << 20

// Restore makes a machine with the image's memory and module, and the launch.
func (i *Image) Restore() (*Machine, *Entry, Launch, error) {
	l := Launch{Grid: i.Grid, Block: i.Block, Cluster: i.Cluster, Shared: i.Shared, Params: bytes.Clone(i.Params)}
	mod, err := ptx.Parse(i.Name, i.PTX)
	if err == nil {
		err = ptx.VerifyKnown(mod)
	}
	if err != nil {
		return nil, nil, l, err
	}
	total := int64(ownMemory)
	for _, b := range i.Memory {
		total += int64(len(b.Bytes))
	}
	m := New(Config{SM: i.SM, Limits: LimitsOf(i.SM), Device: i.Device, Memory: total})
	if m.err != nil {
		return nil, nil, l, m.err
	}
	p := newProgram(m, mod)
	for _, b := range i.Memory {
		p.restore(b)
	}
	if err := p.complete(); err != nil {
		return nil, nil, l, err
	}
	p.link()
	e, err := p.Entry(i.Entry)
	return m, e, l, err
}

// restore gives the machine memory of an image.
func (p *Program) restore(b ImageMemory) {
	s := memory.NewSegment(b.Addr, int64(len(b.Bytes)))
	copy(s.Mem, b.Bytes)
	s.Name, s.ReadOnly = b.Name, b.ReadOnly
	switch h := &p.m.heap; b.Owner {
	case OfModule:
		s.Owner, p.globals[b.Name] = p, s
	case OfKernels:
		if h.blocks == nil {
			h.blocks = map[uint64]int64{}
		}
		s.Owner, h.blocks[b.Addr] = h, int64(len(b.Bytes))
		h.used += int64(len(b.Bytes))
	}
	p.m.Put(s)
}

// complete is the error of an image without a variable of its module.
func (p *Program) complete() error {
	for _, d := range p.mod.Decls {
		if v, ok := d.(*ptx.Var); ok && takesMemory(v) {
			if s := p.globals[v.Name]; s == nil || int64(s.Size) != v.Size() {
				return fmt.Errorf("the image of a launch has no memory for variable %s of its module", v.Name)
			}
		}
	}
	return nil
}
