//go:build linux

package simdriver

import (
	"strings"
	"unsafe"

	"github.com/gridstride/gridstride/internal/device/cuda"
)

// functionOf is the function that a handle stands for in a context: itself, or a kernel of a
// library, which is loaded there when it is first needed.
func (d *driver) functionOf(c *context, h uintptr) (*function, cuda.Result) {
	d.mu.Lock()
	k, ok := d.handles[h].(*kernel)
	d.mu.Unlock()
	if ok {
		return k.in(d, c)
	}
	f, ok := find[*function](d, h)
	if !ok {
		return nil, cuda.InvalidHandle
	}
	return f, cuda.Success
}

// The attributes of functions that the simulator knows besides package cuda's.
const (
	attrConstant      = 2
	attrPTXVersion    = 5
	attrBinaryVersion = 6
	attrCarveout      = 9
	attrClusterWidth  = 11
	attrClusterDepth  = 13
	lastFuncAttribute = 18
)

func (d *driver) functionGet(to, attribute, f uintptr) uintptr {
	_, x, r := on[*function](d, f)
	if r != cuda.Success {
		return code(r)
	}
	if to == 0 || attribute >= lastFuncAttribute {
		return code(cuda.InvalidValue)
	}
	*at[int32](to) = int32(x.attribute(cuda.FunctionAttribute(attribute)))
	return 0
}

// attribute is a property of a kernel. What the simulator does not know is 0.
func (f *function) attribute(a cuda.FunctionAttribute) int {
	sm := f.c.dev.kind.Capability
	switch a {
	case cuda.FuncMaxThreadsPerBlock:
		return f.maxThreads()
	case cuda.FuncSharedSizeBytes:
		return f.entry.StaticShared
	case cuda.FuncLocalSizeBytes:
		return f.entry.LocalBytes
	case cuda.FuncRegisters:
		return 16 // PTX does not say how many an assembler would take
	case attrConstant:
		return f.m.program.Constants()
	case attrPTXVersion, attrBinaryVersion:
		return 10*sm[0] + sm[1]
	case cuda.FuncMaxDynamicShared:
		return int(f.dynamic.Load())
	case attrCarveout:
		return int(f.carve.Load())
	}
	if a >= attrClusterWidth && a <= attrClusterDepth {
		return f.entry.ReqCluster[a-attrClusterWidth]
	}
	return 0
}

// maxThreads is how many threads a block of the kernel may have.
func (f *function) maxThreads() int {
	most := f.c.dev.limits().Threads
	for _, n := range [][3]int{f.entry.MaxNTID, f.entry.ReqNTID} {
		if total := n[0] * max(n[1], 1) * max(n[2], 1); total > 0 {
			most = min(most, total)
		}
	}
	return most
}

func (d *driver) functionSet(f, attribute, value uintptr) uintptr {
	_, x, r := on[*function](d, f)
	if r != cuda.Success {
		return code(r)
	}
	v := int32(value)
	switch attribute {
	case uintptr(cuda.FuncMaxDynamicShared):
		if v < 0 || int(v)+x.entry.StaticShared > x.c.dev.limits().Shared {
			return code(cuda.InvalidValue)
		}
		x.dynamic.Store(int64(v))
	case attrCarveout:
		if v < -1 || v > 100 {
			return code(cuda.InvalidValue)
		}
		x.carve.Store(int64(v))
	default:
		if attribute < attrCarveout || attribute >= lastFuncAttribute {
			return code(cuda.InvalidValue)
		}
	}
	return 0
}

// name keeps a kernel's name for C, for good.
func (d *driver) functionName(to, f uintptr) uintptr {
	_, x, r := on[*function](d, f)
	if r != cuda.Success {
		return code(r)
	}
	if to == 0 {
		return code(cuda.InvalidValue)
	}
	*at[uintptr](to) = d.text(x.entry.Name)
	return 0
}

// text is a text for C, kept for good: the same text has the same address.
func (d *driver) text(s string) uintptr {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.texts[s] == nil {
		if d.texts == nil {
			d.texts = map[string][]byte{}
		}
		d.texts[s] = append([]byte(s), 0)
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(d.texts[s])))
}

func (d *driver) functionModule(to, f uintptr) uintptr {
	_, x, r := on[*function](d, f)
	if r != cuda.Success {
		return code(r)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for h, o := range d.handles {
		if o == any(x.m) {
			store(to, h)
			return 0
		}
	}
	h := d.handle(x.m)
	store(to, h)
	return 0
}

func (d *driver) parameterInfo(f, i, offset, size uintptr) uintptr {
	_, x, r := on[*function](d, f)
	if r != cuda.Success {
		return code(r)
	}
	if i >= uintptr(len(x.entry.Params)) || offset == 0 {
		return code(cuda.InvalidValue)
	}
	store(offset, uint64(x.entry.Params[i].Offset))
	store(size, uint64(x.entry.Params[i].Size))
	return 0
}

func (d *driver) parameterCount(f, to uintptr) uintptr {
	_, x, r := on[*function](d, f)
	if r == cuda.Success {
		store(to, uint64(len(x.entry.Params)))
	}
	return code(r)
}

// cString is the text at an address.
func cString(addr uintptr) string {
	var b strings.Builder
	for ; *at[byte](addr) != 0; addr++ {
		b.WriteByte(*at[byte](addr))
	}
	return b.String()
}
