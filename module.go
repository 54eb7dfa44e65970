package gridstride

import (
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Module is PTX loaded on a device. It lives until Close, or until the device is closed.
type Module struct {
	dev     *Device
	name    string
	loaded  device.Module
	tree    *ptx.Module
	files   map[int]string     // by the number of their .file directive
	formats map[int]abi.Format // of what its kernels print, by number
	life    device.Lifetime
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
	tree, err := parse(name, text)
	if err != nil {
		return nil, err
	}
	return d.load(name, tree, text)
}

// parse reads and verifies a PTX text.
func parse(name, text string) (*ptx.Module, error) {
	tree, err := ptx.Parse(name, text)
	if err == nil {
		err = ptx.Verify(tree)
	}
	if err != nil {
		return nil, device.Because(ErrModule, err, "load %s", name)
	}
	return tree, nil
}

// load is Load of a module that was verified.
func (d *Device) load(name string, tree *ptx.Module, text string) (*Module, error) {
	if d.fresh != nil {
		if err := d.fresh(text); err != nil {
			return nil, device.Because(ErrModule, err, "load %s", name)
		}
	}
	loaded, err := d.backend.Load(tree, text)
	if err != nil {
		return nil, device.Because(ErrModule, err, "load %s", name)
	}
	return &Module{dev: d, name: name, loaded: loaded, tree: tree, files: tree.Files(), formats: tree.Formats()}, nil
}

// Kernels are the names of the module's kernels, in the order of the text.
func (m *Module) Kernels() []string {
	var names []string
	for _, f := range m.tree.Kernels() {
		names = append(names, f.Name)
	}
	return names
}

// Kernel finds a kernel by its PTX name.
//
// Errors: ErrNoKernel, naming those there are; ErrClosed.
func (m *Module) Kernel(name string) (*Kernel, error) { return m.kernel(name, name) }

// kernel finds the kernel with PTX name entry and calls it goName in messages.
func (m *Module) kernel(entry, goName string) (*Kernel, error) {
	if !m.life.Hold() || m.dev.closed.Load() {
		return nil, device.Errorf(ErrClosed, "kernel %s: module %s is closed", goName, m.name)
	}
	defer m.release()
	f := m.tree.Kernel(entry)
	if f == nil {
		return nil, device.Errorf(ErrNoKernel, "module %s has no kernel %s; it has %s", m.name, entry, strings.Join(m.Kernels(), ", "))
	}
	id, attr, err := m.loaded.Kernel(entry)
	if err != nil {
		return nil, err
	}
	return newKernel(m, id, attr, f, goName), nil
}

// Close unloads the module once the work queued so far has run. Launches of its kernels are refused
// from now on. A second Close does nothing.
func (m *Module) Close() {
	if _, now := m.life.End(); now {
		m.loaded.Retire()
	}
}

func (m *Module) release() {
	if m.life.Release() {
		m.loaded.Retire()
	}
}
