package gridstride

import "sync"

// Embedded is PTX that is part of the program. Generated code holds one for each package of kernels; programs do not
// need it. It is loaded at most once on each device, and unloaded when the device is closed.
type Embedded struct {
	name, text string
}

// Embed names a PTX text. It is for generated code.
func Embed(name, text string) *Embedded { return &Embedded{name, text} }

// embeddedLoad is an Embedded on one device.
type embeddedLoad struct {
	once   sync.Once
	module *Module
	err    error
}

// Kernel returns the kernel with PTX name entry on the device, loading the text if need be. goName is what messages
// call it; entry is empty for a generic kernel that is not compiled for the type arguments at hand. It is for generated
// code.
//
// Errors: as for Device.Load and Module.Kernel.
func (e *Embedded) Kernel(dev *Device, entry, goName string) (*Kernel, error) {
	if entry == "" {
		return nil, errorf(ErrNoKernel, "%s is not compiled for these type arguments; its //gpu:kernel comment lists those it is compiled for", goName)
	}
	dev.mu.Lock()
	load, ok := dev.modules[e]
	if !ok {
		load = &embeddedLoad{}
		dev.modules[e] = load
	}
	dev.mu.Unlock()
	load.once.Do(func() { load.module, load.err = dev.Load(e.name, e.text) })
	if load.err != nil {
		return nil, load.err
	}
	return load.module.kernel(entry, goName)
}
