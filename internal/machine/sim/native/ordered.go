package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// ordered reports whether a store is volatile, relaxed or release. The code stores its elements one by
// one, each at once. AMD64 keeps stores in their order, and code for ARM64 has a barrier before them. Loads
// of that kind are the interpreter's, since a thread may wait by them.
func ordered(in *code.Inst) bool {
	if n := in.Type.Bytes(); in.Op != ptx.OpSt || n != 4 && n != 8 {
		return false
	}
	return in.Has(code.Volatile) || in.Order == event.Relaxed || in.Order == event.Release
}

// isFence reports whether an instruction is a fence of memory.
func isFence(in *code.Inst) bool {
	return (in.Op == ptx.OpMembar || in.Op == ptx.OpFence) && len(in.Args) == 0 && len(in.Mem) == 0 && !in.Has(code.TensorMapProxy)
}

// fence orders all accesses of memory, as any instruction with a lock does.
func (b *builder) fence() {
	word := context(unsafe.Offsetof(Context{}.exit))
	b.Load(32, RAX, word)
	b.LockCompareExchange(32, word, RAX)
}
