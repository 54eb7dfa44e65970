package gridstride

import (
	"sync"

	"github.com/gridstride/gridstride/internal/device"
)

// Embedded is PTX that is part of the program. Generated code holds one for each package of
// kernels; programs do not need it. It is loaded at most once on each device, and unloaded when the
// device is closed.
type Embedded struct {
	name, text string
}

// Embed names a PTX text. It is for generated code.
func Embed(name, text string) *Embedded { return &Embedded{name, text} }

// embeddedLoad is an Embedded on one device.
type embeddedLoad struct {
	mu     sync.Mutex
	module *Module // nil while it has not been loaded
}

// on loads the module unless it is loaded. A failure is not kept: the device may have memory the
// next time.
func (l *embeddedLoad) on(dev *Device, e *Embedded) (*Module, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.module == nil {
		m, err := dev.Load(e.name, e.text)
		if err != nil {
			return nil, err
		}
		l.module = m
	}
	return l.module, nil
}

// Kernel returns the kernel with PTX name entry on the device, loading the text if need be. goName
// is what messages call it; entry is empty for a generic kernel that is not compiled for the type
// arguments at hand. It is for generated code.
//
// Errors: as for Device.Load and Module.Kernel.
func (e *Embedded) Kernel(dev *Device, entry, goName string) (*Kernel, error) {
	if entry == "" {
		return nil, device.Errorf(ErrNoKernel, "%s is not compiled for these type arguments; its //gpu:kernel comment lists those it is compiled for", goName)
	}
	dev.mu.Lock()
	load, ok := dev.modules[e]
	if !ok {
		load = &embeddedLoad{}
		dev.modules[e] = load
	}
	dev.mu.Unlock()
	m, err := load.on(dev, e)
	if err != nil {
		return nil, err
	}
	return m.kernel(entry, goName)
}
