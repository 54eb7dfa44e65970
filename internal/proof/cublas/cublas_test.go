package cublas

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ebitengine/purego"
	"github.com/gridstride/gridstride"
)

// stream is a stream of a GPU that is not there.
type stream struct{}

func (stream) Native(f func(stream uintptr) error) error { return f(0x57) }

// calls replaces the library and records the arguments of its calls. It returns status.
type calls struct {
	log    [][]uintptr
	names  []string
	status uintptr
}

// library makes the stand-in. Its functions take as many arguments as the widest.
func (c *calls) library() *Library {
	addrs := map[string]uintptr{}
	return StandIn(func(symbol string) (uintptr, error) {
		if addrs[symbol] == 0 {
			addrs[symbol] = purego.NewCallback(func(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13 uintptr) uintptr {
				c.names = append(c.names, symbol)
				c.log = append(c.log, []uintptr{a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13})
				return c.status
			})
		}
		return addrs[symbol], nil
	})
}

func buffer(t *testing.T, n int) gridstride.Buffer[float32] {
	t.Helper()
	dev, err := gridstride.Open(gridstride.Use("sim"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := gridstride.Make[float32](dev, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(b.Free(), dev.Close()); err != nil {
			t.Error(err)
		}
	})
	return b
}

// TestCalls holds the calls to the argument lists of the manual.
func TestCalls(t *testing.T) {
	c := &calls{}
	h, err := c.library().NewHandle(stream{})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.log[1]; c.names[1] != "cublasSetStream_v2" || got[1] != 0x57 {
		t.Errorf("%s(%v)", c.names[1], got)
	}
	all := buffer(t, 6+12+8+1)
	a, b, d, result := all.Slice(0, 6), all.Slice(6, 18), all.Slice(18, 26), all.Slice(26, 27)

	c.names, c.log = nil, nil
	if err := Dot(h, a, b.Slice(0, 6), result); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.names, []string{"cublasSetPointerMode_v2", "cublasSdot_v2"}) || c.log[0][1] != pointerModeDevice {
		t.Errorf("%v, %v", c.names, c.log)
	}
	if want := []uintptr{0, 6, a.DevicePtr(), 1, b.DevicePtr(), 1, result.DevicePtr()}; !slices.Equal(c.log[1][:7], want) {
		t.Errorf("Sdot%v, want %v", c.log[1][:7], want)
	}

	c.names, c.log = nil, nil
	if err := Gemm(h, 2, 3, 4, a, b, d); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.names, []string{"cublasSetPointerMode_v2", "cublasSgemm_v2"}) || c.log[0][1] != pointerModeHost {
		t.Errorf("%v, %v", c.names, c.log)
	}
	got := c.log[1]
	got[6], got[11] = 0, 0 // the addresses of 1 and 0
	if want := []uintptr{0, 0, 0, 4, 2, 3, 0, b.DevicePtr(), 4, a.DevicePtr(), 3, 0, d.DevicePtr(), 4}; !slices.Equal(got, want) {
		t.Errorf("Sgemm%v, want %v", got, want)
	}
	if err := h.Close(); err != nil || c.names[2] != "cublasDestroy_v2" {
		t.Errorf("%v after %v", err, c.names)
	}
}

