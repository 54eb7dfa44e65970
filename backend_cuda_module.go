package gridstride

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/cuda"
	"github.com/gridstride/gridstride/internal/ptx"
)

// gpuModule is a module of the driver.
type gpuModule struct {
	b      *gpu
	tree   *ptx.Module
	handle cuda.Module

	mu      sync.Mutex
	entries map[string]*gpuEntry
}

// loadGPUModule has the driver compile PTX, after the checks that the driver would answer with a
// number.
func loadGPUModule(b *gpu, tree *ptx.Module, text string) (*gpuModule, error) {
	if err := checkVersion(tree.Version, b.ctx.Driver().Version()); err != nil {
		return nil, err
	}
	if err := checkTarget(tree.Target, b.device); err != nil {
		return nil, err
	}
	handle, err := b.ctx.LoadModule([]byte(text))
	if err != nil {
		var e *cuda.Error
		if errors.As(err, &e) && e.Log != "" {
			named := *e
			named.Log = nameLines(tree, e.Log)
			err = &named
		}
		return nil, b.failed(err)
	}
	return &gpuModule{b: b, tree: tree, handle: handle, entries: map[string]*gpuEntry{}}, nil
}

// checkVersion compares the PTX version with what the driver takes.
func checkVersion(v ptx.Version, driver cuda.Version) error {
	wants := cuda.PTXVersion{Major: v.Major, Minor: v.Minor}
	if newest, known := driver.PTX(); known && newest.Less(wants) {
		return fmt.Errorf("PTX is version %v, the driver takes up to %v (CUDA %v): install a newer driver, or lower .version if no newer instruction is used",
			wants, newest, driver)
	}
	return nil
}

// checkTarget compares the .target with the GPU: PTX for sm_70 runs on 7.0 and all newer ones, for
// sm_90a on 9.0 only, for sm_100f on 10.x.
func checkTarget(target []string, device Info) error {
	for _, t := range target {
		number, ok := strings.CutPrefix(t, "sm_")
		if !ok {
			continue
		}
		digits := strings.TrimRight(number, "af")
		n, err := strconv.Atoi(digits)
		if err != nil {
			continue // a target the verifier let through and this does not know: the driver decides
		}
		var major, minor int
		if _, err := fmt.Sscanf(device.Capability, "%d.%d", &major, &minor); err != nil {
			continue
		}
		has := 10*major + minor
		switch suffix := number[len(digits):]; {
		case n > has:
			return fmt.Errorf("needs sm_%s, the device is sm_%d (%s)", number, has, device.Name)
		case suffix == "a" && n != has, suffix == "f" && n/10 != major:
			return fmt.Errorf("is for sm_%s only, the device is sm_%d (%s): compile it for a target without the letter", number, has, device.Name)
		}
	}
	return nil
}

// logLine is how the driver's compiler names a line of the PTX: "ptxas application ptx input, line
// 25; error : …".
var logLine = regexp.MustCompile(`(?m)^.*\bline (\d+)\b.*$`)

// nameLines adds to each line of the driver's log that names a line of the PTX the source place it
// is from and its text.
func nameLines(tree *ptx.Module, log string) string {
	lines := strings.Split(tree.Source.Text, "\n")
	return logLine.ReplaceAllStringFunc(log, func(line string) string {
		n, err := strconv.Atoi(logLine.FindStringSubmatch(line)[1])
		if err != nil || n < 1 || n > len(lines) {
			return line
		}
		if place := sourceOf(tree, n); place != "" {
			line += "\n\tfrom " + place
		}
		return line + "\n\tPTX: " + strings.TrimSpace(lines[n-1])
	})
}

// sourceOf is the place in the source, "dot.go:24:3", that line of the PTX is from, "" where the
// module does not say.
func sourceOf(tree *ptx.Module, line int) string {
	at := tree.LocAt(line)
	if at == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", tree.Files()[at.File], at.Line, at.Col)
}

func (m *gpuModule) retire() {
	m.b.afterQueued(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, s := range m.b.allStreams() {
			s.forget(m.entries)
		}
		_ = m.b.ctx.UnloadModule(m.handle)
	})
}

// gpuEntry is a kernel of the driver. There is one for each kernel of a module, however often it is
// asked for.
type gpuEntry struct {
	b        *gpu
	function cuda.Function
	attr     attributes

	mu      sync.Mutex
	allowed atomic.Int64 // dynamic shared memory that a launch may ask for
}

func (m *gpuModule) entry(name string) (backendEntry, error) {
	if err := m.b.enter(); err != nil {
		return nil, err
	}
	defer m.b.leave()
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.entries[name]; ok {
		return e, nil
	}
	e, err := m.find(name)
	if err != nil {
		return nil, m.b.failed(err)
	}
	m.entries[name] = e
	return e, nil
}

func (m *gpuModule) find(name string) (*gpuEntry, error) {
	ctx := m.b.ctx
	f, err := ctx.Function(m.handle, name)
	if err != nil {
		return nil, err
	}
	e := &gpuEntry{b: m.b, function: f}
	if e.attr.maxThreads, err = ctx.FunctionAttribute(f, cuda.FuncMaxThreadsPerBlock); err != nil {
		return nil, err
	}
	if e.attr.sharedBytes, err = ctx.FunctionAttribute(f, cuda.FuncSharedSizeBytes); err != nil {
		return nil, err
	}
	dynamic, err := ctx.FunctionAttribute(f, cuda.FuncMaxDynamicShared)
	e.allowed.Store(int64(dynamic))
	return e, err
}

func (e *gpuEntry) attributes() attributes { return e.attr }

// allowShared opts in to more dynamic shared memory than every kernel may have, 48 KB with its
// static.
func (e *gpuEntry) allowShared(k *Kernel, bytes int) error {
	if int64(bytes) <= e.allowed.Load() {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if int64(bytes) <= e.allowed.Load() {
		return nil
	}
	if err := e.b.ctx.SetFunctionAttribute(e.function, cuda.FuncMaxDynamicShared, bytes); err != nil {
		return e.b.launchFailed(k, err)
	}
	e.allowed.Store(int64(bytes))
	return nil
}
