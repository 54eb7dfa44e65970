package onhost

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"unsafe"
)

// A site is a call of gpu.Shared in the source. A generic function's instances have the same site
// if the variable's type is the same.
type site struct {
	function, file string
	line           int
	of             reflect.Type
}

// A shared is a variable in shared memory.
type shared struct {
	variable any        // a pointer to it
	returns  [8]uintptr // of the first call
}

// variable is the variable of the call of gpu.Shared that the thread makes, of the type that like,
// a nil pointer, points to.
func (b *block) variable(like any) any {
	at, returns := callSite()
	key := site{at.Function, at.File, at.Line, reflect.TypeOf(like)}
	v := b.shared[key]
	if v == nil {
		p := reflect.New(key.of.Elem())
		ones(p.Elem())
		v = &shared{p.Interface(), returns}
		b.shared[key] = v
	}
	if returns != v.returns && calls(at.File, at.Line) > 1 {
		panic(fmt.Sprintf("line %[1]d of %[2]s calls gpu.Shared twice with one type; write the calls in two lines", at.Line, at.File))
	}
	return v.variable
}

// calls is how often a line of a source file names gpu.Shared, 0 if the file cannot be read. A call
// in a function that is inlined twice has two return addresses, and its line names it once.
func calls(file string, line int) int {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	lines := strings.Split(string(text), "\n")
	if line < 1 || line > len(lines) {
		return 0
	}
	return strings.Count(lines[line-1], "Shared[")
}

// dynamicShared is the block's dynamic shared memory as a slice of like's type.
func (b *block) dynamicShared(like any) any {
	of := reflect.TypeOf(like)
	size := b.launch.cfg.SharedBytes
	if b.dynamic == nil {
		words := reflect.New(reflect.ArrayOf((size+15)/16, reflect.TypeFor[[2]uint64]())) // aligned for every type
		b.dynamic = unsafe.Slice((*byte)(words.UnsafePointer()), size)
		for i := range b.dynamic {
			b.dynamic[i] = 0xff
		}
	}
	n := 0
	if elem := int(of.Elem().Size()); elem > 0 {
		n = size / elem
	}
	return reflect.NewAt(reflect.ArrayOf(n, of.Elem()), unsafe.Pointer(unsafe.SliceData(b.dynamic))).Elem().Slice(0, n).Interface()
}

// ones sets every bit of the numbers of a variable.
func ones(v reflect.Value) {
	switch v.Kind() {
	case reflect.Array:
		for i := range v.Len() {
			ones(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			ones(v.Field(i))
		}
	case reflect.Bool:
	default:
		bytes := unsafe.Slice((*byte)(v.Addr().UnsafePointer()), v.Type().Size())
		for i := range bytes {
			bytes[i] = 0xff
		}
	}
}
