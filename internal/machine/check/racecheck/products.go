package racecheck

import (
	"maps"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Products of warpgroups (wgmma), which the tensor cores compute asynchronously. They read shared
// memory by the asynchronous proxy, and read and write registers. Writes to shared memory must be
// fenced from one proxy to the other before the product, and the memory must not change until a
// wait. Registers that other instructions have written must be fenced before the product, and must
// not be used until a wait.

// productState is racecheck's knowledge of the products of a block.
type productState struct {
	warps  []warpProducts
	stores wordStores       // the last to each word of shared memory, by its number
	inits  map[uint32]store // inits of mbarriers, by offset, that no fence has made known to copies
	fenced []uint64         // when each thread fenced its proxy last
}

// store is a store of a thread of some block to shared memory.
type store struct {
	by     *blockState
	thread int
	at     uint64
	site   *event.Site
}

// warpProducts is racecheck's knowledge of the products of a warp.
type warpProducts struct {
	flying []*flying
	groups int
	fence  uint64 // when the registers were fenced last; 0 for never
	wrote  map[register]touched
}

// register is one of a frame.
type register struct {
	frame uint64
	reg   int
}

type touched struct {
	at   uint64
	site *event.Site
}

// flying is a product that its warp has not waited for.
type flying struct {
	site   *event.Site
	group  int
	frame  uint64
	sums   []int // registers of the sum
	factor []int // registers of A
	lines  lineSet
}

// wordStores are stores by the numbers of words, in pages that exist once they have one.
type wordStores []*[storesPage]store

const storesPage = 256

// newWordStores is for some bytes of memory.
func newWordStores(bytes int) wordStores {
	return make(wordStores, (bytes+4*storesPage-1)/(4*storesPage))
}

// at is the store to a word, nil for none.
func (w wordStores) at(word uint32) *store {
	if p := w[word/storesPage]; p != nil && p[word%storesPage].site != nil {
		return &p[word%storesPage]
	}
	return nil
}

// set changes the store to a word. The zero store is none.
func (w wordStores) set(word uint32, s store) {
	p := &w[word/storesPage]
	if *p == nil {
		if s.site == nil {
			return
		}
		*p = new([storesPage]store)
	}
	(*p)[word%storesPage] = s
}

// lineSet is a set of lines of shared memory, a bit each.
type lineSet []uint64

func (l *lineSet) add(line uint32) {
	for int(line/64) >= len(*l) {
		*l = append(*l, 0)
	}
	(*l)[line/64] |= 1 << (line % 64)
}

func (l lineSet) has(line uint32) bool { return int(line/64) < len(l) && l[line/64]>>(line%64)&1 != 0 }

// lineBytes is how many bytes of shared memory a product reads at once.
const lineBytes = 16

// usesAsyncProxy reports whether a module goes to memory in other ways than its threads do.
func usesAsyncProxy(m *ptx.Module) bool {
	return slices.ContainsFunc(m.Decls, func(d ptx.Decl) bool {
		f, ok := d.(*ptx.Func)
		if !ok {
			return false
		}
		for in := range f.Instrs() {
			switch in.Effects().Agent {
			case ptx.BulkAgent, ptx.ProductAgent:
				return true
			}
		}
		return false
	})
}

// newProducts is the state of a block that begins.
func newProducts(b *tool.Block) *productState {
	return &productState{
		warps: make([]warpProducts, b.Warps()), stores: newWordStores(b.Shared), inits: map[uint32]store{},
		fenced: make([]uint64, b.Warps()*abi.WarpSize),
	}
}

// stored follows what threads write to shared memory.
func (r *Check) stored(st *blockState, e *event.Access, lanes uint32) {
	home := r.home(st, e.Home)
	busy := home.products.flies()
	r.now++
	for m := lanes; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		at := uint32(e.Addrs[lane])
		for word := at / 4; word <= (at+uint32(e.Size)-1)/4; word++ {
			home.products.stores.set(word, store{st, e.Thread(lane), r.now, e.Site})
		}
		if busy {
			r.overwritten(home, e, at, "write", st, lane)
		}
	}
}

// flies reports whether a product of the block is in flight.
func (p *productState) flies() bool {
	for i := range p.warps {
		if len(p.warps[i].flying) > 0 {
			return true
		}
	}
	return false
}

// crossed looks at what an agent is about to read or write by the asynchronous proxy.
func (r *Check) crossed(st *blockState, e *event.Access, lanes uint32) {
	home := r.home(st, e.Home)
	p, w := home.products, &st.products.warps[e.Index]
	var f *flying
	if n := len(w.flying); n > 0 && e.Agent.Engine == event.MatrixEngine {
		f = w.flying[n-1]
	}
	for m := lanes; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		at := uint32(e.Addrs[lane])
		if f != nil {
			f.lines.add(at / lineBytes)
		}
		issuer := e.Thread(lane)
		if e.Agent.Engine == event.MatrixEngine {
			issuer = e.Thread(0)
		}
		for word := at / 4; word <= (at+uint32(e.Size)-1)/4; word++ {
			s := p.stores.at(word)
			if s != nil && s.by.products.fenced[s.thread] < s.at && st.products.fenced[issuer] < s.at {
				role := map[event.AccessKind]string{event.Load: "asynchronous read", event.Store: "asynchronous write"}[e.Kind]
				r.product(e.Seq, report.NoProxyFence, s.as("write"), doer{role, e.Site, st, issuer})
			}
			if e.Kind == event.Store {
				p.stores.set(word, store{})
			}
		}
		if e.Kind == event.Store {
			r.overwritten(home, e, at, "copy", st, lane)
		}
	}
}

