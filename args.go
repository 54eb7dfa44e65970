package gridstride

import (
	"encoding/binary"
	"sync"
	"unsafe"

	"github.com/gridstride/gridstride/internal/device"
)

// Args is the arguments of one launch on their way into a kernel's parameter block. Generated
// launchers use it: Kernel.Args, then an ArgBuffer or ArgValue for each parameter in order, then
// Args.Launch, after which the Args must not be used. None of them allocates or reflects. An error
// on the way is returned by Launch.
type Args struct {
	k    *Kernel
	buf  []byte // the parameter block
	mems []held // of the buffers
	n    int    // parts of arguments so far, each a parameter's
	arg  int    // number of arguments so far, if an argument may be several parameters
	err  error  // the first
}

// held is the memory of a buffer argument.
type held struct {
	mem       *memory
	part, arg int // numbers, from 1
}

var argsPool = sync.Pool{New: func() any { return new(Args) }}

// Args starts the arguments of a launch. It is for generated code.
func (k *Kernel) Args() *Args {
	a := argsPool.Get().(*Args)
	a.k = k
	if cap(a.buf) < k.size {
		a.buf = make([]byte, k.size)
	}
	a.buf = a.buf[:k.size]
	return a
}

// recycle gives a back to the pool.
func (a *Args) recycle() {
	clear(a.mems)
	clear(a.buf)
	*a = Args{buf: a.buf, mems: a.mems[:0]}
	argsPool.Put(a)
}

// ArgBuffer adds a buffer. It is for generated code.
func ArgBuffer[T any](a *Args, b Buffer[T]) {
	a.buffer(b.mem, b.addr(), b.n)
}

// ArgValue adds a number, a bool, a struct or an array, which must be laid out as the kernel's
// parameter is. It is for generated code.
func ArgValue[T any](a *Args, v T) {
	a.value(unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v)))
}

// object adds the handle of a texture or surface object.
func (a *Args) object(m *memory, kind memoryKind) {
	p := a.next()
	switch {
	case p == nil:
	case m == nil:
		a.fail(ErrArgument, "is the zero value of a %v", kind)
	case p.kind != wordParam:
		a.fail(ErrArgument, "is a %v, the kernel takes %s", kind, p.takes())
	default:
		binary.LittleEndian.PutUint64(a.buf[p.offset:], m.addr)
		a.mems = append(a.mems, held{m, a.n, a.number()})
	}
}

// next is the parameter that the next argument is for, nil if there is none or an earlier argument
// failed.
func (a *Args) next() *Param {
	a.n++
	if a.err != nil || a.n > len(a.k.params) {
		return nil
	}
	return &a.k.params[a.n-1]
}

func (a *Args) buffer(m *memory, addr uint64, n int) {
	p := a.next()
	if p == nil {
		return
	}
	switch {
	case p.kind != sliceParam && p.kind != wordParam:
		a.fail(ErrArgument, "is a buffer, the kernel takes %s", p.takes())
		return
	case addr%uint64(p.Align) != 0:
		a.fail(ErrArgument, "is a view that starts at a multiple of %d bytes only, the kernel's elements need %d",
			addr&-addr, p.Align)
		return
	}
	binary.LittleEndian.PutUint64(a.buf[p.offset:], addr)
	if p.kind == sliceParam {
		binary.LittleEndian.PutUint64(a.buf[p.offset+8:], uint64(n))
	}
	if m != nil {
		a.mems = append(a.mems, held{m, a.n, a.number()})
	}
}

func (a *Args) value(v []byte) {
	p := a.next()
	if p == nil {
		return
	}
	switch {
	case p.kind == sliceParam || p.kind == tensorParam:
		a.fail(ErrArgument, "is a value, the kernel takes %s", p.takes())
	case len(v) != p.Size:
		a.fail(ErrArgument, "has %d bytes, the kernel takes %s", len(v), p.takes())
	default:
		copy(a.buf[p.offset:], v)
	}
}

// fail keeps the first error, about the argument just added.
func (a *Args) fail(kind error, format string, args ...any) {
	a.failAt(a.n, a.number(), kind, format, args...)
}

// number is the number of the argument whose part was just added.
func (a *Args) number() int {
	if a.arg > 0 {
		return a.arg
	}
	return a.k.params[a.n-1].arg
}

func (a *Args) failAt(part, arg int, kind error, format string, args ...any) {
	if a.err == nil {
		format = "%s: argument %d (%s) " + format
		args = append([]any{a.k.launchName, arg, a.k.params[part-1].Name}, args...)
		a.err = device.Errorf(kind, format, args...)
	}
}
