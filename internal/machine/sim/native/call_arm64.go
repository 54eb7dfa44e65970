//go:build !noasm

package native

import (
	"sync"
	"unsafe"

	"github.com/gridstride/gridstride/internal/library/asm"
)

// processor is the target of this process, nil for none. It asks the system when a kernel is first
// compiled.
var processor = sync.OnceValue(func() target {
	if Suits() && canExecute() {
		return neon{}
	}
	return nil
})

// Possible says whether there is a target for any processor of this architecture. Without one a program
// need not have the compiler in it.
const Possible = true

// Suits reports whether there is a target for the processor. The system may refuse to run its code.
func Suits() bool { return asm.CPU >= asm.NEON }

// Wide reports whether the code has vectors of 512 bits.
func Wide() bool { return false }

// call jumps to the code at start, which goes on at entry.
func (k *Kernel) call(start, entry uint32, c *Context) {
	text := unsafe.Pointer(unsafe.SliceData(k.text))
	enter(unsafe.Add(text, start), unsafe.Add(text, entry), c)
}

// enter calls code. It is in call_arm64.s.
//
//go:noescape
func enter(start, entry unsafe.Pointer, c *Context)
