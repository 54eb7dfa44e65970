package picture

import (
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// flows follows values from registers to shared memory, to other lanes and back, and notes in a Tree
// where two of them become one. It follows values of the kernel's own frame in the first maxTreeBlocks
// blocks.
type flows struct {
	scope  *ptx.Scope
	fn     string
	lines  Lines
	tree   Tree
	sites  map[*event.Site]*does
	warps  map[key]registers
	memory map[place][]int32 // the node of each 4 bytes
}

// registers has the node of what each lane has in a register; 0 is none.
type registers map[int]*[abi.WarpSize]int32

// maxTreeBlocks is how many blocks have trees.
const maxTreeBlocks = 8

// does says how an instruction treats values: the registers that it reads and writes as operands.
type does struct {
	combines, moves, selects bool
	exchanges                bool // it takes values of other lanes
	wide                     bool // it computes with 64-bit integers, perhaps addresses
	to, from                 []int
	by                       int // the predicate of a select
}

func newFlows(e *event.Kernel, lines Lines) *flows {
	return &flows{
		scope: ptx.NewScope(e.Module).Func(e.Func), fn: e.Func.Name, lines: lines, tree: newTree(),
		sites: map[*event.Site]*does{}, warps: map[key]registers{}, memory: map[place][]int32{},
	}
}

// combining are the instructions whose result is made of both operands alike.
var combining = []string{"add", "min", "max", "and", "or", "xor"}

// of finds what an instruction does with values; nil if nothing follows it.
func (f *flows) of(w *event.Warp) *does {
	if w.Site == nil || w.Site.Instr == nil || w.Site.Func != f.fn || w.Frame != 0 || w.Block.Linear >= maxTreeBlocks {
		return nil
	}
	if d := f.sites[w.Site]; d != nil {
		return d
	}
	in := w.Site.Instr
	d := &does{by: -1}
	for i, a := range in.Args {
		if i == 0 && len(w.Site.Writes) > 0 {
			d.to = f.numbers(a)
		} else if i < 3 {
			d.from = append(d.from, f.numbers(a)...)
		}
	}
	kind := w.Site.Does.Kind
	d.combines = kind == ptx.Computes && slices.Contains(combining, in.Op) && len(d.from) == 2
	d.moves = kind == ptx.Moves || in.Op == "mov" || in.Op == "cvt"
	if d.selects = in.Op == "selp" && len(in.Args) == 4; d.selects {
		if p := f.numbers(in.Args[3]); len(p) == 1 {
			d.by = p[0]
		}
	}
	d.exchanges = in.Op == "shfl" || in.Op == "redux"
	d.wide = slices.ContainsFunc(in.Mods, func(m string) bool { return m == "s64" || m == "u64" || m == "b64" })
	f.sites[w.Site] = d
	return d
}

// numbers are the registers of an operand.
func (f *flows) numbers(o ptx.Operand) (list []int) {
	switch o := o.(type) {
	case ptx.Name:
		if sym, ok := f.scope.Lookup(string(o)); ok && sym.Kind == ptx.RegisterSymbol {
			list = append(list, sym.Reg)
		}
	case ptx.Vec:
		for _, x := range o {
			list = append(list, f.numbers(x)...)
		}
	case ptx.Pair:
		list = f.numbers(o.First)
	}
	return list
}

// warp is the registers of a warp.
func (f *flows) warp(w *event.Warp) registers {
	k := key{w.Block.Linear, w.Index}
	if f.warps[k] == nil {
		f.warps[k] = registers{}
	}
	return f.warps[k]
}

func (r registers) get(reg, lane int) int32 {
	if list := r[reg]; list != nil {
		return list[lane]
	}
	return 0
}

func (r registers) set(reg, lane int, node int32) {
	list := r[reg]
	if list == nil {
		if node == 0 {
			return
		}
		list = new([abi.WarpSize]int32)
		r[reg] = list
	}
	list[lane] = node
}

// step follows an instruction that is about to run. The values that it loads come with its access.
func (f *flows) step(e *event.Step, at int) {
	d := f.of(&e.Warp)
	if d == nil || d.exchanges || len(e.Site.Writes) == 0 {
		return
	}
	r := f.warp(&e.Warp)
	if len(r) == 0 {
		return
	}
	eachLane(e.Mask, func(lane int) {
		var node int32
		switch {
		case d.combines:
			node = f.both(e, d, r, lane, at)
		case d.selects && d.by >= 0 && len(d.from) == 2:
			from := d.from[1]
			if e.Predicate(d.by)>>lane&1 != 0 {
				from = d.from[0]
			}
			node = r.get(from, lane)
		case d.moves && len(d.from) > 0:
			node = r.get(d.from[0], lane)
		}
		for _, reg := range e.Site.Writes {
			r.set(reg, lane, node)
		}
	})
}

// both is the node of a result that two values become. A value that has no node is the thread's own, if
// the other one is another thread's.
func (f *flows) both(e *event.Step, d *does, r registers, lane, at int) int32 {
	a, b := r.get(d.from[0], lane), r.get(d.from[1], lane)
	if a == b {
		return a
	}
	thread := e.Thread(lane)
	for _, x := range []*int32{&a, &b} {
		if other := a + b - *x; *x == 0 {
			if n := f.tree.node(other); n.Thread == thread && n.Block == e.Block.Linear || d.wide {
				return other
			}
			*x = f.tree.leaf(e.Block.Linear, thread)
		}
	}
	return f.tree.join(Node{Block: e.Block.Linear, Thread: thread, At: at, Line: f.lines(e.Site)}, a, b)
}

// where is the place of bytes of memory, in words.
func where(w *event.Warp, space ptx.Space, home *event.Block, addr uint64) place {
	p := place{-1, addr &^ 3}
	if space == ptx.SharedSpace {
		p.home = w.Block.Linear
		if home != nil {
			p.home = home.Linear
		}
	}
	return p
}

// access follows values from and to memory. A value that has no node gets one when it comes to shared
// memory: it is the thread's own.
func (f *flows) access(e *event.Access) {
	d := f.of(&e.Warp)
	if d == nil || e.Agent != nil || e.Size < 4 || e.Space != ptx.SharedSpace && (e.Space != ptx.GlobalSpace || len(f.memory) == 0) {
		return
	}
	r := f.warp(&e.Warp)
	list := d.to
	if e.Kind == event.Store {
		list = d.from
	}
	if len(list) == 0 {
		return
	}
	each := uint64(max(e.Size/len(list), 4))
	eachLane(e.Mask, func(lane int) {
		for k, reg := range list {
			p := where(&e.Warp, e.Space, e.Home, e.Addrs[lane]+uint64(k)*each)
			if e.Kind == event.Load {
				r.set(reg, lane, f.at(p))
				continue
			}
			node := r.get(reg, lane)
			if node == 0 && e.Space == ptx.SharedSpace {
				node = f.tree.leaf(e.Block.Linear, e.Thread(lane))
				r.set(reg, lane, node)
			}
			f.put(p, node)
		}
	})
}

func (f *flows) at(p place) int32 {
	if list := f.memory[place{p.home, p.addr &^ 127}]; list != nil {
		return list[p.addr%128/4]
	}
	return 0
}

func (f *flows) put(p place, node int32) {
	line := place{p.home, p.addr &^ 127}
	if f.memory[line] == nil {
		if node == 0 || len(f.memory) >= maxFollowed {
			return
		}
		f.memory[line] = make([]int32, 32)
	}
	f.memory[line][p.addr%128/4] = node
}

// maxFollowed is how many lines of 128 bytes are followed.
const maxFollowed = 1 << 14

// exchange follows values from lane to lane.
func (f *flows) exchange(e *event.WarpSync, at int) {
	d := f.of(&e.Warp)
	if d == nil || len(d.to) == 0 || len(d.from) == 0 {
		return
	}
	r, from := f.warp(&e.Warp), d.from[0]
	var nodes [abi.WarpSize]int32
	eachLane(e.Mask, func(lane int) {
		if nodes[lane] = r.get(from, lane); nodes[lane] == 0 {
			nodes[lane] = f.tree.leaf(e.Block.Linear, e.Thread(lane))
			r.set(from, lane, nodes[lane])
		}
	})
	switch {
	case e.Op == "shfl" && e.Sources != nil:
		eachLane(e.Mask, func(lane int) { r.set(d.to[0], lane, nodes[e.Sources[lane]&31]) })
	case e.Op == "redux":
		var all []int32
		first := -1
		eachLane(e.Mask, func(lane int) {
			all = append(all, nodes[lane])
			if first < 0 {
				first = lane
			}
		})
		node := f.tree.join(Node{Block: e.Block.Linear, Thread: e.Thread(first), At: at, Line: f.lines(e.Site)}, all...)
		eachLane(e.Mask, func(lane int) { r.set(d.to[0], lane, node) })
	}
}

// atomic follows values that atomics add to memory, in the order of the lanes.
func (f *flows) atomic(e *event.Atomic, at int) {
	d := f.of(&e.Warp)
	if d == nil || e.Agent != nil || !slices.Contains(combining, e.Op) || e.Element > 0 || len(d.from) == 0 {
		return
	}
	r, from := f.warp(&e.Warp), d.from[len(d.from)-1]
	for _, lane := range e.Lanes {
		lane := int(lane & 31)
		p := where(&e.Warp, e.Space, e.Home, e.Addrs[lane])
		node := r.get(from, lane)
		if node == 0 {
			node = f.tree.leaf(e.Block.Linear, e.Thread(lane))
		}
		if old := f.at(p); old != 0 {
			node = f.tree.join(Node{Block: e.Block.Linear, Thread: e.Thread(lane), At: at, Line: f.lines(e.Site)}, old, node)
		}
		f.put(p, node)
	}
}
