package gridstride

import (
	"strings"
	"sync"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Module is PTX loaded on a device. It lives until Close, or until the device is closed.
type Module struct {
	dev     *Device
	name    string
	heads   *ptx.Module                 // the whole text, perhaps without the bodies of its functions
	read    func() (*ptx.Module, error) // parses the part of it that the backend loads
	files   map[int]string              // by the number of their .file directive
	formats map[int]abi.Format          // of what its kernels print, by number
	life    device.Lifetime

	mu     sync.Mutex
	loaded device.Module // nil before it is loaded
	tree   *ptx.Module   // the part that was loaded
}

// Load makes the kernels of a PTX text, whichever compiler wrote it, ready to run. name stands for
// the text in messages, as a file name does. Kernels written in Go have generated functions that
// load them and need no Load.
//
// Errors: ErrModule, with file, line and text for everything that is wrong with the PTX, or with
// its cause: ErrTarget if the PTX is for other targets than the device's, ErrOutOfMemory if the
// device has no room for the module's variables. ErrClosed.
func (d *Device) Load(name, text string) (*Module, error) {
	if d.closed.Load() {
		return nil, d.closedError("load " + name)
	}
	tree, err := verified(name, func() (*ptx.Module, error) { return ptx.Parse(name, text) })
	if err == nil {
		err = d.mayLoad(name, tree)
	}
	if err != nil {
		return nil, err
	}
	m := d.newModule(name, tree, func() (*ptx.Module, error) { return tree, nil })
	if err := m.load(); err != nil {
		return nil, err
	}
	return m, nil
}

// verified reads a PTX text and verifies it.
func verified(name string, read func() (*ptx.Module, error)) (*ptx.Module, error) {
	tree, err := read()
	if err == nil {
		err = ptx.Verify(tree)
	}
	if err != nil {
		return nil, device.Because(ErrModule, err, "load %s", name)
	}
	return tree, nil
}

// mayLoad is the error for a text that is stale, or that the device cannot run.
func (d *Device) mayLoad(name string, heads *ptx.Module) (err error) {
	if d.fresh != nil {
		err = asStale(d.fresh(heads.Source.Text))
	}
	if err == nil {
		err = d.backend.Refuses(heads)
	}
	if err != nil {
		return device.Because(ErrModule, err, "load %s", name)
	}
	return nil
}

// newModule is a module that is not loaded yet.
func (d *Device) newModule(name string, heads *ptx.Module, read func() (*ptx.Module, error)) *Module {
	return &Module{dev: d, name: name, heads: heads, read: read, files: heads.Files(), formats: heads.Formats()}
}

// load loads the module unless it is loaded. A failure is not kept: the device may have memory the
// next time.
func (m *Module) load() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.loaded != nil {
		return nil
	}
	if m.dev.closed.Load() {
		return m.dev.closedError("load " + m.name)
	}
	tree, err := m.read()
	if err != nil {
		return err
	}
	loaded, err := m.dev.backend.Load(tree)
	if err != nil {
		return device.Because(ErrModule, err, "load %s", m.name)
	}
	m.loaded, m.tree = loaded, tree
	return nil
}

// Kernels are the names of the module's kernels, in the order of the text.
func (m *Module) Kernels() []string { return kernelNames(m.heads) }

func kernelNames(tree *ptx.Module) []string {
	var names []string
	for _, f := range tree.Kernels() {
		names = append(names, f.Name)
	}
	return names
}

// noKernel is the error for a kernel that a text does not have.
func noKernel(name, entry string, tree *ptx.Module) error {
	return device.Errorf(ErrNoKernel, "module %s has no kernel %s; it has %s", name, entry, strings.Join(kernelNames(tree), ", "))
}

// Kernel finds a kernel by its PTX name.
//
// Errors: ErrNoKernel, naming those there are; ErrClosed.
func (m *Module) Kernel(name string) (*Kernel, error) { return m.kernel(name, name) }

// kernel finds the kernel with PTX name entry, calls it goName in messages, and makes it ready.
func (m *Module) kernel(entry, goName string) (*Kernel, error) {
	if !m.life.Hold() || m.dev.closed.Load() {
		return nil, device.Errorf(ErrClosed, "kernel %s: module %s is closed", goName, m.name)
	}
	defer m.release()
	f := m.heads.Kernel(entry)
	if f == nil {
		return nil, noKernel(m.name, entry, m.heads)
	}
	k := newKernel(m, f, goName)
	_, err := k.ready()
	return k, err
}

// Close unloads the module once the work queued so far has run. Launches of its kernels are refused
// from now on. A second Close does nothing. The error is nil: a Module is an io.Closer.
func (m *Module) Close() error {
	if _, now := m.life.End(); now {
		m.loaded.Retire()
	}
	return nil
}

func (m *Module) release() {
	if m.life.Release() {
		m.loaded.Retire()
	}
}
