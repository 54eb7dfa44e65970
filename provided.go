package gridstride

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/gridstride/gridstride/internal/device"
)

// An instance of an open kernel is compiled in the package that asks for it, with a //gpu:instance
// comment, and launched by the launcher of the kernel's own package. The two meet here.

// providedKey is the kernel, by import path and name, and a function type with the type arguments.
type providedKey struct {
	kernel string
	types  reflect.Type
}

// providedKernel is where an instance's PTX is.
type providedKernel struct {
	in            *Embedded
	entry, goName string
}

var (
	providedMu sync.RWMutex
	provided   = map[providedKey]providedKernel{}
)

// Provide makes an instance of an open kernel known: the type arguments are the parameters of F, and
// kernel is the import path of the kernel's package with its name. The PTX in e calls it entry, and
// messages goName. Where several packages have the same instance, the first that is initialized
// provides it. Provide is for generated code.
func Provide[F any](e *Embedded, kernel, entry, goName string) {
	key := providedKey{kernel, reflect.TypeFor[F]()}
	providedMu.Lock()
	defer providedMu.Unlock()
	if _, ok := provided[key]; !ok {
		provided[key] = providedKernel{e, entry, goName}
	}
}

// Provided returns the instance of an open kernel that [Provide] made known, as [Embedded.Kernel]
// does. It is for generated code.
//
// Errors: ErrNoKernel, with the comment that asks for it, if no package of the program has the
// instance; [Embedded.Kernel]'s.
func Provided[F any](dev *Device, kernel string, params ...string) (*Kernel, error) {
	key := providedKey{kernel, reflect.TypeFor[F]()}
	providedMu.RLock()
	p, ok := provided[key]
	providedMu.RUnlock()
	if !ok {
		name := kernel[strings.LastIndexByte(kernel, '/')+1:] + typesOf(key.types)
		return nil, device.Errorf(ErrNoKernel, "%s is not compiled for these types: write //gpu:instance %s in the package "+
			"of the types, with the names that they have there, and run gridstride build", name, name)
	}
	return p.in.Kernel(dev, p.entry, p.goName, params...)
}

// typesOf lists the parameters of a function as type arguments.
func typesOf(f reflect.Type) string {
	var names []string
	for i := range f.NumIn() {
		names = append(names, f.In(i).String())
	}
	return fmt.Sprintf("[%s]", strings.Join(names, ","))
}
