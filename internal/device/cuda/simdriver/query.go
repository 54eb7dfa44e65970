//go:build linux

package simdriver

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/device/cuda/driverapi"
	simmemory "github.com/gridstride/gridstride/internal/machine/sim/memory"
)

const notSupported cuda.Result = 801

// explain prints why a kernel has ended, which CUDA's results do not say.
func (d *driver) explain(kernel string, err error) {
	if d.cfg.guest {
		text := err.Error()
		if _, rest, ok := strings.Cut(text, ": "); ok { // whose first word is the name as it is in PTX
			text = rest
		}
		fmt.Fprintf(os.Stderr, "gridstride: kernel %s: %s\n", kernel, text)
	}
}

func (d *driver) deviceFunctions() map[string]any {
	return map[string]any{
		"cuDeviceGet":                        d.getDevice,
		"cuDeviceGetUuid":                    d.deviceUUID,
		"cuDeviceGetUuid_v2":                 d.deviceUUID,
		"cuDeviceGetPCIBusId":                d.busID,
		"cuDeviceGetByPCIBusId":              d.deviceByBusID,
		"cuDeviceComputeCapability":          d.capability,
		"cuDeviceGetDefaultMemPool":          d.defaultPool,
		"cuDeviceGetExecAffinitySupport":     func(to, kind, number uintptr) uintptr { store(to, int32(0)); return d.known(number) },
		"cuDeviceGetTexture1DLinearMaxWidth": func(to, format, channels, number uintptr) uintptr { store(to, uint64(1<<27)); return d.known(number) },
		"cuDeviceGetProperties":              d.deviceProperties,
		"cuDeviceGetLuid":                    func(luid, mask, number uintptr) uintptr { return code(notSupported) },
		"cuFlushGPUDirectRDMAWrites":         func(target, scope uintptr) uintptr { return code(notSupported) },
	}
}

func (d *driver) getDevice(to, number uintptr) uintptr {
	switch _, ok := d.device(uintptr(uint32(number))); {
	case !d.started.Load():
		return code(cuda.NotInitialized)
	case !ok:
		return code(cuda.InvalidDevice)
	case to == 0:
		return code(cuda.InvalidValue)
	}
	*at[int32](to) = int32(number)
	return 0
}

func (d *driver) deviceUUID(to, number uintptr) uintptr {
	if r := d.known(number); r != 0 {
		return r
	}
	id := memoryAt(to, 16)
	copy(id, "gridstride\x00\x00\x00\x00\x00\x00")
	id[15] = byte(number)
	return 0
}

func (d *driver) busID(to, size, number uintptr) uintptr {
	if r := d.known(number); r != 0 {
		return r
	}
	text := memoryAt(to, uintptr(uint32(size)))
	if n := copy(text, fmt.Sprintf("0000:%02X:00.0\x00", number+1)); n == len(text) && n > 0 {
		text[n-1] = 0
	}
	return 0
}

func (d *driver) deviceByBusID(to, id uintptr) uintptr {
	var domain, bus, slot, function int
	if id == 0 || to == 0 {
		return code(cuda.InvalidValue)
	}
	text := cString(id)
	if n, _ := fmt.Sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function); n < 3 {
		if n, _ := fmt.Sscanf(text, "%x:%x.%x", &bus, &slot, &function); n < 2 {
			return code(cuda.InvalidValue)
		}
	}
	if bus < 1 || d.known(uintptr(bus-1)) != 0 {
		return code(cuda.InvalidDevice)
	}
	*at[int32](to) = int32(bus - 1)
	return 0
}

func (d *driver) capability(major, minor, number uintptr) uintptr {
	dev, ok := d.device(number)
	if !ok {
		return code(cuda.InvalidDevice)
	}
	store(major, int32(dev.kind.Capability[0]))
	store(minor, int32(dev.kind.Capability[1]))
	return 0
}

// deviceProperties fills a CUdevprop.
func (d *driver) deviceProperties(to, number uintptr) uintptr {
	dev, ok := d.device(number)
	if !ok {
		return code(cuda.InvalidDevice)
	}
	a := dev.attributes()
	b := memoryAt(to, 4*14)
	for i, k := range []cuda.Attribute{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14} {
		binary.LittleEndian.PutUint32(b[4*i:], uint32(a[k]))
	}
	return 0
}

func (d *driver) queryFunctions() map[string]any {
	return map[string]any{
		"cuGetErrorString":                  d.errorString,
		"cuGetErrorName":                    d.errorName,
		"cuGetExportTable":                  func(to, id uintptr) uintptr { store(to, uintptr(0)); return code(cuda.NotFound) },
		"cuThreadExchangeStreamCaptureMode": func(uintptr) uintptr { return 0 },
		"cuCoredumpGetAttribute":            func(a, v, n uintptr) uintptr { return code(notSupported) },
	}
}

