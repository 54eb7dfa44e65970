package sim

import (
	"strings"
	"time"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
)

// same makes a filler of a value that all lanes share.
func same(value func(w *warp, f *frame) uint64) filler {
	return func(w *warp, f *frame, s code.Slot) {
		switch v := value(w, f); s.Bits {
		case 1:
			*(*uint32)(f.slot(s.Off)) = -uint32(v & 1)
		case 32:
			fill((*[abi.WarpSize]uint32)(f.slot(s.Off)), uint32(v))
		default:
			fill((*[abi.WarpSize]uint64)(f.slot(s.Off)), v)
		}
	}
}

// byLane makes a filler of a 32-bit value that depends on the lane alone.
func byLane(value func(lane int) uint32) filler {
	var values [abi.WarpSize]uint32
	for lane := range values {
		values[lane] = value(lane)
	}
	return func(_ *warp, f *frame, s code.Slot) { *(*[abi.WarpSize]uint32)(f.slot(s.Off)) = values }
}

func always(v uint64) filler { return same(func(*warp, *frame) uint64 { return v }) }

// threadIndex fills %tid in one dimension.
func threadIndex(dim int) filler {
	return func(w *warp, f *frame, s code.Slot) {
		d := (*[abi.WarpSize]uint32)(f.slot(s.Off))
		size := w.cta.Dim
		at := w.cta.Thread(w.index * abi.WarpSize)
		if at[0]+abi.WarpSize <= size[0] { // the warp is in one line of the block
			step := uint32(0)
			if dim == 0 {
				step = 1
			}
			for lane := range d {
				d[lane] = uint32(at[dim]) + uint32(lane)*step
			}
			return
		}
		for lane := range d {
			d[lane] = uint32(at[dim])
			if at[0]++; at[0] == size[0] {
				at[0] = 0
				if at[1]++; at[1] == size[1] {
					at[1] = 0
					at[2]++
				}
			}
		}
	}
}

// index3 and size3 fill a component of a block's index and of a size.
func index3(dim int) filler {
	return same(func(w *warp, _ *frame) uint64 { return uint64(w.cta.Index[dim]) })
}

func size3(of func(*event.Block) [3]int, dim int) filler {
	return same(func(w *warp, _ *frame) uint64 { return uint64(of(&w.cta.Block)[dim]) })
}

func blockDim(b *event.Block) [3]int { return b.Dim }
func gridDim(b *event.Block) [3]int  { return b.Grid }

func clusterDim(b *event.Block) [3]int { return b.ClusterDim }

