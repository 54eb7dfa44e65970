//go:build linux

package simdriver

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/ptx"
)

// module is a loaded module.
type module struct {
	c       *context
	program *sim.Program
	library *library // that it is of, or nil

	mu        sync.Mutex
	functions map[string]*function
}

func (m *module) owner() *context { return m.c }

// function is a kernel.
type function struct {
	c       *context
	m       *module
	handle  uintptr
	entry   *sim.Entry
	dynamic atomic.Int64 // bytes of dynamic shared memory that a launch may have
	carve   atomic.Int64 // PREFERRED_SHARED_MEMORY_CARVEOUT
}

func (f *function) owner() *context { return f.c }

// codeFunctions are the driver's functions about modules, libraries, kernels and functions.
func (d *driver) codeFunctions() map[string]any {
	succeed := func(f uintptr) uintptr {
		_, _, r := on[*function](d, f)
		return code(r)
	}
	return map[string]any{
		"cuModuleLoad":           d.moduleLoadFile,
		"cuModuleLoadData":       func(to, image uintptr) uintptr { return d.moduleLoad(to, image, 0, 0, 0) },
		"cuModuleLoadFatBinary":  func(to, image uintptr) uintptr { return d.moduleLoad(to, image, 0, 0, 0) },
		"cuModuleGetLoadingMode": func(to uintptr) uintptr { store(to, int32(1)); return 0 },
		"cuModuleGetFunctionCount": func(to, m uintptr) uintptr {
			_, x, r := on[*module](d, m)
			if r == cuda.Success {
				store(to, uint32(len(x.program.Entries())))
			}
			return code(r)
		},
		"cuModuleEnumerateFunctions": d.moduleFunctions,
		"cuModuleGetTexRef":          func(to, m, name uintptr) uintptr { return code(cuda.NotFound) },
		"cuModuleGetSurfRef":         func(to, m, name uintptr) uintptr { return code(cuda.NotFound) },

		"cuFuncGetName":            d.functionName,
		"cuFuncGetModule":          d.functionModule,
		"cuFuncGetParamInfo":       d.parameterInfo,
		"cuFuncGetParamCount":      d.parameterCount,
		"cuFuncSetCacheConfig":     func(f, config uintptr) uintptr { return succeed(f) },
		"cuFuncSetSharedMemConfig": func(f, config uintptr) uintptr { return succeed(f) },
		"cuFuncLoad":               succeed,
		"cuFuncIsLoaded":           func(to, f uintptr) uintptr { store(to, int32(1)); return succeed(f) },

		"cuLibraryLoadData":         d.libraryLoad,
		"cuLibraryLoadFromFile":     d.libraryLoadFile,
		"cuLibraryUnload":           d.libraryUnload,
		"cuLibraryGetKernel":        d.libraryKernel,
		"cuLibraryGetKernelCount":   d.libraryKernelCount,
		"cuLibraryEnumerateKernels": d.libraryKernels,
		"cuLibraryGetModule":        d.libraryModule,
		"cuLibraryGetGlobal":        d.libraryGlobal,
		"cuLibraryGetManaged":       d.libraryGlobal,

		"cuKernelGetFunction":    d.kernelFunction,
		"cuKernelGetLibrary":     d.kernelLibrary,
		"cuKernelGetName":        d.functionName,
		"cuKernelGetParamInfo":   d.parameterInfo,
		"cuKernelGetParamCount":  d.parameterCount,
		"cuKernelGetAttribute":   func(to, attribute, k, number uintptr) uintptr { return d.functionGet(to, attribute, k) },
		"cuKernelSetAttribute":   func(attribute, value, k, number uintptr) uintptr { return d.functionSet(k, attribute, value) },
		"cuKernelSetCacheConfig": func(k, config, number uintptr) uintptr { return succeed(k) },
	}
}

func (d *driver) moduleLoad(to, image, n, options, values uintptr) uintptr {
	return d.inContext(func(c *context) uintptr {
		text, err := d.textOf(image)
		if err == nil {
			var m *module
			if m, err = c.load(text); err == nil {
				return d.add(to, m)
			}
		}
		writeLog(err, n, options, values)
		return code(imageResult(err))
	})
}