func (d *driver) errorName(result, to uintptr) uintptr { return d.resultText(result, to, false) }

func (d *driver) errorString(result, to uintptr) uintptr { return d.resultText(result, to, true) }

func (d *driver) resultText(result, to uintptr, meaning bool) uintptr {
	if to == 0 {
		return code(cuda.InvalidValue)
	}
	name, text := driverapi.Result(int(result))
	if name == "" {
		*at[uintptr](to) = 0
		return code(cuda.InvalidValue)
	}
	if meaning {
		name = text
	}
	*at[uintptr](to) = d.text(name)
	return 0
}

// The attributes of pointers, CUpointer_attribute.
const (
	pointerContext = 1 + iota
	pointerKind
	pointerDevice
	pointerHost
	pointerTokens
	pointerSync
	pointerBuffer
	pointerManaged
	pointerOrdinal
	pointerIPC
	pointerStart
	pointerSize
	pointerMapped
	pointerHandles
	pointerRDMA
	pointerAccess
	pointerPool
	pointerMappingSize
	pointerMappingBase
	pointerBlock
)

// pointee describes an address.
type pointee struct {
	c      *context
	s      *simmemory.Segment
	pinned *pinned // nil for the device's own memory
}

// pointee describes an address in any context, nil for what the driver does not know.
func (d *driver) pointee(addr uintptr) *pointee {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, x := range d.handles {
		c, ok := x.(*context)
		if !ok {
			continue
		}
		s := c.machine.Find(uint64(addr))
		if s == nil || uint64(addr) >= s.Base+s.Size {
			continue
		}
		p := c.memory.at(uintptr(s.Base))
		c.memory.mu.Lock()
		_, own := c.memory.allocs[s.Base]
		c.memory.mu.Unlock()
		if own || p != nil || c.dev.contexts == 1 || s.Name != "" {
			return &pointee{c, s, p}
		}
	}
	return nil
}

func (d *driver) pointerAttribute(to, attribute, addr uintptr) uintptr {
	if to == 0 || attribute < pointerContext || attribute > pointerBlock {
		return code(cuda.InvalidValue)
	}
	p := d.pointee(addr)
	if p == nil {
		return code(cuda.InvalidValue)
	}
	return code(p.attribute(to, attribute, addr))
}

// attribute stores an attribute of an address.
func (p *pointee) attribute(to, attribute, addr uintptr) cuda.Result {
	const hostKind, deviceKind, readWrite = 1, 2, 3
	flag := func(on bool) {
		v := uint32(0)
		if on {
			v = 1
		}
		store(to, v)
	}
	managed := p.pinned != nil && p.pinned.managed
	switch attribute {
	case pointerContext:
		store(to, p.c.handle)
	case pointerKind:
		if p.pinned != nil && !managed {
			store(to, uint32(hostKind))
		} else {
			store(to, uint32(deviceKind))
		}
	case pointerDevice:
		store(to, uint64(addr))
	case pointerHost:
		if p.pinned == nil {
			return cuda.InvalidValue
		}
		store(to, addr)
	case pointerBuffer:
		store(to, p.s.Base)
	case pointerManaged:
		flag(managed)
	case pointerOrdinal:
		store(to, int32(p.c.dev.number))
	case pointerStart, pointerMappingBase:
		store(to, p.s.Base)
	case pointerSize, pointerMappingSize:
		store(to, p.s.Size)
	case pointerMapped:
		flag(true)
	case pointerHandles, pointerPool, pointerBlock:
		store(to, uint64(0))
	case pointerAccess:
		store(to, uint32(readWrite))
	case pointerSync, pointerIPC, pointerRDMA:
		flag(false)
	default:
		return notSupported
	}
	return cuda.Success
}

// pointerAttributes stores several attributes, zeros for what the driver does not know.
func (d *driver) pointerAttributes(n, attributes, values, addr uintptr) uintptr {
	if attributes == 0 || values == 0 {
		return code(cuda.InvalidValue)
	}
	p := d.pointee(addr)
	for i := range uintptr(uint32(n)) {
		attribute, to := uintptr(*at[uint32](attributes + 4*i)), *at[uintptr](values + 8*i)
		if p == nil || p.attribute(to, attribute, addr) != cuda.Success {
			switch attribute {
			case pointerOrdinal:
				store(to, int32(-2)) // CU_DEVICE_INVALID
			case pointerKind, pointerManaged, pointerMapped, pointerSync, pointerIPC, pointerRDMA, pointerAccess:
				store(to, uint32(0))
			default:
				store(to, uint64(0))
			}
		}
	}
	return 0
}
