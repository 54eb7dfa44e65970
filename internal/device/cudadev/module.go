package cudadev

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/ptx"
)

// module is a module of the driver.
type module struct {
	b      *Backend
	tree   *ptx.Module
	handle cuda.Module

	mu      sync.Mutex
	kernels map[string]*kernel
}

// loadModule has the driver compile PTX.
func loadModule(b *Backend, tree *ptx.Module) (*module, error) {
	text := tree.Source.Parsed()
	if b.sourcePath != nil {
		text = withPaths(text, b.sourcePath)
	}
	handle, err := b.ctx.LoadModule([]byte(text), b.sourcePath != nil)
	if err != nil {
		var e *cuda.Error
		if errors.As(err, &e) && e.Log != "" {
			named := *e
			named.Log = nameLines(tree, e.Log)
			err = &named
		}
		return nil, b.fail(err)
	}
	return &module{b: b, tree: tree, handle: handle, kernels: map[string]*kernel{}}, nil
}

// Accepts implements device.Backend.
func (b *Backend) Accepts(tree *ptx.Module) error {
	if err := checkVersion(tree.Version, b.ctx.Driver().Version()); err != nil {
		return err
	}
	return b.about.CheckTarget(tree.MainTarget())
}

// Refuses implements device.Backend: it says what the driver would answer with a number.
func (b *Backend) Refuses(tree *ptx.Module) error { return b.Accepts(tree) }

// checkVersion compares the PTX version with what the driver takes.
func checkVersion(v ptx.Version, driver cuda.Version) error {
	wants := cuda.PTXVersion{Major: v.Major, Minor: v.Minor}
	if newest, known := driver.PTX(); known && newest.Less(wants) {
		return device.Errorf(device.ErrTarget, "PTX is version %v, the driver takes up to %v (CUDA %v): install a newer driver, or lower .version if no newer instruction is used",
			wants, newest, driver)
	}
	return nil
}

// nameLines adds to each line of the driver's log that names a line of the PTX the position in the
// source it is from and its text. The driver's compiler writes "ptxas application ptx input, line
// 25; error : …".
func nameLines(tree *ptx.Module, log string) string {
	lines := strings.Split(tree.Source.Text, "\n")
	var named []string
	for line := range strings.SplitSeq(log, "\n") {
		named = append(named, line)
		_, number, _ := strings.Cut(line, " line ")
		digits := number[:len(number)-len(strings.TrimLeft(number, "0123456789"))]
		n, err := strconv.Atoi(digits)
		if n = tree.Source.LineOf(n); err != nil || n < 1 || n > len(lines) {
			continue
		}
		if at := sourceOf(tree, n); at != "" {
			named = append(named, "\tfrom "+at)
		}
		named = append(named, "\tPTX: "+strings.TrimSpace(lines[n-1]))
	}
	return strings.Join(named, "\n")
}

// sourceOf is the position in the source, "dot.go:24:3", that line of the PTX is from, "" where the
// module does not say.
func sourceOf(tree *ptx.Module, line int) string {
	at := tree.LocAt(line)
	if at == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", tree.Files()[at.File], at.Line, at.Col)
}

// Retire implements device.Module.
func (m *module) Retire() {
	m.b.afterQueued(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, s := range m.b.allStreams() {
			s.forget(m.kernels)
		}
		for _, k := range m.kernels {
			m.b.kernels.Remove(k.id)
		}
		_ = m.b.ctx.UnloadModule(m.handle)
	})
}

// kernel is a kernel of the driver. There is one for each kernel of a module, however often it is
// requested.
type kernel struct {
	m        *module
	id       device.KernelID
	function cuda.Function
	attr     device.Attributes
	offsets  []int // of the parameters in their block
	apart    bool  // the driver takes each parameter by itself, as one is aligned to more than 16 bytes

	mu      sync.Mutex
	allowed atomic.Int64 // dynamic shared memory that a launch may ask for
}