// overwritten finds products of a block in flight that read 16 bytes which a thread of its cluster
// writes, by itself or by a copy.
func (r *Check) overwritten(home *blockState, e *event.Access, at uint32, role string, by *blockState, lane int) {
	for i := range home.products.warps {
		for _, f := range home.products.warps[i].flying {
			if f.lines.has(at / lineBytes) {
				cause := report.FactorWritten
				if role == "write" && home == by && r.run.Leads(e.Site, f.site) && !r.run.Leads(f.site, e.Site) {
					cause = report.NoBarrier // the write comes first in the kernel
				}
				r.product(e.Seq, cause, doer{"reads in flight", f.site, home, i * abi.WarpSize},
					doer{role, e.Site, by, e.Thread(lane)})
			}
		}
	}
}

func (r *Check) proxyFence(st *blockState, e *event.ProxyFence) {
	r.now++
	for m := e.Mask; m != 0; m &= m - 1 {
		st.products.fenced[e.Thread(tool.LaneOf(m))] = r.now
	}
	r.fenceInits(st, &e.Warp)
}

// fenceInits makes the mbarriers that threads have initialised known to copies.
func (r *Check) fenceInits(st *blockState, w *event.Warp) {
	maps.DeleteFunc(st.products.inits, func(_ uint32, s store) bool {
		return s.thread/abi.WarpSize == w.Index && w.Mask>>(s.thread%abi.WarpSize)&1 != 0
	})
}

// unfencedInit finds an mbarrier at which a copy completes, and whose init no fence has made known
// to copies. In a cluster of one block that is for the pedantic: the manual asks for a fence there
// too, and kernels of Triton do without.
func (r *Check) unfencedInit(st *blockState, e *event.Atomic, lane int) {
	home := r.home(st, e.Home)
	if home.Block.ClusterSize() == 1 && !r.run.Pedantic {
		return
	}
	if s, ok := home.products.inits[uint32(e.Addrs[lane])]; ok {
		delete(home.products.inits, uint32(e.Addrs[lane]))
		r.product(e.Seq, report.InitNotFenced, s.as("init"), doer{"copy", e.Site, st, e.Thread(lane)})
	}
}

// productGroups follows commits and waits. A wait of a warp tells the others of its warpgroup
// nothing of their registers, but that their parts of the products have read their factors; for the
// pedantic not that either, see behindWarpgroup.
func (r *Check) productGroups(st *blockState, e *event.AgentOp) {
	warps := st.products.warps
	w := &warps[e.Index]
	switch {
	case e.Engine != event.MatrixEngine:
	case e.Kind == event.AgentCommit:
		w.groups++
	case e.Kind == event.AgentWait:
		over := func(f *flying) bool { return f.group+e.Groups < w.groups }
		w.flying = slices.DeleteFunc(w.flying, over)
		if r.run.Pedantic {
			return
		}
		first := e.Index / event.Warpgroup * event.Warpgroup
		for i := first; i < min(first+event.Warpgroup, len(warps)); i++ {
			for _, f := range warps[i].flying {
				if over(f) {
					f.lines = nil
				}
			}
		}
	}
}

// registers looks at the registers of an instruction that is about to run.
func (r *Check) registers(st *blockState, e *event.Step) {
	r.now++
	w := &st.products.warps[e.Index]
	if e.Site.Does.Agent == ptx.ProductAgent {
		r.startProduct(st, w, e)
		return
	}
	thread := e.Thread(tool.LaneOf(e.Mask))
	for _, f := range w.flying {
		if f.frame != e.Frame {
			continue
		}
		uses := func(list []int) func(int) bool { return func(reg int) bool { return slices.Contains(list, reg) } }
		role := ""
		switch {
		case slices.ContainsFunc(f.sums, uses(e.Site.Reads)):
			role = "read of its sum"
		case slices.ContainsFunc(f.sums, uses(e.Site.Writes)):
			role = "write of its sum"
		case slices.ContainsFunc(f.factor, uses(e.Site.Writes)):
			role = "write of its fragment"
		default:
			continue
		}
		cause := report.SumInFlight
		if f.group == w.groups {
			cause = report.ProductNotCommitted
		}
		r.product(e.Seq, cause, doer{"product", f.site, st, thread}, doer{role, e.Site, st, thread})
	}
	for _, reg := range e.Site.Writes {
		if w.wrote == nil {
			w.wrote = map[register]touched{}
		}
		w.wrote[register{e.Frame, reg}] = touched{r.now, e.Site}
	}
}

