package main

import (
	_ "embed"
	"math"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
)

// twinsPTX is the C++ of all families, compiled by nvcc 13.0 -O3 -fmad=false -arch=sm_75 -ptx.
//
//go:embed testdata/twins.ptx
var twinsPTX string

// approximate are the kernels that call functions whose results CUDA does not round as gridstride
// does, or that add up in another order.
var approximate = map[string]bool{"Softmax": true, "BlackScholes": true, "NBody": true, "Bilateral": true}

// TestTwins runs each kernel and its twin in CUDA C++ on the simulator. Where each rounds the same
// operations, the results have the same bits.
func TestTwins(t *testing.T) {
	t.Parallel()
	dev, err := gridstride.Open(gridstride.Use("sim"))
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	twins, err := dev.Load("twins.ptx", twinsPTX)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range small.problems() {
		data, err := p.prepare(dev)
		if err != nil {
			t.Fatal(err)
		}
		variants, err := p.variants(dev, data, &rivals{twins: []*gridstride.Module{twins}})
		if err != nil {
			t.Fatal(err)
		}
		all, err := results(t.Context(), dev, data, variants)
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		for k, got := range all {
			if _, err := data.off(got); err != nil {
				t.Errorf("%s, variant %d: %v", p.name, k, err)
			}
		}
		if !approximate[p.name] && !slices.Equal(all[0], all[1]) {
			t.Errorf("%s and its twin differ; want the same bits", p.name)
		}
		if err := data.free(); err != nil {
			t.Error(err)
		}
	}
}

// TestChecked runs each kernel in Go under all checks, which find nothing.
func TestChecked(t *testing.T) {
	t.Parallel()
	for _, p := range small.problems() {
		t.Run(p.family+"/"+p.name, func(t *testing.T) {
			t.Parallel()
			dev := gputest.Device(t)
			data, err := p.prepare(dev)
			if err != nil {
				t.Fatal(err)
			}
			variants, err := p.variants(dev, data, &rivals{})
			if err != nil {
				t.Fatal(err)
			}
			all, err := results(t.Context(), dev, data, variants)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := data.off(all[0]); err != nil {
				t.Error(err)
			}
			if err := data.free(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestFast runs each fast kernel, and compares its result with the reference. Of some the bits are
// not the exact kernel's.
func TestFast(t *testing.T) {
	t.Parallel()
	dev, err := gridstride.Open(gridstride.Use("sim"))
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	others := 0
	for _, p := range fastMode.of(small.problems()) {
		data, err := p.prepare(dev)
		if err != nil {
			t.Fatal(err)
		}
		var variants []launch
		for _, m := range []mode{fastMode, exactMode} {
			v, err := p.variants(dev, data, &rivals{mode: m})
			if err != nil {
				t.Fatal(err)
			}
			variants = append(variants, v...)
		}
		all, err := results(t.Context(), dev, data, variants)
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		far, err := data.off(all[0])
		if err != nil {
			t.Errorf("%sFast: %v", p.name, err)
		}
		if !slices.Equal(all[0], all[1]) {
			t.Logf("%sFast is off by %g, and has other bits than %[1]s", p.name, far)
			others++
		}
		if err := data.free(); err != nil {
			t.Error(err)
		}
	}
	if others < 6 {
		t.Errorf("%d fast kernels have other results than the exact ones; want 6 or more", others)
	}
}

// TestDistance leaves out strays. A result with a NaN is infinitely far away, and so is one of zeros
// alone.
func TestDistance(t *testing.T) {
	t.Parallel()
	x, y := make([]float64, 200), make([]float64, 200)
	if d := distance(x, y, 2); !math.IsInf(d, 1) {
		t.Errorf("of zeros it is %g; want +Inf", d)
	}
	x[0], y[1] = 4, 9
	if d := distance(x, y, 2); d != 0 {
		t.Errorf("with two elements that differ it is %g; want 0", d)
	}
	x[2] = 1
	if d := distance(x, y, 2); d != 1.0/4 {
		t.Errorf("with three elements that differ it is %g; want 1/4", d)
	}
	y[2] = math.NaN()
	if d := distance(x, y, 0); !math.IsInf(d, 1) {
		t.Errorf("with one that is no number it is %g; want +Inf", d)
	}
}
