package cuda

import "sync"

var procLaunchHostFunc = proc{name: "cuLaunchHostFunc", needs: 10000}

// hostFuncs are the functions that streams have still to call. C gets one function for all of them,
// for a process has room for some 2,000 callbacks, which are never given back, and the number of
// the Go function as its argument.
var hostFuncs struct {
	sync.Mutex
	callback uintptr
	last     uintptr
	waiting  map[uintptr]hostFunc
}

type hostFunc struct {
	of   *Context
	call func()
	kept bool // for more calls than one
}

// LaunchHostFunc has f called in the order of s, on a thread of the driver's. f must not call the
// driver. Where the context is lost before, f is not called.
func (c *Context) LaunchHostFunc(s Stream, f func()) error {
	_, err := c.launchHostFunc(s, hostFunc{of: c, call: f})
	return err
}

// CaptureHostFunc is LaunchHostFunc for a stream that is captured: each launch of the graph calls f,
// until the number is given to DropHostFunc.
func (c *Context) CaptureHostFunc(s Stream, f func()) (number uintptr, err error) {
	return c.launchHostFunc(s, hostFunc{of: c, call: f, kept: true})
}

// DropHostFunc forgets a function that no graph calls any more.
func (c *Context) DropHostFunc(number uintptr) {
	h := &hostFuncs
	h.Lock()
	defer h.Unlock()
	delete(h.waiting, number)
}

func (c *Context) launchHostFunc(s Stream, f hostFunc) (uintptr, error) {
	h := &hostFuncs
	h.Lock()
	if h.waiting == nil {
		h.callback, h.waiting = newCallback(callHostFunc), map[uintptr]hostFunc{}
	}
	h.last++
	number, callback := h.last, h.callback
	h.waiting[number] = f
	h.Unlock()
	err := c.call(&procLaunchHostFunc, object{}, uintptr(s), callback, number)
	if err != nil {
		c.DropHostFunc(number)
	}
	return number, err
}

// callHostFunc is the function that C calls.
func callHostFunc(number uintptr) uintptr {
	if f := takeHostFunc(number); f.call != nil {
		f.call()
	}
	return 0
}

func takeHostFunc(number uintptr) hostFunc {
	h := &hostFuncs
	h.Lock()
	defer h.Unlock()
	f := h.waiting[number]
	if !f.kept {
		delete(h.waiting, number)
	}
	return f
}

// dropHostFuncs forgets the functions of a context that is given back: they are not called any
// more.
func (c *Context) dropHostFuncs() {
	h := &hostFuncs
	h.Lock()
	defer h.Unlock()
	for number, f := range h.waiting {
		if f.of == c {
			delete(h.waiting, number)
		}
	}
}
