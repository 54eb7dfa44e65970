package cudadev

import (
	"slices"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/cuda"
)

// lowered is a graph of the driver, made of nodes.
type lowered struct {
	graph cuda.Graph
	last  [][]cuda.GraphNode // of each node, what those that depend on it depend on
	host  [][]byte           // pinned memory with what nodes copy from the host
	room  []byte             // the rest of the last of host
	funcs []uintptr          // numbers of the functions that it calls
}

// lower makes a graph of the driver. The error is the driver's.
func (x *graphExec) lower(nodes []device.Node) (_ *lowered, err error) {
	b, s := x.b, x.own
	for i := range nodes { // before the capture: it makes fault records
		if l := nodes[i].Launch; l != nil {
			if _, err := s.use(b.kernels.At(l.Kernel.ID), l.Kernel); err != nil {
				return nil, err
			}
		}
	}
	if s.handle, err = b.ctx.NewStream(); err != nil {
		return nil, err
	}
	defer func() {
		_ = b.ctx.DestroyStream(s.handle)
		s.handle, s.lowers = 0, nil
	}()
	if err := b.ctx.BeginCapture(s.handle); err != nil {
		return nil, err
	}
	m := &lowered{}
	s.lowers = m
	err = m.addAll(s, nodes)
	g, ended := b.ctx.EndCapture(s.handle)
	m.graph = g
	if err == nil {
		err = ended
	}
	if err != nil {
		m.free(b)
		return nil, err
	}
	return m, nil
}

// addAll queues the nodes on a stream that is captured, each after those that it depends on.
func (m *lowered) addAll(s *stream, nodes []device.Node) error {
	ctx := s.b.ctx
	roots, err := m.root(s, nodes)
	if err != nil {
		return err
	}
	together := map[device.KernelID][]cuda.GraphNode{}
	m.last = make([][]cuda.GraphNode, len(nodes))
	var now []cuda.GraphNode // what the next work of the stream depends on
	for i := range nodes {
		n := &nodes[i]
		deps := slices.Clone(roots)
		if len(n.Deps) > 0 {
			deps = deps[:0]
		}
		for _, d := range n.Deps {
			deps = append(deps, m.last[d]...)
		}
		cooperative := n.Launch != nil && n.Launch.Kernel.Cooperative
		if cooperative { // its grids meet in the words of one record, so they run one after the other
			deps = append(deps, together[n.Launch.Kernel.ID]...)
		}
		slices.Sort(deps)
		deps = slices.Compact(deps)
		if len(deps) > 0 && !slices.Equal(deps, now) {
			if err := ctx.CaptureAfter(s.handle, deps); err != nil {
				return err
			}
		}
		if err := n.Queue(s); err != nil {
			return err
		}
		if _, m.last[i], err = ctx.CaptureInfo(s.handle, nil); err != nil {
			return err
		}
		now = m.last[i]
		if cooperative {
			together[n.Launch.Kernel.ID] = now
		}
	}
	return nil
}

// root is a node that does nothing, for the nodes that depend on nothing if there are several: the
// stream has to be told what each depends on.
func (m *lowered) root(s *stream, nodes []device.Node) ([]cuda.GraphNode, error) {
	roots := 0
	for i := range nodes {
		if len(nodes[i].Deps) == 0 {
			roots++
		}
	}
	if roots < 2 {
		return nil, nil
	}
	g, _, err := s.b.ctx.CaptureInfo(s.handle, nil)
	if err != nil {
		return nil, err
	}
	n, err := s.b.ctx.AddEmptyNode(g)
	return []cuda.GraphNode{n}, err
}

// keep copies bytes of the host to pinned memory of the graph.
func (m *lowered) keep(c *cuda.Context, src []byte) ([]byte, error) {
	const least, align = 64 << 10, 256
	size := (len(src) + align - 1) / align * align
	if size > len(m.room) {
		mem, err := c.AllocHost(int64(max(size, least)))
		if err != nil {
			return nil, err
		}
		m.host, m.room = append(m.host, mem), mem
	}
	mem := m.room[:len(src)]
	m.room = m.room[size:]
	copy(mem, src)
	return mem, nil
}

// free gives the graph back, which nothing launches any more.
func (m *lowered) free(b *Backend) {
	if m.graph != 0 {
		_ = b.ctx.DestroyGraph(m.graph)
	}
	for _, mem := range m.host {
		_ = b.ctx.FreeHost(mem)
	}
	for _, f := range m.funcs {
		b.ctx.DropHostFunc(f)
	}
}

// copyKept queues a copy from the host on a stream that is captured: from pinned memory of the
// graph, unless src is pinned itself, which each launch reads anew.
func (s *stream) copyKept(dst uint64, src []byte) error {
	if release := s.b.pins.hold(src); release != nil {
		defer release()
	} else {
		kept, err := s.lowers.keep(s.b.ctx, src)
		if err != nil {
			return err
		}
		src = kept
	}
	return s.startInside(func() error { return s.b.ctx.CopyIn(cuda.DevicePtr(dst), src, s.handle) })
}
