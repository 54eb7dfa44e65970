package gridstride

import (
	"slices"
	"strings"
	"sync"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/language/freshness"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Embedded is the PTX of a package of kernels, as a part of the program: a text for all devices,
// and others for the targets that kernels ask for. Generated code holds one for each package.
// Programs do not need it. A kernel is cut out of its text and loaded alone, when it is first asked
// for, at most once on each device: a driver compiles in milliseconds what a launch needs, and in
// seconds all kernels of a package. Kernels are unloaded when the device is closed.
type Embedded struct {
	files []*embeddedFile
	home  func() *freshness.Package // the package's sources, nil if they are not compared with the PTX
	again func() (*Embedded, error) // compiles the package again, once; nil if e is what came of that
}

// embeddedFile is one PTX text.
type embeddedFile struct {
	name, data string
	unpack     unpacker
	// outline unpacks the text and finds its kernels, once.
	outline func() (*ptx.Outline, error)
	// stale compares the text with its sources, once.
	stale func() staleness

	mu    sync.Mutex
	parts map[string]*embeddedPart // by kernel, or by "" if the kernels of the text belong together
}

// embeddedPart is what is loaded together: mostly a kernel and what it needs.
type embeddedPart struct {
	file *embeddedFile
	tree func() (*ptx.Module, error) // parses it, once
}

// unpacker restores a PTX text that is compressed; nil if it is not.
type unpacker func(data string) (text string, err error)

// Embed names a PTX text. It is for generated code.
func Embed(name, text string) *Embedded { return newEmbedded(homeOfCaller()).add(name, text, nil) }

// And adds the PTX text for another target, which may have kernels that e has already. It returns
// e. It is for generated code.
func (e *Embedded) And(name, text string) *Embedded { return e.add(name, text, nil) }

// EmbedPacked names a compressed PTX text, which unpack restores. It is for generated code.
func EmbedPacked(name, data string, unpack func(data string) (text string, err error)) *Embedded {
	return newEmbedded(homeOfCaller()).add(name, data, unpack)
}

// AndPacked adds a compressed PTX text for another target, as And does. unpack is called when a
// kernel is first looked for. It is for generated code.
func (e *Embedded) AndPacked(name, data string, unpack func(data string) (text string, err error)) *Embedded {
	return e.add(name, data, unpack)
}

func newEmbedded(home func() *freshness.Package) *Embedded {
	e := &Embedded{home: home}
	e.again = sync.OnceValues(e.compileAgain)
	return e
}

func (e *Embedded) add(name, data string, unpack unpacker) *Embedded {
	f := &embeddedFile{name: name, data: data, unpack: unpack, parts: map[string]*embeddedPart{}}
	f.outline = sync.OnceValues(f.readOutline)
	f.stale = sync.OnceValue(func() staleness { return f.compare(e.home()) })
	e.files = append(e.files, f)
	return e
}

func (f *embeddedFile) readOutline() (*ptx.Outline, error) {
	text, err := f.data, error(nil)
	if f.unpack != nil {
		text, err = f.unpack(f.data)
	}
	var o *ptx.Outline
	if err == nil {
		o, err = ptx.ReadOutline(f.name, text)
	}
	if err != nil {
		return nil, device.Because(ErrModule, err, "load %s", f.name)
	}
	return o, nil
}

// part returns the part of the text that has a kernel.
func (f *embeddedFile) part(o *ptx.Outline, entry string) *embeddedPart {
	key, read := entry, func() (*ptx.Module, error) { return o.Cut(entry) }
	if o.Shares() {
		key, read = "", o.Whole
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	p, ok := f.parts[key]
	if !ok {
		p = &embeddedPart{f, sync.OnceValues(func() (*ptx.Module, error) { return verified(f.name, read) })}
		f.parts[key] = p
	}
	return p
}

// Kernel returns the kernel whose PTX name is entry. Of the texts that contain it, it chooses the
// text for the newest target that the device runs. Messages call the kernel goName. An empty entry
// means a generic kernel that is not compiled for these type arguments. If arguments are passed in
// parts, params are the names of all parts, "n" and "a.data". Kernel is for generated code.
//
// Errors: ErrTarget if the device runs none of the texts that contain the kernel, a *StaleError if
// the kernel's sources have changed, and the errors of Device.Load and Module.Kernel.
func (e *Embedded) Kernel(dev *Device, entry, goName string, params ...string) (*Kernel, error) {
	if entry == "" {
		return nil, device.Errorf(ErrNoKernel, "%s is not compiled for these type arguments; its //gpu:kernel comment lists those it is compiled for", goName)
	}
	f, o, err := e.current(dev, entry, goName)
	if err != nil {
		return nil, err
	}
	if o.Module.Kernel(entry) == nil {
		return nil, noKernel(f.name, entry, o.Module)
	}
	m, err := dev.embedded(f.part(o, entry), o.Module)
	if err != nil {
		return nil, err
	}
	k := newKernel(m, o.Module.Kernel(entry), goName)
	if len(params) == len(k.params) {
		k.rename(params)
	}
	return k, nil
}

// embedded returns the module of a part on the device.
func (d *Device) embedded(p *embeddedPart, heads *ptx.Module) (*Module, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	name := p.file.name
	if d.closed.Load() {
		return nil, d.closedError("load " + name)
	}
	if !d.checked[p.file] {
		if err := d.mayLoad(name, heads); err != nil {
			return nil, err
		}
		d.checked[p.file] = true
	}
	m, ok := d.modules[p]
	if !ok {
		m = d.newModule(name, heads, p.tree)
		d.modules[p] = m
	}
	return m, nil
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
		o, err := f.outline()
		if err != nil {
			return nil, err
		}
		tree := o.Module
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
