//go:build linux

package simdriver

import (
	"sync"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/ptx"
)

// library is a CUlibrary: code that is loaded into each context when it is first used there.
type library struct {
	handle  uintptr
	tree    *ptx.Module
	text    string
	mu      sync.Mutex
	modules map[*context]*module
	kernels map[string]*kernel
}

// kernel is a CUkernel.
type kernel struct {
	lib    *library
	name   string
	handle uintptr
}

// in is the library's module in a context.
func (l *library) in(c *context) (*module, cuda.Result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m := l.modules[c]; m != nil {
		return m, cuda.Success
	}
	m, err := c.load(l.text) // a tree of its own for each, as a machine may keep it
	if err != nil {
		return nil, imageResult(err)
	}
	m.library = l
	l.modules[c] = m
	return m, cuda.Success
}

// in is the kernel's function in a context.
func (k *kernel) in(d *driver, c *context) (*function, cuda.Result) {
	m, r := k.lib.in(c)
	if r != cuda.Success {
		return nil, r
	}
	f := m.function(d, k.name)
	if f == nil {
		return nil, cuda.NotFound
	}
	return f, cuda.Success
}

func (d *driver) libraryLoad(to, image, options, values, n, libraryOptions, libraryValues, m uintptr) uintptr {
	if !d.started.Load() {
		return code(cuda.NotInitialized)
	}
	text, err := d.textOf(image)
	if err == nil {
		var l *library
		if l, err = d.newLibrary(text); err == nil {
			r := d.add(to, l)
			if r == 0 {
				l.handle = *at[uintptr](to)
			}
			return r
		}
	}
	writeLog(err, n, options, values)
	return code(imageResult(err))
}

func (d *driver) libraryLoadFile(to, name, options, values, n, libraryOptions, libraryValues, m uintptr) uintptr {
	if !d.started.Load() {
		return code(cuda.NotInitialized)
	}
	text, r := d.textOfFile(name)
	if r != cuda.Success {
		return code(r)
	}
	l, err := d.newLibrary(text)
	if err != nil {
		writeLog(err, n, options, values)
		return code(imageResult(err))
	}
	if r := d.add(to, l); r != 0 {
		return r
	}
	l.handle = *at[uintptr](to)
	return 0
}

func (d *driver) newLibrary(text string) (*library, error) {
	tree, err := ptx.Parse("ptx", text)
	if err == nil {
		err = ptx.VerifyKnown(tree)
	}
	if err != nil {
		return nil, err
	}
	return &library{tree: tree, text: text, modules: map[*context]*module{}, kernels: map[string]*kernel{}}, nil
}

func (d *driver) libraryUnload(h uintptr) uintptr {
	l, ok := find[*library](d, h)
	if !ok {
		return code(cuda.InvalidHandle)
	}
	d.remove(h)
	l.mu.Lock()
	defer l.mu.Unlock()
	for c, m := range l.modules {
		if !c.destroyed.Load() {
			c.finish()
			m.unload(d)
		}
	}
	for _, k := range l.kernels {
		d.remove(k.handle)
	}
	return 0
}

// kernel is the library's kernel of a name, or nil.
func (l *library) kernel(d *driver, name string) *kernel {
	if l.tree.Kernel(name) == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if k := l.kernels[name]; k != nil {
		return k
	}
	k := &kernel{lib: l, name: name}
	d.mu.Lock()
	defer d.mu.Unlock()
	k.handle = d.handle(k)
	l.kernels[name] = k
	return k
}

func (d *driver) libraryKernel(to, h, name uintptr) uintptr {
	l, ok := find[*library](d, h)
	switch {
	case !ok:
		return code(cuda.InvalidHandle)
	case to == 0 || name == 0:
		return code(cuda.InvalidValue)
	}
	k := l.kernel(d, cString(name))
	if k == nil {
		return code(cuda.NotFound)
	}
	*at[uintptr](to) = k.handle
	return 0
}

func (d *driver) libraryKernelCount(to, h uintptr) uintptr {
	l, ok := find[*library](d, h)
	if !ok {
		return code(cuda.InvalidHandle)
	}
	store(to, uint32(len(l.tree.Kernels())))
	return 0
}

func (d *driver) libraryKernels(to, n, h uintptr) uintptr {
	l, ok := find[*library](d, h)
	if !ok {
		return code(cuda.InvalidHandle)
	}
	for i, f := range l.tree.Kernels() {
		if uintptr(i) < n&0xffffffff {
			*at[uintptr](to + 8*uintptr(i)) = l.kernel(d, f.Name).handle
		}
	}
	return 0
}

// moduleOf is a library's module in the current context.
func (d *driver) moduleOf(h uintptr) (*module, cuda.Result) {
	c, r := d.thread()
	if r != cuda.Success {
		return nil, r
	}
	l, ok := find[*library](d, h)
	if !ok {
		return nil, cuda.InvalidHandle
	}
	return l.in(c)
}

func (d *driver) libraryModule(to, h uintptr) uintptr {
	m, r := d.moduleOf(h)
	if r != cuda.Success {
		return code(r)
	}
	return d.add(to, m)
}

func (d *driver) libraryGlobal(to, size, h, name uintptr) uintptr {
	m, r := d.moduleOf(h)
	if r != cuda.Success {
		return code(r)
	}
	return m.global(to, size, name)
}

func (d *driver) kernelFunction(to, h uintptr) uintptr {
	_, f, r := on[*function](d, h)
	if r != cuda.Success {
		return code(r)
	}
	store(to, f.handle)
	return 0
}

func (d *driver) kernelLibrary(to, h uintptr) uintptr {
	k, ok := find[*kernel](d, h)
	if !ok {
		return code(cuda.InvalidHandle)
	}
	store(to, k.lib.handle)
	return 0
}
