package profile

import (
	"fmt"
	"io"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/counters"
)

// Limits are the most that a device does in a second: its roofs (S. Williams, A. Waterman, D.
// Patterson, "Roofline: An Insightful Visual Performance Model for Multicore Architectures", CACM 52(4),
// 2009). 0 is a limit that is not known, or a unit that the device does not have.
type Limits struct {
	Device string  `json:"device"`
	Source string  `json:"source"` // of the numbers
	Memory float64 `json:"memory"` // bytes, read and written together
	// Operations, where a multiply-add is two. Tensor cores multiply dense matrices.
	Float32    float64 `json:"float32,omitempty"`
	Float64    float64 `json:"float64,omitempty"`
	Half       float64 `json:"half,omitempty"`
	Tensor16   float64 `json:"tensor16,omitempty"`
	TensorTF32 float64 `json:"tensorTF32,omitempty"`
	Tensor8    float64 `json:"tensor8,omitempty"`
	Tensor64   float64 `json:"tensor64,omitempty"`
}

const hopper = "NVIDIA H100 Tensor Core GPU Architecture, 2022, H100 SXM5, dense"

// Published are limits that NVIDIA states, by the names that -device takes.
var Published = map[string]Limits{
	"h100": {Device: "H100 SXM", Source: hopper, Memory: 3.35e12, Float32: 66.9e12, Float64: 33.5e12, Half: 133.8e12,
		Tensor16: 989.4e12, TensorTF32: 494.7e12, Tensor8: 1978.9e12, Tensor64: 66.9e12},
	"h200": {Device: "H200 SXM", Source: "NVIDIA H200 Tensor Core GPU Datasheet, 2023, for memory; " + hopper,
		Memory: 4.8e12, Float32: 66.9e12, Float64: 33.5e12, Half: 133.8e12,
		Tensor16: 989.4e12, TensorTF32: 494.7e12, Tensor8: 1978.9e12, Tensor64: 66.9e12},
	"a100": {Device: "A100 SXM 40 GB", Source: "NVIDIA A100 Tensor Core GPU Architecture, 2020, dense",
		Memory: 1.555e12, Float32: 19.5e12, Float64: 9.7e12, Half: 78e12,
		Tensor16: 312e12, TensorTF32: 156e12, Tensor8: 624e12, Tensor64: 19.5e12},
	"v100": {Device: "V100 SXM2", Source: "NVIDIA Tesla V100 GPU Architecture, 2017",
		Memory: 0.9e12, Float32: 15.7e12, Float64: 7.8e12, Half: 31.4e12, Tensor16: 125e12},
}

// Roofline says which limit of a device bounds a kernel, all its launches together.
type Roofline struct {
	Device string `json:"device"`
	// Bytes are those that memory must give or take, in sectors, however large the caches are.
	Bytes      uint64 `json:"bytes"`
	Operations uint64 `json:"operations"`
	// Intensity is the operations a byte.
	Intensity float64 `json:"intensity"`
	// Bound is the limit that the kernel takes longest at: "memory", "float32", "tensor16". It is ""
	// where no limit is known for what the kernel does.
	Bound string `json:"bound"`
	// LeastSeconds is the time at that limit. No run takes less, unless an earlier one has left data in
	// the caches.
	LeastSeconds float64 `json:"leastSeconds"`
	// Unknown names operations for which the device has no limit that is known.
	Unknown []string `json:"unknown,omitempty"`
}

// roof is something that a kernel does, and how much of it the device does in a second.
type roof struct {
	name string
	done uint64
	rate float64
}

func roofsOf(c *counters.Counts, l *Limits) []roof {
	o := &c.Operations
	return []roof{
		{"memory", c.MemorySectors * counters.SectorSize, l.Memory},
		{"float32", o.Float32, l.Float32}, {"float64", o.Float64, l.Float64}, {"half", o.Half, l.Half},
		{"tensor16", o.Tensor16, l.Tensor16}, {"tensorTF32", o.TensorTF32, l.TensorTF32},
		{"tensor8", o.Tensor8, l.Tensor8}, {"tensor64", o.Tensor64, l.Tensor64},
	}
}

// rooflineOf is the roofline of what was counted.
func rooflineOf(c *counters.Counts, l *Limits) *Roofline {
	r := &Roofline{Device: l.Device, Bytes: c.MemorySectors * counters.SectorSize, Operations: c.Operations.Total()}
	if r.Bytes > 0 {
		r.Intensity = float64(r.Operations) / float64(r.Bytes)
	}
	for _, at := range roofsOf(c, l) {
		switch {
		case at.done == 0:
		case at.rate <= 0:
			r.Unknown = append(r.Unknown, at.name)
		case float64(at.done)/at.rate > r.LeastSeconds:
			r.Bound, r.LeastSeconds = at.name, float64(at.done)/at.rate
		}
	}
	return r
}

// On adds to each kernel what bounds it on a device.
func (r *Report) On(l *Limits) {
	r.Limits = l
	for _, k := range r.Kernels {
		k.Roofline = rooflineOf(&k.Total.Counts, l)
	}
}

// roofline writes what bounds a kernel.
func (k *Kernel) roofline(w io.Writer, l *Limits) {
	if k.Roofline == nil {
		return
	}
	r := k.Roofline
	fmt.Fprintf(w, "on %s: %s bytes", r.Device, grouped(r.Bytes))
	for _, at := range roofsOf(&k.Total.Counts, l)[1:] {
		if at.done > 0 {
			fmt.Fprintf(w, ", %s %s operations", grouped(at.done), at.name)
		}
	}
	if r.Operations > 0 && r.Bytes > 0 {
		fmt.Fprintf(w, ", %.3g a byte", r.Intensity)
	}
	switch {
	case r.Bound == "":
		fmt.Fprint(w, "; nothing bounds it")
	case r.Bound == "memory":
		fmt.Fprintf(w, "; bound by memory, %.4g GB/s", l.Memory/1e9)
	default:
		for _, at := range roofsOf(&k.Total.Counts, l) {
			if at.name == r.Bound {
				fmt.Fprintf(w, "; bound by %s, %.4g TFLOP/s", r.Bound, at.rate/1e12)
			}
		}
	}
	if r.Bound != "" {
		fmt.Fprintf(w, ": at least %s", seconds(r.LeastSeconds))
	}
	if len(r.Unknown) > 0 {
		fmt.Fprintf(w, "; no limit is known for %s", strings.Join(r.Unknown, ", "))
	}
	fmt.Fprint(w, "\n\n")
}

// seconds is a time as people read it.
func seconds(s float64) string {
	switch {
	case s < 1e-6:
		return fmt.Sprintf("%.3g ns", s*1e9)
	case s < 1e-3:
		return fmt.Sprintf("%.3g µs", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.3g ms", s*1e3)
	}
	return fmt.Sprintf("%.4g s", s)
}
