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
}

// LaunchHostFunc has f called in the order of s, on a thread of the driver's. f must not call the
// driver. Where the context is lost before, f is not called.
func (c *Context) LaunchHostFunc(s Stream, f func()) error {
	h := &hostFuncs
	h.Lock()
	if h.waiting == nil {
		h.callback, h.waiting = newCallback(callHostFunc), map[uintptr]hostFunc{}
	}
	h.last++
	number, callback := h.last, h.callback
	h.waiting[number] = hostFunc{c, f}
	h.Unlock()
	err := c.call(&procLaunchHostFunc, object{}, uintptr(s), callback, number)
	if err != nil {
		takeHostFunc(number)
	}
	return err
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
	delete(h.waiting, number)
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