// TestLevels compares the calls that measurements make with the argument lists of the manual, as
// far as the stand-in records them. A matrix stored by rows is its transpose to cuBLAS.
func TestLevels(t *testing.T) {
	c := &calls{}
	h, err := c.library().NewHandle(stream{})
	if err != nil {
		t.Fatal(err)
	}
	c.names, c.log = nil, nil
	all := buffer(t, 64)
	x, y, a, one := all.Slice(0, 3), all.Slice(3, 5), all.Slice(5, 11), all.Slice(11, 12)
	px, py, pa, p1 := x.DevicePtr(), y.DevicePtr(), a.DevicePtr(), one.DevicePtr()
	const factor = 0 // an address of the host's
	for i, call := range []struct {
		name    string
		mode    uintptr
		err     error
		want    []uintptr
		factors []int
	}{
		{"cublasSnrm2_v2", pointerModeDevice, Nrm2(h, x, one), []uintptr{3, px, 1, p1}, nil},
		{"cublasSasum_v2", pointerModeDevice, Asum(h, x, one), []uintptr{3, px, 1, p1}, nil},
		{"cublasSaxpy_v2", pointerModeDevice, Axpy(h, one, x, a.Slice(0, 3)), []uintptr{3, p1, px, 1, pa, 1}, nil},
		{"cublasSgemv_v2", pointerModeHost, Gemv(h, false, 2, 3, a, x, y), []uintptr{transposed, 3, 2, factor, pa, 3, px, 1, factor, py, 1}, []int{3, 8}},
		{"cublasSgemv_v2", pointerModeHost, Gemv(h, true, 2, 3, a, y, x), []uintptr{asTheyAre, 3, 2, factor, pa, 3, py, 1, factor, px, 1}, []int{3, 8}},
		{"cublasSger_v2", pointerModeHost, Ger(h, 2, 3, y, x, a), []uintptr{3, 2, factor, px, 1, py, 1, pa, 3}, []int{2}},
		{"cublasSsyrk_v2", pointerModeHost, Syrk(h, 2, 3, a, all.Slice(20, 24)),
			[]uintptr{lower, transposed, 2, 3, factor, pa, 3, factor, all.Slice(20, 24).DevicePtr(), 2}, []int{4, 7}},
		{"cublasSgemmStridedBatched", pointerModeHost, GemmStridedBatched(h, 2, 5, all, all.Slice(20, 40), all.Slice(40, 60)),
			[]uintptr{asTheyAre, asTheyAre, 2, 2, 2, factor, all.Slice(20, 40).DevicePtr(), 2, 4, all.DevicePtr(), 2, 4, factor}, []int{5, 12}},
	} {
		if call.err != nil {
			t.Fatal(call.err)
		}
		mode, got := c.log[2*i], c.log[2*i+1][1:]
		if name := c.names[2*i+1]; name != call.name || mode[1] != call.mode {
			t.Errorf("%s with pointer mode %d, want %s with %d", name, mode[1], call.name, call.mode)
		}
		for _, i := range call.factors {
			if got[i] == 0 {
				t.Errorf("%s has no factor as argument %d", call.name, i)
			}
			got[i] = factor
		}
		if got = got[:len(call.want)]; !slices.Equal(got, call.want) {
			t.Errorf("%s%v, want %v", call.name, got, call.want)
		}
	}
	if err := GemmStridedBatched(h, maxInt+1, 1, all, all, all); err == nil || !strings.Contains(err.Error(), "takes sizes of up to") {
		t.Errorf("%v", err)
	}
}

func TestErrors(t *testing.T) {
	c := &calls{}
	h, err := c.library().NewHandle(stream{})
	if err != nil {
		t.Fatal(err)
	}
	x := buffer(t, 4)
	c.status = 13
	for want, err := range map[string]error{
		"cublasSetPointerMode_v2: CUBLAS_STATUS_EXECUTION_FAILED": Dot(h, x, x, x),
		"x has 4 elements and y 3":                                Dot(h, x, x.Slice(0, 3), x),
		"the result has no element":                               Dot(h, x, x, x.Slice(0, 0)),
		"sizes -1, 1 and 1":                                       Gemm(h, -1, 1, 1, x, x, x),
		"4, 4 and 3 elements for matrices of 2x2, 2x2 and 2x2":    Gemm(h, 2, 2, 2, x, x, x.Slice(0, 3)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	c.status = 7
	if _, err := c.library().NewHandle(stream{}); !errors.Is(err, Status(7)) || !strings.Contains(err.Error(), "CUBLAS_STATUS_INVALID_VALUE") {
		t.Errorf("%v", err)
	}
	old := StandIn(func(symbol string) (uintptr, error) { return 0, errors.New("undefined symbol") })
	if _, err := old.NewHandle(stream{}); err == nil || err.Error() != "cuBLAS (a stand-in) has no cublasCreate_v2: undefined symbol" {
		t.Errorf("%v", err)
	}
	if s := Status(99).Error(); s != "cublasStatus_t 99" {
		t.Errorf("%q", s)
	}
}

// TestCandidates: the loader's own search goes first, then what is installed, newer before older.
func TestCandidates(t *testing.T) {
	env := map[string]string{"HOME": "/home/u", "VIRTUAL_ENV": "/venv"}
	there := map[string]bool{
		"/usr/local/cuda*/lib64/libcublas.so.12":                           true,
		"/venv/lib/python3*/site-packages/nvidia/*/lib/libcublas.so.13":    true,
		"/home/u/.local/lib/python3*/dist-packages/nvidia/*/lib/libx.so.1": true,
	}
	got := candidates("linux", func(k string) string { return env[k] }, func(pattern string) []string {
		if there[pattern] {
			return []string{strings.ReplaceAll(pattern, "*", "")}
		}
		return nil
	})
	want := []string{"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "/venv/lib/python3/site-packages/nvidia//lib/libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.12"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	getenv := func(name string) string { return map[string]string{"CUDA_PATH": "/cuda"}[name] }
	if got := candidates("windows", getenv, nil); len(got) != 6 || got[0] != filepath.FromSlash("/cuda/bin/x64/cublas64_13.dll") {
		t.Errorf("%q", got)
	}
	if got := candidates("windows", func(string) string { return "" }, nil); len(got) != 0 {
		t.Errorf("a library anywhere: %q", got)
	}
}

func TestNotFound(t *testing.T) {
	if _, err := first([]string{"libgridstride-none.so"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
	if _, err := first([]string{"/dev/null"}); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("a file that is no library: %v", err)
	}
}