func (d *driver) moduleLoadFile(to, name uintptr) uintptr {
	return d.inContext(func(c *context) uintptr {
		text, r := d.textOfFile(name)
		if r != cuda.Success {
			return code(r)
		}
		m, err := c.load(text)
		if err != nil {
			return code(imageResult(err))
		}
		return d.add(to, m)
	})
}

// load loads PTX.
func (c *context) load(text string) (*module, error) {
	tree, err := ptx.Parse("ptx", text)
	if err != nil {
		return nil, err
	}
	return c.loadTree(tree)
}

func (c *context) loadTree(tree *ptx.Module) (m *module, err error) {
	p, err := c.machine.Load(tree)
	if err != nil {
		return nil, err
	}
	return &module{c: c, program: p, functions: map[string]*function{}}, nil
}

// writeLog writes an error as the driver's compiler does, where the options give a buffer for it.
func writeLog(err error, n, options, values uintptr) {
	const errorLog, errorLogSize = 5, 6
	var log, size uintptr
	for i := range n & 0xffffffff {
		value := *at[uintptr](values + 8*i)
		switch *at[int32](options + 4*i) {
		case errorLog:
			log = value
		case errorLogSize:
			size = value
		}
	}
	line := 1
	var parse *ptx.Error
	var load *sim.LoadError
	switch {
	case errors.As(err, &parse):
		line = parse.Line
	case errors.As(err, &load):
		line = load.Pos.Line
	}
	if log != 0 && size > 0 {
		copy(memoryAt(log, size-1), fmt.Sprintf("ptxas application ptx input, line %d; error   : %v\x00", line, err))
	}
}

func (d *driver) moduleUnload(m uintptr) uintptr {
	x, ok := find[*module](d, m)
	if !ok {
		return code(cuda.InvalidHandle)
	}
	d.remove(m)
	if d.cfg.guest {
		x.c.finish()
	}
	x.unload(d)
	return 0
}

// unload gives a module's variables and functions back.
func (m *module) unload(d *driver) {
	if m.c.checks == nil {
		m.program.Unload()
	} else {
		m.c.checks.Read(m.program.Unload)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range m.functions {
		d.remove(f.handle)
	}
}

// function is the module's kernel of a name, or nil.
func (m *module) function(d *driver, name string) *function {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f := m.functions[name]; f != nil {
		return f
	}
	e, err := m.program.Entry(name)
	if err != nil {
		return nil
	}
	f := &function{c: m.c, m: m, entry: e}
	f.dynamic.Store(int64(m.c.dev.limits().StaticShared - e.StaticShared)) // more has to be asked for
	f.carve.Store(-1)
	d.mu.Lock()
	defer d.mu.Unlock()
	f.handle = d.handle(f)
	m.functions[name] = f
	return f
}

func (d *driver) moduleFunction(to, m, name uintptr) uintptr {
	_, x, r := on[*module](d, m)
	if r != cuda.Success {
		return code(r)
	}
	if to == 0 || name == 0 {
		return code(cuda.InvalidValue)
	}
	f := x.function(d, cString(name))
	if f == nil {
		return code(cuda.NotFound)
	}
	*at[uintptr](to) = f.handle
	return 0
}

func (d *driver) moduleFunctions(to, n, m uintptr) uintptr {
	_, x, r := on[*module](d, m)
	if r != cuda.Success {
		return code(r)
	}
	for i, e := range x.program.Entries() {
		if uintptr(i) < n&0xffffffff {
			*at[uintptr](to + 8*uintptr(i)) = x.function(d, e.Name).handle
		}
	}
	return 0
}

func (d *driver) moduleGlobal(to, size, m, name uintptr) uintptr {
	_, x, r := on[*module](d, m)
	if r != cuda.Success {
		return code(r)
	}
	return x.global(to, size, name)
}

// global stores the address and the size of a variable.
func (m *module) global(to, size, name uintptr) uintptr {
	if name == 0 {
		return code(cuda.InvalidValue)
	}
	addr, n, err := m.program.Global(cString(name))
	if err != nil {
		return code(cuda.NotFound)
	}
	store(to, addr)
	store(size, uint64(n))
	return 0
}