// fixedSpecials are the special registers that stay the same while a block runs.
var fixedSpecials = map[string]filler{
	"%tid.x": threadIndex(0), "%tid.y": threadIndex(1), "%tid.z": threadIndex(2),
	"%ntid.x": size3(blockDim, 0), "%ntid.y": size3(blockDim, 1), "%ntid.z": size3(blockDim, 2),
	"%ctaid.x": index3(0), "%ctaid.y": index3(1), "%ctaid.z": index3(2),
	"%nctaid.x": size3(gridDim, 0), "%nctaid.y": size3(gridDim, 1), "%nctaid.z": size3(gridDim, 2),

	"%laneid":      byLane(func(lane int) uint32 { return uint32(lane) }),
	"%lanemask_eq": byLane(func(lane int) uint32 { return 1 << lane }),
	"%lanemask_lt": byLane(func(lane int) uint32 { return 1<<lane - 1 }),
	"%lanemask_le": byLane(func(lane int) uint32 { return 2<<lane - 1 }),
	"%lanemask_gt": byLane(func(lane int) uint32 { return -(2 << lane) }),
	"%lanemask_ge": byLane(func(lane int) uint32 { return -(1 << lane) }),

	"%warpid":  same(func(w *warp, _ *frame) uint64 { return uint64(w.index) }),
	"%nwarpid": same(func(w *warp, _ *frame) uint64 { return uint64(len(w.cta.warps)) }),
	"%smid":    same(func(w *warp, _ *frame) uint64 { return uint64(w.wk.index) }),
	"%nsmid":   same(func(w *warp, _ *frame) uint64 { return uint64(len(w.wk.launch.workers)) }),
	"%gridid":  same(func(w *warp, _ *frame) uint64 { return w.wk.launch.id }),

	"%dynamic_smem_size": same(func(w *warp, _ *frame) uint64 { return uint64(w.wk.launch.Shared) }),
	"%total_smem_size":   same(func(w *warp, _ *frame) uint64 { return uint64(w.cta.Shared) }),
	"%aggr_smem_size":    same(func(w *warp, _ *frame) uint64 { return uint64(w.cta.Shared + memory.SharedBase) }),

	// The first KiB of shared memory is the system's.
	"%reserved_smem_offset_end": always(memory.SharedBase), "%reserved_smem_offset_cap": always(memory.SharedBase),

	"%clusterid.x": size3((*event.Block).Cluster, 0), "%clusterid.y": size3((*event.Block).Cluster, 1), "%clusterid.z": size3((*event.Block).Cluster, 2),
	"%nclusterid.x": size3((*event.Block).ClusterGrid, 0), "%nclusterid.y": size3((*event.Block).ClusterGrid, 1),
	"%nclusterid.z":    size3((*event.Block).ClusterGrid, 2),
	"%cluster_ctaid.x": size3((*event.Block).InCluster, 0), "%cluster_ctaid.y": size3((*event.Block).InCluster, 1),
	"%cluster_ctaid.z":  size3((*event.Block).InCluster, 2),
	"%cluster_nctaid.x": size3(clusterDim, 0), "%cluster_nctaid.y": size3(clusterDim, 1), "%cluster_nctaid.z": size3(clusterDim, 2),
	"%cluster_ctarank":     same(func(w *warp, _ *frame) uint64 { return uint64(w.cta.Rank()) }),
	"%cluster_nctarank":    same(func(w *warp, _ *frame) uint64 { return uint64(w.cta.ClusterSize()) }),
	"%is_explicit_cluster": same(func(w *warp, _ *frame) uint64 { return uint64(min(w.cta.ClusterSize()-1, 1)) }),
}

// perBlock reports whether a special register differs between the blocks of a launch.
func perBlock(name string) bool {
	for _, prefix := range []string{"%ctaid", "%clusterid", "%cluster_ctaid", "%cluster_ctarank"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// clocks are the special registers that change while a thread runs. A clock counts the instructions
// of the worker. The global timer does so too when somebody observes, for the sake of determinism.
var clocks = map[code.Op]func(w *warp) uint64{
	code.OpClock:         func(w *warp) uint64 { return uint64(uint32(w.now())) },
	code.OpClockHi:       func(w *warp) uint64 { return w.now() >> 32 },
	code.OpClock64:       func(w *warp) uint64 { return w.now() },
	code.OpGlobaltimer:   func(w *warp) uint64 { return w.nanoseconds() },
	code.OpGlobaltimerLo: func(w *warp) uint64 { return uint64(uint32(w.nanoseconds())) },
	code.OpGlobaltimerHi: func(w *warp) uint64 { return w.nanoseconds() >> 32 },
}

// now is the number of instructions that the worker has run, and a bit more with every look.
func (w *warp) now() uint64 {
	w.wk.looks++
	return w.wk.instrs + w.instrs + w.wk.looks
}

func (w *warp) nanoseconds() uint64 {
	if w.wk.obs != nil {
		return w.now()
	}
	return uint64(time.Now().UnixNano())
}

// fillerOf is how a slot gets its value: an address in the frame, or a special register. Those that
// are not listed are zero: %envreg, %pm, the fourth components.
func fillerOf(f code.Fill) filler {
	if f.Name == "" {
		return same(func(_ *warp, fr *frame) uint64 { return f.Local + uint64(fr.stack) })
	}
	if fill, ok := fixedSpecials[f.Name]; ok {
		return fill
	}
	return always(0)
}

// readClock reads a clock into all lanes of a slot, which is the instruction's own.
func readClock(read func(*warp) uint64, bits int) exec {
	if bits == 64 {
		return func(w *warp, in *inst) { fill(reg[uint64](w, in.D), read(w)) }
	}
	return func(w *warp, in *inst) { fill(reg[uint32](w, in.D), uint32(read(w))) }
}
