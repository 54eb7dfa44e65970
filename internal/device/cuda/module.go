package cuda

import (
	"bytes"
	"runtime"
	"time"
	"unsafe"
)

var (
	procModuleLoadDataEx  = proc{name: "cuModuleLoadDataEx", needs: 2010}
	procModuleUnload      = proc{name: "cuModuleUnload", needs: 2000}
	procModuleGetFunction = proc{name: "cuModuleGetFunction", needs: 2000}
	procModuleGetGlobal   = proc{name: "cuModuleGetGlobal_v2", needs: 3020}
	procFuncGetAttribute  = proc{name: "cuFuncGetAttribute", needs: 2020}
	procFuncSetAttribute  = proc{name: "cuFuncSetAttribute", needs: 9000}
	procOccupancy         = proc{name: "cuOccupancyMaxActiveBlocksPerMultiprocessor", needs: 6050}
	procPotentialBlock    = proc{name: "cuOccupancyMaxPotentialBlockSize", needs: 6050}
)

// Module is a CUmodule, Function a CUfunction.
type (
	Module   uintptr
	Function uintptr
)

// LoadModule compiles PTX for the context's GPU, or takes it from the driver's disk cache. Where
// the driver refuses it, the *Error holds the log of its compiler, which names PTX lines. With lines the
// machine code has the table of source lines that Nsight Compute reads.
func (c *Context) LoadModule(ptx []byte, lines bool) (Module, error) {
	const logSize = 16 << 10
	options := jitOptions(lines)
	log := make([]byte, logSize)
	// The option values hold the log's address as an integer: pin what the garbage collector cannot
	// see.
	var pin runtime.Pinner
	pin.Pin(&log[0])
	defer pin.Unpin()
	values := []uintptr{uintptr(unsafe.Pointer(&log[0])), logSize, 1}[:len(options)]
	text := append(bytes.Clone(ptx), 0)
	var m Module
	start := time.Now()
	err := c.call(&procModuleLoadDataEx, object{format: "%[1]d bytes of PTX on device %[2]d", a: int64(len(ptx)), b: int64(c.device)},
		uintptr(unsafe.Pointer(&m)), uintptr(unsafe.Pointer(&text[0])), uintptr(len(options)),
		uintptr(unsafe.Pointer(&options[0])), uintptr(unsafe.Pointer(&values[0])))
	c.driver.loaded(len(ptx), time.Since(start))
	if e, ok := err.(*Error); ok {
		e.Log = cString(log)
	}
	return m, err
}

// jitOptions are the CUjit_option values of a load.
func jitOptions(lines bool) []int32 {
	const errorLogBuffer, errorLogBufferSize, generateLineInfo = 5, 6, 13 // CU_JIT_…, as in cuda.h
	options := []int32{errorLogBuffer, errorLogBufferSize, generateLineInfo}
	if !lines {
		return options[:2]
	}
	return options
}

// Loads says what the driver was given to compile in this process. A program that starts spends
// most of its time there.
type Loads struct {
	Modules int           // calls of LoadModule
	Bytes   int64         // of PTX
	Time    time.Duration // of all calls together, also of calls at the same time
}

// Loads returns what the driver has compiled so far.
func (d *Driver) Loads() Loads {
	d.loadsMu.Lock()
	defer d.loadsMu.Unlock()
	return d.loads
}

// loaded counts a call of LoadModule.
func (d *Driver) loaded(bytes int, took time.Duration) {
	d.loadsMu.Lock()
	defer d.loadsMu.Unlock()
	d.loads.Modules++
	d.loads.Bytes += int64(bytes)
	d.loads.Time += took
}

// UnloadModule unloads m and everything in it.
func (c *Context) UnloadModule(m Module) error {
	return c.call(&procModuleUnload, object{}, uintptr(m))
}

// Function finds a kernel of the module by its entry name.
func (c *Context) Function(m Module, name string) (Function, error) {
	var f Function
	text := append([]byte(name), 0)
	err := c.call(&procModuleGetFunction, named(name), uintptr(unsafe.Pointer(&f)), uintptr(m), uintptr(unsafe.Pointer(&text[0])))
	return f, err
}

// Global finds a variable of the module: its address and its size in bytes.
func (c *Context) Global(m Module, name string) (DevicePtr, int64, error) {
	var p DevicePtr
	var size uint64
	text := append([]byte(name), 0)
	err := c.call(&procModuleGetGlobal, named(name), uintptr(unsafe.Pointer(&p)), uintptr(unsafe.Pointer(&size)), uintptr(m), uintptr(unsafe.Pointer(&text[0])))
	return p, int64(size), err
}

// FunctionAttribute is a CUfunction_attribute.
type FunctionAttribute int32

// The function attributes in use.
const (
	FuncMaxThreadsPerBlock FunctionAttribute = 0
	FuncSharedSizeBytes    FunctionAttribute = 1
	FuncLocalSizeBytes     FunctionAttribute = 3
	FuncRegisters          FunctionAttribute = 4
	FuncMaxDynamicShared   FunctionAttribute = 8
)

// FunctionAttribute returns a property of the compiled kernel.
func (c *Context) FunctionAttribute(f Function, a FunctionAttribute) (int, error) {
	var v int32
	err := c.call(&procFuncGetAttribute, object{format: "attribute %[1]d", a: int64(a)}, uintptr(unsafe.Pointer(&v)), uintptr(a), uintptr(f))
	return int(v), err
}

// SetFunctionAttribute sets a property, such as FuncMaxDynamicShared to opt in to more than 48 KB.
func (c *Context) SetFunctionAttribute(f Function, a FunctionAttribute, v int) error {
	return c.call(&procFuncSetAttribute, object{format: "attribute %[1]d to %[2]d", a: int64(a), b: int64(v)}, uintptr(f), uintptr(a), uintptr(v))
}

// Occupancy is how many blocks of threads threads and shared bytes of dynamic shared memory fit on
// one multiprocessor at a time.
func (c *Context) Occupancy(f Function, threads, shared int) (int, error) {
	var n int32
	err := c.call(&procOccupancy, object{}, uintptr(unsafe.Pointer(&n)), uintptr(f), uintptr(threads), uintptr(shared))
	return int(n), err
}

// PotentialBlock is the number of threads of a block, of most at most, with which the most threads
// of f run at a time, when a block has shared bytes of dynamic shared memory.
func (c *Context) PotentialBlock(f Function, shared, most int) (int, error) {
	var blocks, threads int32
	err := c.call(&procPotentialBlock, object{}, uintptr(unsafe.Pointer(&blocks)), uintptr(unsafe.Pointer(&threads)),
		uintptr(f), 0, uintptr(shared), uintptr(most))
	return int(threads), err
}
