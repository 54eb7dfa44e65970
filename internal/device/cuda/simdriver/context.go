//go:build linux

package simdriver

import (
	"syscall"

	"github.com/gridstride/gridstride/internal/device/cuda"
)

const contextIsDestroyed cuda.Result = 709

// contextVersion is the version that cuCtxGetApiVersion returns.
const contextVersion = 3020

func (d *driver) contextFunctions() map[string]any {
	succeed := func() uintptr { return d.inContext(func(*context) uintptr { return 0 }) }
	return map[string]any{
		"cuCtxCreate_v2":      d.createContext,
		"cuCtxCreate_v3":      func(to, params, n, flags, number uintptr) uintptr { return d.createContext(to, flags, number) },
		"cuCtxCreate_v4":      func(to, params, flags, number uintptr) uintptr { return d.createContext(to, flags, number) },
		"cuCtxDestroy_v2":     d.destroyContext,
		"cuCtxPushCurrent_v2": d.pushContext,
		"cuCtxPopCurrent_v2":  d.popContext,
		"cuCtxGetCurrent":     d.getCurrent,
		"cuCtxGetDevice":      d.contextDevice,
		"cuCtxGetId": func(c, to uintptr) uintptr {
			return aboutContext(d, c, to, func(c *context) uint64 { return uint64(c.handle) })
		},
		"cuCtxGetFlags": func(to uintptr) uintptr { return aboutContext(d, 0, to, func(c *context) uint32 { return c.flags }) },
		"cuCtxSetFlags": func(flags uintptr) uintptr {
			return d.inContext(func(c *context) uintptr { c.flags = uint32(flags); return 0 })
		},
		"cuCtxGetApiVersion": func(c, to uintptr) uintptr {
			return aboutContext(d, c, to, func(*context) uint32 { return contextVersion })
		},
		"cuCtxGetCacheConfig":           func(to uintptr) uintptr { return aboutContext(d, 0, to, func(*context) int32 { return 0 }) },
		"cuCtxSetCacheConfig":           func(uintptr) uintptr { return succeed() },
		"cuCtxGetSharedMemConfig":       func(to uintptr) uintptr { return aboutContext(d, 0, to, func(*context) int32 { return 1 }) },
		"cuCtxSetSharedMemConfig":       func(uintptr) uintptr { return succeed() },
		"cuCtxResetPersistingL2Cache":   succeed,
		"cuCtxGetLimit":                 d.getLimit,
		"cuCtxSetLimit":                 d.setLimit,
		"cuDevicePrimaryCtxGetState":    d.primaryState,
		"cuDevicePrimaryCtxSetFlags_v2": d.primaryFlags,
		"cuDevicePrimaryCtxReset_v2":    d.primaryReset,
		"cuProfilerStart":               succeed,
		"cuProfilerStop":                succeed,
	}
}

// inContext calls f with the current context.
func (d *driver) inContext(f func(*context) uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	return f(c)
}

// aboutContext stores a property of a context, the current one where the handle is 0.
func aboutContext[T any](d *driver, h, to uintptr, property func(*context) T) uintptr {
	c, r := d.thread()
	if h != 0 {
		var ok bool
		if c, ok = find[*context](d, h); !ok {
			return code(cuda.InvalidContext)
		}
		r = cuda.Success
	}
	switch {
	case r != cuda.Success:
		return code(r)
	case to == 0:
		return code(cuda.InvalidValue)
	}
	store(to, property(c))
	return 0
}

