package cuda

import (
	"unsafe"
)

var (
	procBeginCapture    = proc{name: "cuStreamBeginCapture_v2", needs: 10010}
	procEndCapture      = proc{name: "cuStreamEndCapture", needs: 10000}
	procCaptureInfo     = proc{name: "cuStreamGetCaptureInfo_v2", needs: 11030}
	procCaptureAfter    = proc{name: "cuStreamUpdateCaptureDependencies", needs: 11030}
	procGraphAddEmpty   = proc{name: "cuGraphAddEmptyNode", needs: 10000}
	procGraphDestroy    = proc{name: "cuGraphDestroy", needs: 10000}
	procGraphMake       = proc{name: "cuGraphInstantiateWithFlags", needs: 11040}
	procGraphLaunch     = proc{name: "cuGraphLaunch", needs: 10000}
	procGraphExecEnd    = proc{name: "cuGraphExecDestroy", needs: 10000}
	procGraphExecUpdate = proc{name: "cuGraphExecUpdate_v2", needs: 12000}
	procGraphExecKernel = proc{name: "cuGraphExecKernelNodeSetParams", needs: 10010}
)

// Graph is work and its dependencies, a CUgraph, GraphNode one operation of it, a CUgraphNode, and
// GraphExec a graph that is ready to be launched, a CUgraphExec.
type (
	Graph     uintptr
	GraphNode uintptr
	GraphExec uintptr
)

// BeginCapture makes a graph of the work that is queued on s, instead of running it, until
// EndCapture. It keeps no thread from any call of the driver: the mode is
// CU_STREAM_CAPTURE_MODE_RELAXED.
func (c *Context) BeginCapture(s Stream) error {
	const relaxed = 2
	return c.call(&procBeginCapture, object{}, uintptr(s), relaxed)
}

// EndCapture ends a capture and returns its graph, 0 with an error.
func (c *Context) EndCapture(s Stream) (Graph, error) {
	var g Graph
	err := c.call(&procEndCapture, object{}, uintptr(s), uintptr(unsafe.Pointer(&g)))
	return g, err
}

// CaptureInfo returns the graph of the capture that s is in, and appends to nodes those that the
// next work of s depends on.
func (c *Context) CaptureInfo(s Stream, nodes []GraphNode) (Graph, []GraphNode, error) {
	var out struct {
		status int32
		id, n  uint64
		graph  Graph
		list   *GraphNode
	}
	err := c.call(&procCaptureInfo, object{}, uintptr(s), uintptr(unsafe.Pointer(&out.status)), uintptr(unsafe.Pointer(&out.id)),
		uintptr(unsafe.Pointer(&out.graph)), uintptr(unsafe.Pointer(&out.list)), uintptr(unsafe.Pointer(&out.n)))
	if err != nil || out.n == 0 {
		return out.graph, nodes, err
	}
	return out.graph, append(nodes, unsafe.Slice(out.list, out.n)...), nil
}

// CaptureAfter makes the next work of a stream that is captured depend on some nodes, one at least,
// and on no others.
func (c *Context) CaptureAfter(s Stream, nodes []GraphNode) error {
	const set = 1
	return c.call(&procCaptureAfter, object{}, uintptr(s), uintptr(unsafe.Pointer(unsafe.SliceData(nodes))), uintptr(len(nodes)), set)
}

// AddEmptyNode adds a node to a graph that does nothing and depends on nothing.
func (c *Context) AddEmptyNode(g Graph) (GraphNode, error) {
	var n GraphNode
	err := c.call(&procGraphAddEmpty, object{}, uintptr(unsafe.Pointer(&n)), uintptr(g), 0, 0)
	return n, err
}

// DestroyGraph destroys a graph. Each GraphExec of it stays.
func (c *Context) DestroyGraph(g Graph) error {
	return c.call(&procGraphDestroy, object{}, uintptr(g))
}

// Instantiate makes a graph ready to be launched.
func (c *Context) Instantiate(g Graph) (GraphExec, error) {
	var x GraphExec
	err := c.call(&procGraphMake, object{}, uintptr(unsafe.Pointer(&x)), uintptr(g), 0)
	return x, err
}

// LaunchGraph runs a graph in the order of s, after its earlier launches. No other call may use x
// meanwhile.
func (c *Context) LaunchGraph(x GraphExec, s Stream) error {
	return c.call(&procGraphLaunch, onDevice(c.device), uintptr(x), uintptr(s))
}

// DestroyExec destroys a graph that was instantiated. Launches that are queued still run.
func (c *Context) DestroyExec(x GraphExec) error {
	return c.call(&procGraphExecEnd, object{}, uintptr(x))
}

// UpdateExec gives the nodes of x, from its next launch on, the work of the nodes of a graph of the
// same shape. The error names a change that the driver cannot make.
func (c *Context) UpdateExec(x GraphExec, g Graph) error {
	var info struct {
		result      int32
		node, other GraphNode
	}
	return c.call(&procGraphExecUpdate, object{}, uintptr(x), uintptr(g), uintptr(unsafe.Pointer(&info)))
}

// kernelNodeParams is CUDA_KERNEL_NODE_PARAMS_v1.
type kernelNodeParams struct {
	function      Function
	grid, block   [3]uint32
	shared        uint32
	params, extra uintptr
}

// SetKernelNode changes the launch of a node of x, from x's next launch on: its kernel stays. It
// takes p over. offsets are the parameters' places in their block.
func (c *Context) SetKernelNode(x GraphExec, n GraphNode, f Function, l LaunchConfig, p *Params, offsets []int) error {
	defer paramsPool.Put(p)
	k := kernelNodeParams{function: f, grid: l.Grid, block: l.Block, shared: l.Shared, params: p.addresses(offsets)}
	return c.call(&procGraphExecKernel, object{}, uintptr(x), uintptr(n), uintptr(unsafe.Pointer(&k)))
}
