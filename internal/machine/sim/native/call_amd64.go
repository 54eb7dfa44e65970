//go:build !noasm

package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/library/asm"
)

// processor is the target of this process.
var processor = choose()

func choose() target {
	if asm.CPU >= asm.AVX2 && canExecute() {
		return avx2{}
	}
	return nil
}

// call jumps to the code at start, which goes on at entry.
func (k *Kernel) call(start, entry uint32, c *Context) {
	text := unsafe.Pointer(unsafe.SliceData(k.text))
	enter(unsafe.Add(text, start), unsafe.Add(text, entry), c)
}

// enter calls code. It is in call_amd64.s.
//
//go:noescape
func enter(start, entry unsafe.Pointer, c *Context)