func (d *driver) createContext(to, flags, number uintptr) uintptr {
	dev, ok := d.device(number)
	switch {
	case !d.started.Load():
		return code(cuda.NotInitialized)
	case !ok:
		return code(cuda.InvalidDevice)
	case to == 0:
		return code(cuda.InvalidValue)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	c := dev.newContext(uint32(flags))
	d.stacks[syscall.Gettid()] = append(d.stacks[syscall.Gettid()], c)
	*at[uintptr](to) = c.handle
	return 0
}

func (d *driver) destroyContext(h uintptr) uintptr {
	c, ok := find[*context](d, h)
	if !ok {
		return code(cuda.InvalidContext)
	}
	c.finish()
	d.destroy(c)
	d.mu.Lock()
	defer d.mu.Unlock()
	thread := syscall.Gettid()
	if stack := d.stacks[thread]; len(stack) > 0 && stack[len(stack)-1] == c {
		d.stacks[thread] = stack[:len(stack)-1]
	}
	return 0
}

func (d *driver) pushContext(h uintptr) uintptr {
	c, ok := find[*context](d, h)
	if !ok {
		return code(cuda.InvalidContext)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stacks[syscall.Gettid()] = append(d.stacks[syscall.Gettid()], c)
	return 0
}

func (d *driver) popContext(to uintptr) uintptr {
	if !d.started.Load() {
		return code(cuda.NotInitialized)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	thread := syscall.Gettid()
	stack := d.stacks[thread]
	if len(stack) == 0 {
		return code(cuda.InvalidContext)
	}
	last := len(stack) - 1
	store(to, stack[last].handle)
	d.stacks[thread] = stack[:last]
	return 0
}

func (d *driver) getCurrent(to uintptr) uintptr {
	switch {
	case !d.started.Load():
		return code(cuda.NotInitialized)
	case to == 0:
		return code(cuda.InvalidValue)
	}
	var h uintptr
	if c := d.top(); c != nil {
		h = c.handle
	}
	*at[uintptr](to) = h
	return 0
}

func (d *driver) contextDevice(to uintptr) uintptr {
	return aboutContext(d, 0, to, func(c *context) int32 { return int32(c.dev.number) })
}

// limits are the values of cuCtxGetLimit before they are set, by CUlimit: the stack, printf's buffer, the
// heap, the depth and the launches of dynamic parallelism, L2's fetches and lines.
var limits = [...]uint64{1024, 1 << 20, 8 << 20, 2, 2048, 128, 0}

func (d *driver) getLimit(to, limit uintptr) uintptr {
	return d.inContext(func(c *context) uintptr {
		if to == 0 || limit >= uintptr(len(limits)) {
			return code(cuda.InvalidValue)
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		v, set := c.limits[limit]
		if !set {
			v = limits[limit]
		}
		*at[uint64](to) = v
		return 0
	})
}

// setLimit keeps a limit. The simulator's own limits are wider.
func (d *driver) setLimit(limit, value uintptr) uintptr {
	return d.inContext(func(c *context) uintptr {
		if limit >= uintptr(len(limits)) {
			return code(cuda.InvalidValue)
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if c.limits == nil {
			c.limits = map[uintptr]uint64{}
		}
		c.limits[limit] = uint64(value)
		return 0
	})
}

func (d *driver) primaryState(number, flags, active uintptr) uintptr {
	dev, ok := d.device(number)
	if !ok {
		return code(cuda.InvalidDevice)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	store(flags, dev.flags)
	on := int32(0)
	if dev.primary != nil {
		on = 1
	}
	store(active, on)
	return 0
}

func (d *driver) primaryFlags(number, flags uintptr) uintptr {
	dev, ok := d.device(number)
	if !ok {
		return code(cuda.InvalidDevice)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	dev.flags = uint32(flags)
	if dev.primary != nil {
		dev.primary.flags = dev.flags
	}
	return 0
}

// primaryReset ends all that is in the primary context. Unlike the driver it also lets a program
// begin anew whose kernel has failed.
func (d *driver) primaryReset(number uintptr) uintptr {
	dev, ok := d.device(number)
	if !ok {
		return code(cuda.InvalidDevice)
	}
	d.mu.Lock()
	c := dev.primary
	d.mu.Unlock()
	if c != nil {
		c.finish()
		d.destroy(c)
	}
	return 0
}
