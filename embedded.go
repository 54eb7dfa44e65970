package gridstride

import (
	"slices"
	"strings"
	"sync"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Embedded is the PTX of a package of kernels, as a part of the program: a text for all devices,
// and others for the targets that kernels ask for. Generated code holds one for each package;
// programs do not need it. Each text is loaded at most once on each device, and unloaded when the
// device is closed.
type Embedded struct {
	files []*embeddedFile
}

// embeddedFile is one PTX text.
type embeddedFile struct {
	name string
	// text unpacks the text, once. tree parses it, once.
	text func() (string, error)
	tree func() (*ptx.Module, error)
}

// Embed names a PTX text. It is for generated code.
func Embed(name, text string) *Embedded { return new(Embedded).And(name, text) }

// And adds the PTX text for another target, which may have kernels that e has already. It returns
// e. It is for generated code.
func (e *Embedded) And(name, text string) *Embedded {
	return e.add(name, func() (string, error) { return text, nil })
}

// EmbedPacked names a compressed PTX text, which unpack restores. It is for generated code.
func EmbedPacked(name, data string, unpack func(data string) (text string, err error)) *Embedded {
	return new(Embedded).AndPacked(name, data, unpack)
}

// AndPacked adds a compressed PTX text for another target, as And does. unpack is called when a
// kernel is first looked for. It is for generated code.
func (e *Embedded) AndPacked(name, data string, unpack func(data string) (text string, err error)) *Embedded {
	return e.add(name, sync.OnceValues(func() (string, error) {
		text, err := unpack(data)
		if err != nil {
			return "", device.Because(ErrModule, err, "load %s", name)
		}
		return text, nil
	}))
}

func (e *Embedded) add(name string, text func() (string, error)) *Embedded {
	f := &embeddedFile{name: name, text: text}
	f.tree = sync.OnceValues(func() (*ptx.Module, error) {
		text, err := text()
		if err != nil {
			return nil, err
		}
		return parse(name, text)
	})
	e.files = append(e.files, f)
	return e
}

// embeddedLoad is a text on one device.
type embeddedLoad struct {
	mu     sync.Mutex
	module *Module // nil while it has not been loaded
}

// on loads the module unless it is loaded. A failure is not kept: the device may have memory the
// next time.
func (l *embeddedLoad) on(dev *Device, f *embeddedFile) (*Module, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.module == nil {
		if dev.closed.Load() {
			return nil, dev.closedError("load " + f.name)
		}
		tree, err := f.tree()
		if err != nil {
			return nil, err
		}
		text, err := f.text()
		if err != nil {
			return nil, err
		}
		if l.module, err = dev.load(f.name, tree, text); err != nil {
			return nil, err
		}
	}
	return l.module, nil
}

// Kernel returns the kernel whose PTX name is entry. Of the texts that contain it, it chooses the
// text for the newest target that the device runs, and loads the text if it is not loaded yet.
// Messages call the kernel goName. An empty entry means a generic kernel that is not compiled for
// these type arguments. If arguments are passed in parts, params are the names of all parts, "n"
// and "a.data". Kernel is for generated code.
//
// Errors: ErrTarget if the device runs none of the texts that contain the kernel, and the errors of
// Device.Load and Module.Kernel.
func (e *Embedded) Kernel(dev *Device, entry, goName string, params ...string) (*Kernel, error) {
	if entry == "" {
		return nil, device.Errorf(ErrNoKernel, "%s is not compiled for these type arguments; its //gpu:kernel comment lists those it is compiled for", goName)
	}
	f, err := e.choose(dev, entry, goName)
	if err != nil {
		return nil, err
	}
	dev.mu.Lock()
	load, ok := dev.modules[f]
	if !ok {
		load = &embeddedLoad{}
		dev.modules[f] = load
	}
	dev.mu.Unlock()
	m, err := load.on(dev, f)
	if err != nil {
		return nil, err
	}
	k, err := m.kernel(entry, goName)
	if err == nil && len(params) == len(k.params) {
		k.rename(params)
	}
	return k, err
}

// choose returns the text for the newest target among the texts that contain the kernel and that
// the device runs. If no text contains the kernel it returns the first, whose Kernel method then
// reports the error.
func (e *Embedded) choose(dev *Device, entry, goName string) (*embeddedFile, error) {
	if len(e.files) == 1 {
		return e.files[0], nil
	}
	var best *embeddedFile
	var bestTree *ptx.Module
	var refused []string
	for _, f := range e.files {
		tree, err := f.tree()
		if err != nil {
			return nil, err
		}
		if tree.Kernel(entry) == nil {
			continue
		}
		if err := dev.backend.Accepts(tree); err != nil {
			refused = append(refused, f.name+" "+err.Error())
		} else if best == nil || tree.MainTarget().Compare(bestTree.MainTarget()) > 0 {
			best, bestTree = f, tree
		}
	}
	switch {
	case best != nil:
		return best, nil
	case refused == nil:
		return e.files[0], nil
	}
	slices.Sort(refused)
	return nil, device.Errorf(ErrTarget, "%s is not compiled for %v: %s", goName, dev, strings.Join(refused, "; "))
}
