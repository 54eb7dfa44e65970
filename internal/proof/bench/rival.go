package bench

import (
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/proof/cublas"
	"github.com/gridstride/gridstride/internal/proof/openblas"
)

// rival is cuBLAS on the bencher's stream: what our kernels are compared with.
type rival struct {
	handle  *cublas.Handle
	about   string
	missing string // why there is none
}

func newRival(s *gridstride.Stream) *rival {
	lib, err := loadCUBLAS()
	if err != nil {
		return &rival{missing: err.Error()}
	}
	h, err := lib.NewHandle(s)
	if err != nil {
		return &rival{missing: fmt.Sprintf("%s: %v", lib.Path(), err)}
	}
	version, err := h.Version()
	if err != nil {
		return &rival{handle: h, missing: fmt.Sprintf("%s: %v", lib.Path(), err)}
	}
	return &rival{handle: h, about: "NVIDIA's cuBLAS " + version + ", the result left on the device, TF32 off"}
}

// loadCUBLAS finds the library. Tests replace it.
var loadCUBLAS = cublas.Load

// candidate is the library's row. fill says what it runs, if there is a library.
func (r *rival) candidate(fill func(h *cublas.Handle, e *candidate)) candidate {
	return r.named("cublas", fill)
}

func (r *rival) named(variant string, fill func(h *cublas.Handle, e *candidate)) candidate {
	e := candidate{variant: variant, about: r.about, rival: true, skipped: r.missing}
	if r.missing == "" {
		fill(r.handle, &e)
	}
	return e
}

func (r *rival) close() error {
	if r == nil || r.handle == nil {
		return nil
	}
	return r.handle.Close()
}

// loadOpenBLAS finds the rival on the processor. Tests replace it.
var loadOpenBLAS = openblas.Load

// openBLAS is the row of a function of OpenBLAS, which uses all cores, too.
func openBLAS(variant string, fill func(l *openblas.Library, e *candidate)) candidate {
	e := candidate{variant: variant, rival: true}
	l, err := loadOpenBLAS()
	if err != nil {
		e.skipped = err.Error()
		return e
	}
	e.about = l.About()
	fill(l, &e)
	return e
}
