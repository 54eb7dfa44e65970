package sim

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/texture"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file has the fetches of textures: tex and tld4. To an observer a fetch is a read of each
// texel that counts.

// fetchOp is tex or tld4.
type fetchOp struct {
	dims     int // of the coordinates
	cube     bool
	layered  bool
	integral bool // the coordinates are integers
	floats   bool // the results are float32
	gathers  bool // a channel of four texels
	channel  int
	args     []uint32 // slots: the handle, the layer, the coordinates
	results  []uint32
	// reads are the accesses to a texel: of tex by the logarithm of its size and its channels less
	// one, of tld4 by the logarithm of a channel's size and the result that it is.
	reads [5][4]inst
}

func (b *binder) fetch(in *code.Inst, to *inst) {
	op := &fetchOp{
		dims: len(in.Args) - 2, cube: in.Has(code.Cube), layered: in.Has(code.Layered), integral: in.SrcType == ptx.S32,
		floats: in.Type == ptx.F32, gathers: in.Op == ptx.OpTld4, channel: in.Channel,
	}
	for _, s := range in.Args {
		op.args = append(op.args, s.Off)
	}
	for _, s := range in.Dst {
		op.results = append(op.results, s.Off)
	}
	for size := range op.reads {
		for k := range op.reads[size] {
			read := inst{site: in.Site, follows: true, run: func(*warp, *inst) {}}
			b.access(event.Load, in.Mem[0], 1<<size, 1, &read).texel = &event.Texel{Count: k + 1}
			if op.gathers {
				read.mem.texel = &event.Texel{First: k, Count: 1}
			}
			op.reads[size][k] = read
		}
	}
	to.run, to.observed = op.run, op.watch
}

// run fetches for each running lane.
func (op *fetchOp) run(w *warp, in *inst) {
	var t *texture.Texture
	last := uint64(0)
	for m := w.Exec; m != 0; m &= m - 1 {
		i := firstLane(m)
		if handle := reg[uint64](w, op.args[0])[i]; t == nil || handle != last {
			o, kind, why := op.object(w, handle)
			if why != "" {
				w.wk.raise(w.fault(in, i, kind, why))
				t = nil
				continue
			}
			t, last = o.texture, handle
		}
		footprint := op.footprint(w, t, i)
		var texel texture.Texel
		if op.gathers {
			texel = t.Gather(&footprint, op.channel)
		} else {
			texel = t.Value(&footprint)
		}
		for k, slot := range op.results {
			reg[uint32](w, slot)[i] = texel[k]
		}
	}
}

// footprint returns the texels that a lane reads.
func (op *fetchOp) footprint(w *warp, t *texture.Texture, lane int) texture.Footprint {
	layer := int(int32(reg[uint32](w, op.args[1])[lane]))
	if op.integral {
		var at [3]int32
		for d := range op.dims {
			at[d] = int32(reg[uint32](w, op.args[2+d])[lane])
		}
		return t.PointAt(at, layer)
	}
	var at [3]float32
	for d := range op.dims {
		at[d] = math.Float32frombits(reg[uint32](w, op.args[2+d])[lane])
	}
	if op.gathers {
		return t.Corners(at, layer)
	}
	return t.Point(at, layer)
}

// watch tells of what each running lane reads, and fetches.
func (op *fetchOp) watch(w *warp, in *inst) {
	if !in.follows {
		w.sendStep(in.site)
	}
	handles := reg[uint64](w, op.args[0])
	for rest := w.Exec; rest != 0; {
		handle, same := handles[firstLane(rest)], uint32(0)
		for m := rest; m != 0; m &= m - 1 {
			if i := firstLane(m); handles[i] == handle {
				same |= 1 << i
			}
		}
		rest &^= same
		if o, _, why := op.object(w, handle); why == "" {
			op.tell(w, o, same)
		}
	}
	op.run(w, in)
}

// tell tells of what lanes read of a texture.
func (op *fetchOp) tell(w *warp, o *object, lanes uint32) {
	var addrs [8][abi.WarpSize]uint64
	var masks [8]uint32
	t := o.texture
	channel := t.Bits / 8
	for m := lanes; m != 0; m &= m - 1 {
		i := firstLane(m)
		footprint := op.footprint(w, t, i)
		footprint.Reads(func(k, at int) {
			if op.gathers {
				at += op.channel * channel
			}
			masks[k] |= 1 << i
			addrs[k][i] = o.addr + uint64(at)
		})
	}
	for k, mask := range masks {
		switch {
		case mask == 0 || op.gathers && op.channel >= t.Channels: // a channel that is 0
		case op.gathers:
			w.tellAccess(&op.reads[bits.Len(uint(channel))-1][k], &addrs[k], mask, nil, nil)
		default:
			w.tellAccess(&op.reads[bits.Len(uint(t.Format.Size()))-1][t.Channels-1], &addrs[k], mask, nil, nil)
		}
	}
}

// object is the texture of a handle, and why the instruction cannot read it: "" if it can.
func (op *fetchOp) object(w *warp, handle uint64) (o *object, kind event.FaultKind, why string) {
	o, kind, why = w.wk.m.object(handle, false)
	if why != "" {
		return nil, kind, why
	}
	t := o.texture
	dims := op.dims
	if op.cube {
		dims = 2 // of a face
	}
	switch {
	case t.Dims() != dims || t.Layers > 0 != op.layered || t.Cube != op.cube:
		return nil, event.BadTexture, fmt.Sprintf("the texture has %s, and the instruction reads %s",
			shapeName(t.Dims(), t.Layers > 0, t.Cube), shapeName(dims, op.layered, op.cube))
	case t.Buffer && !op.integral:
		return nil, event.BadTexture, "the texture is linear memory of one dimension, which is read at integral coordinates"
	case t.Floats() != op.floats:
		return nil, event.BadTexture, "the texture gives " + numbersName(t.Floats()) + ", and the instruction takes " + numbersName(op.floats)
	}
	return o, "", ""
}

func shapeName(dims int, layered, cube bool) string {
	switch {
	case cube && layered:
		return "layers of cubes"
	case cube:
		return "the faces of a cube"
	case layered:
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
