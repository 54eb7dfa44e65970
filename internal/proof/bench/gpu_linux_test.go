package bench

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/ebitengine/purego"
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/device/cuda/simdriver"
	"github.com/gridstride/gridstride/internal/proof/cublas"
)

// onGPU opens a GPU that the simulator plays, and makes library the cuBLAS that is found.
func onGPU(t *testing.T, memory int64, library func() (*cublas.Library, error)) *gridstride.Device {
	t.Helper()
	driver, err := simdriver.Open(simdriver.Config{Devices: 1, Version: 13000, Memory: memory})
	if err != nil {
		t.Fatal(err)
	}
	cuda.UseStandIn(driver)
	was := loadCUBLAS
	loadCUBLAS = library
	dev, err := gridstride.Open(gridstride.Use("cuda"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
		loadCUBLAS = was
		cuda.UseStandIn(nil)
	})
	return dev
}

// lazy is a cuBLAS that does nothing, with status for its dot product.
func lazy(status uintptr) func() (*cublas.Library, error) {
	return func() (*cublas.Library, error) {
		return cublas.StandIn(func(symbol string) (uintptr, error) {
			return purego.NewCallback(func() uintptr {
				if strings.HasSuffix(symbol, "dot_v2") {
					return status
				}
				return 0
			}), nil
		}), nil
	}
}

// TestOnGPU runs what only a GPU has: shares of what the device is able to, repeated launches, and
// cuBLAS.
func TestOnGPU(t *testing.T) {
	dev := onGPU(t, 16<<20, func() (*cublas.Library, error) { return nil, cublas.ErrNotFound })
	for _, o := range []Options{
		{What: "dot", Sizes: vector(1000, 3000), DType: "float64", Variants: []string{"go", "onepass", "cublas"}},
		{What: "reduce", Sizes: vector(1000), DType: "int32", Variants: []string{"go", "sum"}},
		{What: "matmul", Sizes: []Size{{20, 20, 20}}, DType: "float32", Variants: []string{"go", "tiled-8", "cublas"}},
		{What: "level2", Sizes: vector(40), DType: "float32", Variants: []string{"gemv", "gemv-cublas", "ger", "ger-cpu"}},
		{What: "level3", Sizes: vector(20), DType: "float64", Variants: []string{"gemmbatched", "syrk", "syrk-cublas"}},
	} {
		rows, err := Run(t.Context(), dev, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			switch {
			case strings.HasSuffix(r.Variant, "cublas"):
				if !strings.Contains(r.Skipped, "cuBLAS is not found") || r.Median != 0 {
					t.Errorf("%+v", r)
				}
			case r.Variant == "go" || strings.HasSuffix(r.Variant, "-cpu"):
				if r.Limit != 0 || r.On != "host" {
					t.Errorf("%+v", r)
				}
			case r.Limit <= 0 || r.Share <= 0 || r.Launches < 3 || r.Wrong != "" || r.Counts != nil || r.Device == "" ||
				r.Driver != "CUDA 13.0":
				t.Errorf("%+v", r)
			}
		}
		var text strings.Builder
		if err := Text(&text, rows); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"of " + limitName(o.What), "measured in this run"} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("no %q in\n%s", want, &text)
			}
		}
		if o.What == "dot" && strings.Count(text.String(), "cublas did not run: cuBLAS is not found") != 2 {
			t.Errorf("nothing says that there is no cuBLAS:\n%s", &text)
		}
	}
}

// TestRival: a library that fails loses its row, and one whose result is wrong is found out.
func TestRival(t *testing.T) {
	dev := onGPU(t, 16<<20, lazy(0))
	o := Options{What: "dot", Sizes: vector(100), DType: "float32", Variants: []string{"onepass", "cublas"}, Data: Ramp}
	rows, err := Run(t.Context(), dev, o)
	if err != nil {
		t.Fatal(err)
	}
	if r := rows[1]; !strings.HasPrefix(r.Wrong, "NaN, want 9900: ") || r.Launches == 0 ||
		!strings.HasPrefix(r.About, "NVIDIA's cuBLAS 0.0.0") {
		t.Errorf("%+v", r)
	}
	loadCUBLAS = lazy(13)
	if rows, err = Run(t.Context(), dev, o); err != nil {
		t.Fatal(err)
	}
	if r := rows[1]; !strings.HasSuffix(r.Skipped, "cublasSdot_v2: CUBLAS_STATUS_EXECUTION_FAILED") ||
		rows[0].Skipped != "" {
		t.Errorf("%+v", r)
	}
}

// TestNoRoom: what does not fit is refused before anything is launched.
func TestNoRoom(t *testing.T) {
	// The simulated driver's pinned memory is its device's, and a copy takes some for each
	// goroutine.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	dev := onGPU(t, 64<<20, func() (*cublas.Library, error) { return nil, errors.New("none") })
	for want, n := range map[string]int{
		"the input and working memory are 0.1 GB, and device 0 (Simulated GPU) has 0.1 GB": 6 << 20,
		"the input and working memory are 0.1 GB: make: a buffer of 20971520 bytes on device 0 (Simulated GPU): out " +
			"of device memory": 5 << 20,
	} {
		_, err := Run(t.Context(), dev, Options{What: "dot", Sizes: vector(n), DType: "float32"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("n=%d: %v, want %q", n, err, want)
		}
	}
}

// TestEndToEndOnGPU: calls with pinned memory, on a device that is opened for each size.
func TestEndToEndOnGPU(t *testing.T) {
	onGPU(t, 64<<20, nil)
	rows, err := EndToEnd(t.Context(), func() (*gridstride.Device,
		error) {
		return gridstride.Open(gridstride.Use("cuda"))
	},
		Options{What: "dot", DType: "float32", Sizes: vector(1000, 2000)})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Wrong != "" || r.Simulated || r.Driver != "CUDA 13.0" || r.Total <= 0 {
			t.Errorf("%+v", r)
		}
	}
	if len(rows) != 10 {
		t.Errorf("%d rows", len(rows))
	}
}