// Kernel implements device.Module.
func (m *module) Kernel(name string) (device.KernelID, device.Attributes, error) {
	if err := m.b.hold(); err != nil {
		return 0, device.Attributes{}, err
	}
	defer m.b.release()
	m.mu.Lock()
	defer m.mu.Unlock()
	if k, ok := m.kernels[name]; ok {
		return k.id, k.attr, nil
	}
	k, err := m.find(name)
	if err != nil {
		return 0, device.Attributes{}, m.b.fail(err)
	}
	k.id = m.b.kernels.Add(k)
	m.kernels[name] = k
	return k.id, k.attr, nil
}

func (m *module) find(name string) (*kernel, error) {
	ctx := m.b.ctx
	f, err := ctx.Function(m.handle, name)
	if err != nil {
		return nil, err
	}
	k := &kernel{m: m, function: f}
	if k.attr.MaxThreads, err = ctx.FunctionAttribute(f, cuda.FuncMaxThreadsPerBlock); err != nil {
		return nil, err
	}
	if k.attr.SharedBytes, err = ctx.FunctionAttribute(f, cuda.FuncSharedSizeBytes); err != nil {
		return nil, err
	}
	if k.attr.LocalBytes, err = ctx.FunctionAttribute(f, cuda.FuncLocalSizeBytes); err != nil {
		return nil, err
	}
	if k.attr.Registers, err = ctx.FunctionAttribute(f, cuda.FuncRegisters); err != nil {
		return nil, err
	}
	var block abi.ParamBlock
	for _, p := range m.tree.Kernel(name).Params {
		k.offsets = append(k.offsets, block.Add(int(p.Size()), p.Alignment()))
		k.apart = k.apart || p.Alignment() > 16
	}
	dynamic, err := ctx.FunctionAttribute(f, cuda.FuncMaxDynamicShared)
	k.allowed.Store(int64(dynamic))
	return k, err
}

// allowShared opts in to more dynamic shared memory than every kernel may have, 48 KB with its
// static. The error is the driver's.
func (k *kernel) allowShared(bytes int) error {
	if int64(bytes) <= k.allowed.Load() {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if int64(bytes) <= k.allowed.Load() {
		return nil
	}
	if err := k.m.b.ctx.SetFunctionAttribute(k.function, cuda.FuncMaxDynamicShared, bytes); err != nil {
		return err
	}
	k.allowed.Store(int64(bytes))
	return nil
}

// ActiveBlocks implements device.Backend.
func (b *Backend) ActiveBlocks(id device.KernelID, threads, shared int) (int, error) {
	return b.occupancy(id, shared, func(f cuda.Function) (int, error) { return b.ctx.Occupancy(f, threads, shared) })
}

// CooperativeBlocks implements device.Backend.
func (b *Backend) CooperativeBlocks(id device.KernelID, threads, shared int) (int, error) {
	n, err := b.ActiveBlocks(id, threads, shared)
	return b.about.Multiprocessors * n, err
}

// PotentialBlock implements device.Backend.
func (b *Backend) PotentialBlock(id device.KernelID, shared, most int) (int, error) {
	return b.occupancy(id, shared, func(f cuda.Function) (int, error) { return b.ctx.PotentialBlock(f, shared, most) })
}

// occupancy asks the driver about blocks of a kernel with shared bytes of dynamic shared memory. If
// the device has less the answer is 0.
func (b *Backend) occupancy(id device.KernelID, shared int, question func(cuda.Function) (int, error)) (int, error) {
	if err := b.hold(); err != nil {
		return 0, err
	}
	defer b.release()
	k := b.kernels.At(id)
	if shared < 0 || shared > b.about.MaxShared-k.attr.SharedBytes {
		return 0, nil
	}
	if err := k.allowShared(shared); err != nil {
		return 0, b.fail(err)
	}
	n, err := question(k.function)
	return n, b.fail(err)
}
