package gridstride_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
)

func TestOpen(t *testing.T) {
	const unknown = "; a device is sim, sim:sm_80, cuda or cuda:1"
	tests := []struct {
		env  string
		use  []gridstride.Option
		want string // the backend, or the error
	}{
		{env: "sim", want: "sim"},
		{env: "cuda", use: []gridstride.Option{gridstride.Use("sim")}, want: "sim"},
		{env: "cuda:x", want: `open: GRIDSTRIDE_DEVICE asks for "cuda:x"` + unknown},
		{env: "cuda:-1", want: `open: GRIDSTRIDE_DEVICE asks for "cuda:-1"` + unknown},
		{env: "sim:1", want: `open: GRIDSTRIDE_DEVICE asks for "sim:1"` + unknown},
		{env: "sim", use: []gridstride.Option{gridstride.Use("gpu")}, want: `open: gridstride.Use asks for "gpu"` + unknown},
		{env: "sim", use: []gridstride.Option{gridstride.SimMemory(-1)}, want: "open: a device memory of -1 bytes"},
	}
	for _, tt := range tests {
		t.Setenv("GRIDSTRIDE_DEVICE", tt.env)
		dev, err := gridstride.Open(tt.use...)
		if err != nil {
			if err.Error() != tt.want {
				t.Errorf("%q: error %q, want %q", tt.env, err, tt.want)
			}
			continue
		}
		if info := dev.Info(); info.Backend != tt.want || dev.String() != "device 0 (simulator)" || info.MaxThreads != 1024 {
			t.Errorf("%q opens %v, %+v; want %s", tt.env, dev, info, tt.want)
		}
		must(t, dev.Close())
	}
}

// TestChoose asks for devices that are not there. What is there is tested by every other test.
func TestChoose(t *testing.T) {
	for env, want := range map[string]string{
		"cuda:77": "open: GRIDSTRIDE_DEVICE=cuda:77: ",
		"sim":     "",
	} {
		t.Setenv("GRIDSTRIDE_DEVICE", env)
		dev, err := gridstride.Open()
		switch {
		case want == "":
			if err != nil {
				t.Errorf("%s: %v", env, err)
			} else if dev.Info().Why != "GRIDSTRIDE_DEVICE="+env {
				t.Errorf("%s: chosen because %s", env, dev.Info().Why)
			}
		case err == nil || !strings.HasPrefix(err.Error(), want):
			t.Errorf("%s: %v, want %s…", env, err, want)
		}
		if dev != nil {
			_ = dev.Close()
		}
	}
	t.Setenv("GRIDSTRIDE_DEVICE", "")
	dev, err := gridstride.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	if info := dev.Info(); info.Backend == "sim" && !strings.HasPrefix(info.Why, "no GPU: ") || info.Backend == "cuda" && info.Why != "the first GPU" {
		t.Errorf("%s was chosen because %s", info.Name, info.Why)
	}
}

// TestOpenGPU asks for a GPU that no machine has: the error says what was asked for, by whom.
func TestOpenGPU(t *testing.T) {
	t.Setenv("GRIDSTRIDE_DEVICE", "cuda:1000")
	_, err := gridstride.Open()
	if !errors.Is(err, gridstride.ErrNoDevice) || !strings.Contains(err.Error(), "GRIDSTRIDE_DEVICE") || !strings.Contains(err.Error(), "cuda:1000") {
		t.Errorf("GPU 1000: %v", err)
	}
}

func TestDevicesAreNumbered(t *testing.T) {
	a, b := open(t), open(t)
	if !strings.HasPrefix(a.String(), "device 0 (") || !strings.HasPrefix(b.String(), "device 1 (") {
		t.Errorf("two devices are %v and %v", a, b)
	}
	must(t, a.Close())
	if c := open(t); !strings.HasPrefix(c.String(), "device 0 (") {
		t.Errorf("a device opened after device 0 was closed is %v", c)
	}
}

func TestOutOfMemory(t *testing.T) {
	dev := open(t, gridstride.Use("sim"), gridstride.SimMemory(1<<20))
	a, err := gridstride.Make[byte](dev, 600<<10)
	must(t, err)
	_, err = gridstride.Make[float32](dev, 150<<10)
	wantError(t, err, gridstride.ErrOutOfMemory,
		"make: a buffer of 614400 bytes on device 0 (simulator): out of device memory: 614400 of 1048576 bytes are in use, 614400 of them by 1 live buffer")
	_, err = gridstride.CopyOf(dev, make([]float32, 150<<10))
	if err == nil {
		t.Error("CopyOf of more than fits: no error")
	}
	must(t, a.Free())
	b, err := gridstride.Make[float32](dev, 150<<10)
	must(t, err)
	must(t, b.Free())
}

func TestClose(t *testing.T) {
	dev, err := gridstride.Open()
	must(t, err)
	s, k := dev.NewStream(), kernel(t, dev, "nothing")
	m, err := dev.Load("kernels.ptx", kernels)
	must(t, err)
	e := s.Record()
	var kept []gridstride.Buffer[float32]
	for range 3 {
		b, err := gridstride.Make[float32](dev, 10)
		must(t, err)
		kept = append(kept, b)
	}
	must(t, s.Wait(t.Context()))

	err = dev.Close()
	wantError(t, err, gridstride.ErrLeak, regexp.MustCompile(`\d+$`).ReplaceAllString(
		"close "+dev.String()+": not freed: 3 buffers (120 bytes), 3 made at open_test.go:0", regexp.MustCompile(`\d+$`).FindString(err.Error())))
	must(t, dev.Close())
	if u := dev.Usage(); u.Buffers != 0 {
		t.Errorf("a closed device holds %+v", u)
	}

	closed := ": " + dev.String() + " is closed"
	_, err = gridstride.Make[int](dev, 1)
	wantError(t, err, gridstride.ErrClosed, "make"+closed)
	_, err = gridstride.CopyOf(dev, []int{1})
	wantError(t, err, gridstride.ErrClosed, "make"+closed)
	_, err = kept[0].Read(t.Context(), s, nil)
	wantError(t, err, gridstride.ErrClosed, "read"+closed)
	wantError(t, kept[0].Zero(s), gridstride.ErrClosed, "zero"+closed)
	wantError(t, s.Record().Wait(t.Context()), gridstride.ErrClosed, "record"+closed)
	wantError(t, dev.Stream().Record().Wait(t.Context()), gridstride.ErrClosed, "record"+closed)
	wantClosed(t, s.Wait(t.Context()))
	wantError(t, s.After(e), gridstride.ErrClosed, "after"+closed)
	wantError(t, k.Launch(s, gridstride.Grid(1).Block(1)), gridstride.ErrClosed, "launch nothing"+closed)
	_, err = dev.Load("x.ptx", kernels)
	wantError(t, err, gridstride.ErrClosed, "load x.ptx"+closed)
	_, err = m.Kernel("nothing")
	wantError(t, err, gridstride.ErrClosed, "kernel nothing: module kernels.ptx is closed")
	must(t, e.Wait(t.Context())) // it happened
	must(t, kept[0].Free())
	wantError(t, kept[0].Free(), gridstride.ErrFreed, kept[0].Free().Error())
	s.Close()
	m.Close()
}
