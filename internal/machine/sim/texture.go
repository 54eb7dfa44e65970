package sim

import (
	"fmt"
	"math"
	"sync"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/texture"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file has textures: what the host makes of texels, and the instruction tex, which reads them
// by a handle.

// textures are the textures of a machine by their handles. The zero value has none.
type textures struct {
	mu   sync.RWMutex
	next uint64
	by   map[uint64]*texture.Texture
}

// textureHandles is where handles begin, so that no handle is a plausible address or a small number.
const textureHandles = 0x7e00_0000_0001

// NewTexture makes a texture that kernels read by the handle that is returned. The texels belong to
// the machine until FreeTexture. Several goroutines may call it at once.
func (m *Machine) NewTexture(t *texture.Texture) (handle uint64, err error) {
	if err := t.Check(); err != nil {
		return 0, err
	}
	m.textures.mu.Lock()
	defer m.textures.mu.Unlock()
	if m.textures.by == nil {
		m.textures.by = map[uint64]*texture.Texture{}
	}
	handle = textureHandles + m.textures.next
	m.textures.next++
	m.textures.by[handle] = t
	return handle, nil
}

// FreeTexture makes a handle one of no texture. A launch that still uses it fails.
func (m *Machine) FreeTexture(handle uint64) {
	m.textures.mu.Lock()
	defer m.textures.mu.Unlock()
	delete(m.textures.by, handle)
}

// find is the texture of a handle, nil where there is none.
func (s *textures) find(handle uint64) *texture.Texture {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.by[handle]
}

// fetchOp is the ext of tex.
type fetchOp struct {
	dims     int
	layered  bool
	integral bool     // the coordinates are integers
	floats   bool     // the results are float32
	args     []uint32 // slots: the handle, the layer, the coordinates
	results  []uint32
}

func (b *binder) texture(in *code.Inst, to *inst) {
	op := &fetchOp{
		dims: len(in.Args) - 2, layered: in.Mod("dim")[0] == 'a', integral: in.SrcType == ptx.S32, floats: in.Type == ptx.F32,
	}
	for _, s := range in.Args {
		op.args = append(op.args, s.Off)
	}
	for _, s := range in.Dst {
		op.results = append(op.results, s.Off)
	}
	to.run, to.ext = fetchTexels, op
	to.observed = stepped(fetchTexels)
}

// fetchTexels reads a texel for each running lane.
func fetchTexels(w *warp, in *inst) {
	op := in.ext.(*fetchOp)
	var t *texture.Texture
	last := uint64(0)
	for m := w.Exec; m != 0; m &= m - 1 {
		i := firstLane(m)
		handle := reg[uint64](w, op.args[0])[i]
		if t == nil || handle != last {
			t, last = w.wk.m.textures.find(handle), handle
		}
		if why := op.misfit(t, handle); why != "" {
			w.wk.raise(w.fault(in, i, BadTexture, why))
			t = nil
			continue
		}
		texel := op.fetch(w, t, i)
		for k, slot := range op.results {
			reg[uint32](w, slot)[i] = texel[k]
		}
	}
}

// fetch is the texel of a lane.
func (op *fetchOp) fetch(w *warp, t *texture.Texture, lane int) texture.Texel {
	layer := int(int32(reg[uint32](w, op.args[1])[lane]))
	if op.integral {
		var at [3]int32
		for d := range op.dims {
			at[d] = int32(reg[uint32](w, op.args[2+d])[lane])
		}
		return t.FetchAt(at, layer)
	}
	var at [3]float32
	for d := range op.dims {
		at[d] = math.Float32frombits(reg[uint32](w, op.args[2+d])[lane])
	}
	return t.Fetch(at, layer)
}

// misfit says why an instruction cannot read a texture, "" if it can.
func (op *fetchOp) misfit(t *texture.Texture, handle uint64) string {
	switch {
	case t == nil:
		return fmt.Sprintf("%#x is the handle of no texture", handle)
	case t.Dims() != op.dims || t.Layers > 0 != op.layered:
		return fmt.Sprintf("the texture has %s, and the instruction reads %s", shapeName(t.Dims(), t.Layers > 0), shapeName(op.dims, op.layered))
	case t.Floats() != op.floats:
		return "the texture gives " + numbersName(t.Floats()) + ", and the instruction takes " + numbersName(op.floats)
	}
	return ""
}

func shapeName(dims int, layered bool) string {
	if layered {
		return fmt.Sprintf("layers of %d dimensions", dims)
	}
	return fmt.Sprintf("%d dimensions", dims)
}

func numbersName(floats bool) string {
	if floats {
		return "float32"
	}
	return "integers"
}
