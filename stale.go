package gridstride

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/gridstride/gridstride/internal/abi/stamp"
	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/language/freshness"
	"github.com/gridstride/gridstride/internal/ptx"
)

// The actions of a device on kernels whose sources have changed since they were compiled.
const (
	staleEnv     = "GRIDSTRIDE_STALE" // the variable that chooses one
	refuseStale  = "refuse"
	rebuildStale = "rebuild"
	loadStale    = "off"
)

// chooseStale decides which action is meant.
func (c *choice) chooseStale() error {
	switch c.Stale {
	case refuseStale, rebuildStale:
		return nil
	case loadStale:
		c.Fresh = nil
		return nil
	}
	return device.Errorf(ErrArgument, "open: %s is %q; want %s, %s or %s", c.StaleSource, c.Stale, refuseStale, rebuildStale, loadStale)
}

// StaleError says that a kernel was not loaded because its PTX was not made of its Go code as it is
// now. [Stale] says when that is looked at.
type StaleError struct {
	// Package is the import path of the kernels.
	Package string
	// File is the source that has changed or is no more: import path and file name. It is "" if the
	// sources are the same, and another version of gridstride compiled them, which passes arguments
	// in another way.
	File string
	// Err says why compiling the kernels again did not help; nil if nobody asked for that.
	Err error
}

// Error names the file and the package, and says what to do.
func (e *StaleError) Error() string {
	is := stamp.Error{Package: e.Package, File: e.File}
	if e.Err != nil {
		return "stale: " + is.Reason() + "; " + staleEnv + "=" + rebuildStale + ": " + e.Err.Error()
	}
	return is.Error() + ", or set " + staleEnv + "=" + rebuildStale
}

// Unwrap returns Err.
func (e *StaleError) Unwrap() error { return e.Err }

// asStale makes the error of PTX that is stale one that callers know.
func asStale(err error) error {
	if is, ok := errors.AsType[*stamp.Error](err); ok {
		return &StaleError{Package: is.Package, File: is.File}
	}
	return err
}

// staleness is how a text compares with its sources.
type staleness struct {
	err    *StaleError // nil if it was made of them
	passed bool        // the folder has another text by now
	newer  string      // the source that was written after the program was built, if any
}

// homeOfCaller finds the sources of the package whose generated code calls this function's caller.
// It looks for them at the first load. While a program starts, it only notes its caller.
func homeOfCaller() func() *freshness.Package {
	var pc [1]uintptr
	runtime.Callers(3, pc[:])
	return sync.OnceValue(func() *freshness.Package {
		frame, _ := runtime.CallersFrames(pc[:]).Next()
		return freshness.Of(frame.File)
	})
}

// compare compares a text with the sources of its package.
func (f *embeddedFile) compare(home *freshness.Package) (s staleness) {
	o, err := f.outline()
	if home == nil || err != nil {
		return s
	}
	text := o.Module.Source.Text
	err, s.passed = home.Check(f.name, text, f.data)
	if is, ok := errors.AsType[*StaleError](asStale(err)); ok {
		s.err, s.newer = is, home.Newer(text)
	}
	return s
}

// current returns the text that a kernel is in, for the device, after what the device does with
// stale ones.
func (e *Embedded) current(dev *Device, entry, goName string) (*embeddedFile, *ptx.Outline, error) {
	f, err := e.choose(dev, entry, goName)
	if err != nil {
		return nil, nil, err
	}
	o, err := f.outline()
	if err != nil || dev.stale == loadStale {
		return f, o, err
	}
	is := f.stale()
	switch {
	case is.err == nil, is.passed && (is.newer != "" || dev.stale == refuseStale):
		return f, o, nil // nothing to be said against the program's text
	case dev.stale == refuseStale || e.again == nil:
		return nil, nil, device.Because(ErrModule, is.err, "load %s", f.name)
	}
	again, err := e.again()
	if err == nil && is.newer != "" {
		err = fmt.Errorf("the kernels are compiled now, and %s was written after the program was built: build it again", is.newer)
	}
	if err != nil {
		return nil, nil, device.Because(ErrModule, &StaleError{is.err.Package, is.err.File, err}, "load %s", f.name)
	}
	return again.current(dev, entry, goName)
}

// compileAgain returns what e is once its package is compiled again. Somebody else may have done
// that since the program was built.
func (e *Embedded) compileAgain() (*Embedded, error) {
	again, err := e.read()
	if err == nil && again.isStale() == nil {
		return again, again.replaces(e)
	}
	if err := e.home().Compile(); err != nil {
		return nil, err
	}
	if again, err = e.read(); err == nil {
		err = again.isStale()
	}
	if err != nil {
		return nil, err
	}
	return again, again.replaces(e)
}

// read reads the files of e anew.
func (e *Embedded) read() (*Embedded, error) {
	again := &Embedded{home: e.home}
	for _, f := range e.files {
		data, err := e.home().Read(f.name)
		if err != nil {
			return nil, fmt.Errorf("the kernels are compiled now, and the program must be built again: %w", err)
		}
		again.add(f.name, data, f.unpack)
	}
	return again, nil
}

// isStale is an error if one of the texts cannot be read, or was not made of its sources.
func (e *Embedded) isStale() error {
	for _, f := range e.files {
		if _, err := f.outline(); err != nil {
			return err
		}
		if is := f.stale(); is.err != nil {
			return is.err
		}
	}
	return nil
}

// replaces is nil if launchers made for another Embedded can launch the kernels of e: each kernel
// is in the same text, with the same parameters.
func (e *Embedded) replaces(other *Embedded) error {
	for i, f := range other.files {
		was, err := f.outline()
		if err != nil {
			return err
		}
		is, err := e.files[i].outline()
		if err != nil {
			return err
		}
		for _, k := range was.Module.Kernels() {
			if now := is.Module.Kernel(k.Name); now == nil || !slices.EqualFunc(k.Params, now.Params, sameParam) {
				return fmt.Errorf("the kernels are compiled now, and %s takes other parameters: build the program again", k.Name)
			}
		}
	}
	return nil
}

// sameParam reports whether an argument for one parameter is one for the other.
func sameParam(a, b *ptx.Var) bool {
	return a.Name == b.Name && a.Type == b.Type && a.Vector == b.Vector && slices.Equal(a.Dims, b.Dims) &&
		a.Alignment() == b.Alignment() && (a.Ptr == nil) == (b.Ptr == nil)
}