// startProduct looks at a fence or a product.
func (r *Check) startProduct(st *blockState, w *warpProducts, e *event.Step) {
	in := e.Site.Instr
	switch e.Site.Does.Kind {
	case ptx.Multiplies:
	case ptx.Fences:
		w.fence = r.now
		return
	default:
		return
	}
	f := &flying{site: e.Site, group: w.groups, frame: e.Frame, sums: e.Site.Writes}
	if v, ok := in.Args[1].(ptx.Vec); ok {
		for _, x := range v {
			if name, ok := x.(ptx.Name); ok {
				if sym, ok := r.run.Scope(e.Site.Func).Lookup(string(name)); ok {
					f.factor = append(f.factor, sym.Reg)
				}
			}
		}
	}
	product := doer{"product", e.Site, st, e.Thread(tool.LaneOf(e.Mask))}
	if w.fence == 0 {
		r.product(e.Seq, report.NoProductFence, product)
	}
	for _, reg := range slices.Concat(f.sums, f.factor) {
		if t := w.wrote[register{e.Frame, reg}]; w.fence != 0 && t.at > w.fence {
			r.product(e.Seq, report.NoProductFence, doer{"write of a register", t.site, st, product.thread}, product)
			break
		}
	}
	w.flying = append(w.flying, f)
}

// A doer is one thread in a finding, with what it did there.
type doer struct {
	role   string
	site   *event.Site
	by     *blockState
	thread int // in the block
}

// as is the thread of a store.
func (s *store) as(role string) doer { return doer{role, s.site, s.by, s.thread} }

// product reports what is wrong between two instructions, or with one.
func (r *Check) product(seq uint64, cause report.Cause, list ...doer) {
	var witnesses []report.Witness
	for _, d := range list {
		w := r.run.Witness(d.role, d.site)
		w.Thread = r.run.Thread(int32(d.by.Linear), int32(d.thread/abi.WarpSize), d.thread%abi.WarpSize)
		witnesses = append(witnesses, w)
	}
	text := productTexts[cause]
	f := &report.Finding{
		Tool: report.Racecheck, Kind: report.Race, Level: report.Error, Cause: cause, Summary: string(cause),
		Witnesses: witnesses, Count: 1, Blocks: 1, Why: text.why, Fix: text.fix,
	}
	if cause == report.NoProxyFence || cause == report.FactorWritten || cause == report.InitNotFenced || cause == report.NoBarrier {
		f.Space = ptx.SharedSpace
	}
	if cause == report.FactorWritten && (list[0].by != list[1].by || list[0].thread/abi.WarpSize != list[1].thread/abi.WarpSize) {
		f.Fix = "gpu.WGMMAWait(0) after the product, and a barrier or an arrival of each of its warps after that, before another warp writes the tile again"
	}
	var order *tool.Order
	if cause == report.NoBarrier {
		product, write := list[0].site, list[1].site
		order = r.run.NewOrder(write, product, nil, tool.OfBlock, "bar.sync 0;", r.split(write.Func, inBlock))
		between := r.between(write, product)
		if order != nil && len(order.Before) > 0 {
			between = r.places(order, inBlock)
		}
		f.Fix = tool.WordsOf(write.Source.File).Barrier + between
	}
	if cause == report.InitNotFenced && list[0].by.ClusterSize() == 1 {
		f.Level = report.Pedantic
	}
	r.run.Add(f, 0, seq)
	r.run.Needs(f, order)
}

// productTexts say why something about products is a race, and what to do.
var productTexts = map[report.Cause]struct{ why, fix string }{
	report.NoProxyFence: {
		"without a proxy fence the asynchronous proxy, by which products and bulk copies read, does not see what a thread writes",
		"gpu.FenceProxyAsync() in the thread that writes, before the barrier; in PTX fence.proxy.async",
	},
	report.InitNotFenced: {
		"a bulk copy completes at the mbarrier, and sees an init only after a fence of the thread that made it",
		"gpu.FenceMBarrierInit() after the init, before the barrier; in PTX fence.mbarrier_init.release.cluster",
	},
	report.FactorWritten: {
		"the product reads its factors at some time before a wait for it",
		"gpu.WGMMAWait(0) after the product, before the tile is written again",
	},
	report.NoBarrier: {"the product reads what other threads write, and no block barrier comes between the two", ""},
	report.SumInFlight: {
		"the product reads and writes these registers at some time before a wait for it",
		"gpu.WGMMAWait(0) before the sum or the fragment is used; in PTX wgmma.wait_group",
	},
	report.ProductNotCommitted: {
		"a wait is for groups of products, and this product is in none",
		"gpu.WGMMACommit() after the product, and gpu.WGMMAWait(0) before the sum or the fragment is used; " +
			"in PTX wgmma.commit_group and wgmma.wait_group",
	},
	report.NoProductFence: {
		"nothing orders the registers of a product and what was done with them before",
		"gpu.WGMMAFence() before the product; in PTX wgmma.fence.sync.aligned",
	},
}
