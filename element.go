package gridstride

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/gridstride/gridstride/internal/device"
)

// elements caches what elementSize found, by reflect.Type: an int64 size or an error.
var elements sync.Map

// elementSize is the size in bytes of an element of type T, or the reason that T cannot be in
// device memory: it must be an integer, a float, a complex number, a bool, or a struct or array of
// these, so that its bytes mean the same on both sides.
func elementSize[T any]() (int64, error) {
	t := reflect.TypeFor[T]()
	v, ok := elements.Load(t)
	if !ok {
		v = checkElement(t)
		elements.Store(t, v)
	}
	switch v := v.(type) {
	case error:
		return 0, v
	default:
		return v.(int64), nil
	}
}

// checkElement returns the int64 size of t, or an error.
func checkElement(t reflect.Type) any {
	const holds = "a device holds integers, floats, complex numbers, bools, and structs and arrays of them"
	if path, bad := badPart(t, ""); bad != nil {
		if path == "" {
			return device.Errorf(ErrElement, "element type %v: %s", t, holds)
		}
		return device.Errorf(ErrElement, "element type %v: its part %s is %s; %s", t, path, describe(bad), holds)
	}
	if t.Size() == 0 {
		return device.Errorf(ErrElement, "element type %v has no size", t)
	}
	return int64(t.Size())
}

// badPart finds the first part of t that kernels have no type for, and the path to it.
func badPart(t reflect.Type, path string) (string, reflect.Type) {
	switch t.Kind() {
	case reflect.Array:
		return badPart(t.Elem(), path+"[i]")
	case reflect.Struct:
		for f := range t.Fields() {
			if p, bad := badPart(f.Type, path+"."+f.Name); bad != nil {
				return p, bad
			}
		}
		return "", nil
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return "", nil
	}
	return path, t
}

func describe(t reflect.Type) string { return fmt.Sprintf("a %v (%v)", t.Kind(), t) }
