package gridstride_test

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

func TestLaunch(t *testing.T) {
	dev := open(t)
	s, k := dev.Stream(), kernel(t, dev, "scale")
	for _, n := range sizes {
		for _, blocks := range []int{1, 3} {
			host := ramp(n)
			b := copyOf(t, dev, host)
			lo := min(1, n)
			must(t, k.Launch(s, gridstride.Grid(blocks).Block(64), b.Slice(lo, n), float32(3)))
			for i := lo; i < n; i++ {
				host[i] *= 3
			}
			if got := read(t, s, b); !slices.Equal(got, host) {
				t.Errorf("n = %d, %d blocks: got %v, want %v", n, blocks, got, host)
			}
			must(t, b.Free())
		}
	}
}

// TestLargeParams launches a kernel with more parameters than PTX before 8.1 may have.
func TestLargeParams(t *testing.T) {
	dev := open(t)
	m, err := dev.Load("large.ptx", `.version 8.1
.target sm_70
.address_size 64
.visible .entry last(.param .u64 .ptr .global .align 4 out, .param .align 4 .b8 values[20004])
{
	.reg .b64 %p;
	.reg .b32 %x;
	ld.param.u64 %p, [out];
	ld.param.u32 %x, [values+20000];
	st.global.u32 [%p], %x;
	ret;
}`)
	must(t, err)
	k, err := m.Kernel("last")
	must(t, err)
	out := copyOf(t, dev, make([]int32, 1))
	for _, want := range []int32{7, -9} {
		values := [5001]int32{5000: want}
		must(t, k.Launch(dev.Stream(), gridstride.Grid(1).Block(1), out, values))
		if got := read(t, dev.Stream(), out); got[0] != want {
			t.Errorf("got %d, want %d", got[0], want)
		}
	}
}

// TestDim3 converts between the host's Dim3 and the device's.
func TestDim3(t *testing.T) {
	d := gpu.Dim3{X: 4, Y: 2, Z: 1}
	if got := gridstride.Dim3(d); got.String() != "(4,2,1)" || gpu.Dim3(got) != d {
		t.Errorf("%v becomes %v", d, got)
	}
}

// TestParams sends every kind of parameter through the parameter block.
func TestParams(t *testing.T) {
	dev := open(t)
	s, k := dev.Stream(), kernel(t, dev, "params")
	out := copyOf(t, dev, make([]byte, 176))
	must(t, k.Launch(s, gridstride.Grid(1).Block(1), out,
		true, int8(-2), uint16(0xfedc), int32(-100000), float32(1.5), -1<<40, math.Pi, point{1, 2, 3}, [3]uint16{7, 8, 9}, uint64(1<<63)))

	want := make([]byte, 176)
	le := binary.LittleEndian
	le.PutUint64(want, 176)
	want[16], want[32] = 1, 0xfe
	le.PutUint16(want[48:], 0xfedc)
	le.PutUint32(want[64:], uint32(0xffffffff-100000+1))
	le.PutUint32(want[80:], math.Float32bits(1.5))
	le.PutUint64(want[96:], 1<<64-1<<40)
	le.PutUint64(want[112:], math.Float64bits(math.Pi))
	for i := range 3 {
		le.PutUint32(want[128+4*i:], math.Float32bits(float32(i+1)))
		le.PutUint16(want[144+2*i:], uint16(7+i))
	}
	le.PutUint64(want[160:], 1<<63)
	if got := read(t, s, out); !slices.Equal(got, want) {
		t.Errorf("got\n%x\nwant\n%x", got, want)
	}
}

func TestKernelFacts(t *testing.T) {
	dev := open(t)
	k := kernel(t, dev, "params")
	want := []gridstride.Param{
		{Name: "out", Type: "[]", Size: 16, Align: 1},
		{Name: "yes", Type: "u8", Size: 1, Align: 1},
		{Name: "i8", Type: "s8", Size: 1, Align: 1},
		{Name: "u16", Type: "u16", Size: 2, Align: 1},
		{Name: "i32", Type: "s32", Size: 4, Align: 1},
		{Name: "f32", Type: "f32", Size: 4, Align: 1},
		{Name: "i", Type: "s64", Size: 8, Align: 1},
		{Name: "f64", Type: "f64", Size: 8, Align: 1},
		{Name: "point", Type: "b8[12]", Size: 12, Align: 1},
		{Name: "arr", Type: "b8[6]", Size: 6, Align: 1},
		{Name: "last", Type: "u64", Size: 8, Align: 1},
	}
	for i, p := range k.Params() {
		if p.Name != want[i].Name || p.Type != want[i].Type || p.Size != want[i].Size || p.Align != want[i].Align {
			t.Errorf("parameter %d is %+v, want %+v", i, p, want[i])
		}
	}
	if k.Name() != "params" || k.Device() != dev || len(k.Params()) != len(want) {
		t.Errorf("kernel %s on %v has %d parameters", k.Name(), k.Device(), len(k.Params()))
	}
	if n := len(kernel(t, dev, "check").Params()); n != 1 {
		t.Errorf("a kernel with a hidden parameter shows %d parameters, want 1", n)
	}
	if b := kernel(t, dev, "fixed").BlockDim(); b != (gridstride.Dim3{X: 64, Y: 1, Z: 1}) {
		t.Errorf("fixed has blocks of %v", b)
	}
	if k := kernel(t, dev, "static"); k.StaticSharedBytes() != 1024 || k.MaxThreads() != 1024 || k.BlockDim() != (gridstride.Dim3{}) {
		t.Errorf("static: %d bytes shared, %d threads, block %v", k.StaticSharedBytes(), k.MaxThreads(), k.BlockDim())
	}
}

// TestFixedBlock launches without a block size, which the kernel fixes.
func TestFixedBlock(t *testing.T) {
	dev := open(t)
	s, n := dev.Stream(), copyOf(t, dev, []int32{0})
	must(t, kernel(t, dev, "fixed").Launch(s, gridstride.Grid(1), n))
	if got := read(t, s, n); got[0] != 64 {
		t.Errorf("blocks of %d threads, want 64", got[0])
	}
}

// TestStructArguments launches with structs and arrays that hold buffers: they stand for their
// parts.
func TestStructArguments(t *testing.T) {
	dev := open(t)
	s, k, b := dev.Stream(), kernel(t, dev, "scale"), copyOf(t, dev, ramp(5))
	one := gridstride.Grid(1).Block(32)
	type scaling struct {
		_    int
		None [0]int
		by   [1]gridstride.Buffer[float32]
		f    float32
	}
	must(t, k.Launch(s, one, scaling{by: [1]gridstride.Buffer[float32]{b}, f: 3}))
	must(t, k.Launch(s, one, struct{ gridstride.Buffer[float32] }{b}, float32(2)))
	if got := read(t, s, b); !slices.Equal(got, []float32{0, 6, 12, 18, 24}) {
		t.Errorf("got %v", got)
	}
	wantError(t, k.Launch(s, one, scaling{}, float32(2)), gridstride.ErrArgument, "launch scale: 2 arguments of 3 parts for 2 parameters (a [], f f32)")
	wantError(t, k.Launch(s, one, struct {
		by gridstride.Buffer[float32]
		f  int
	}{b, 2}), gridstride.ErrArgument, "launch scale: argument 1 (f) is of type int, the kernel takes a float32")
	must(t, b.Free())
	err := k.Launch(s, one, scaling{by: [1]gridstride.Buffer[float32]{b}})
	if !errors.Is(err, gridstride.ErrFreed) || !strings.HasPrefix(err.Error(), "launch scale: argument 1 (a) cannot be used: ") {
		t.Errorf("launched with a buffer that was freed: %v", err)
	}
}

// TestRawPointer launches a kernel that takes a pointer, as other compilers write it.
func TestRawPointer(t *testing.T) {
	dev := open(t)
	s, k, b := dev.Stream(), kernel(t, dev, "raw"), copyOf(t, dev, make([]uint32, 3))
	must(t, k.Launch(s, gridstride.Grid(1).Block(1), b.Slice(1, 3), uint32(7)))
	if got := read(t, s, b); !slices.Equal(got, []uint32{0, 7, 0}) {
		t.Errorf("got %v", got)
	}
}

func TestLaunchErrors(t *testing.T) {
	dev, other := open(t, gridstride.Use("sim")), open(t, gridstride.Use("sim"))
	s := dev.Stream()
	closed := dev.NewStream()
	closed.Close()
	f := copyOf(t, dev, ramp(16))
	far := copyOf(t, other, ramp(16))
	v := copyOf(t, dev, make([][4]float32, 4))
	askew, err := gridstride.Cast[[4]float32](f.Slice(1, 9))
	must(t, err)
	one := gridstride.Grid(1).Block(32)

	type args = []any
	tests := []struct {
		kernel string
		stream *gridstride.Stream
		cfg    gridstride.Config
		args   args
		kind   error
		want   string
	}{
		{"scale", s, one, args{f}, gridstride.ErrArgument, "launch scale: 1 argument for 2 parameters (a [], f f32)"},
		{"scale", s, one, args{f, float32(1), 2}, gridstride.ErrArgument, "launch scale: 3 arguments for 2 parameters (a [], f f32)"},
		{"nothing", s, one, args{1}, gridstride.ErrArgument, "launch nothing: 1 argument for 0 parameters (none)"},
		{"scale", s, one, args{f, 1}, gridstride.ErrArgument, "launch scale: argument 2 (f) is of type int, the kernel takes a float32"},
		{"scale", s, one, args{f, int32(1)}, gridstride.ErrArgument, "launch scale: argument 2 (f) is of type int32, the kernel takes a float32"},
		{"scale", s, one, args{f, nil}, gridstride.ErrArgument, "launch scale: argument 2 (f) is of type <nil>, the kernel takes a float32"},
		{"scale", s, one, args{f, f}, gridstride.ErrArgument, "launch scale: argument 2 (f) is a buffer, the kernel takes a float32"},
		{"scale", s, one, args{ramp(3), float32(1)}, gridstride.ErrArgument, "launch scale: argument 1 (a) is of type []float32, the kernel takes a Buffer"},
		{"raw", s, one, args{f, float32(1)}, gridstride.ErrArgument, "launch raw: argument 2 (v) is of type float32, the kernel takes an integer of 32 bits (u32)"},
		{"raw", s, one, args{1.5, uint32(1)}, gridstride.ErrArgument, "launch raw: argument 1 (p) is of type float64, the kernel takes a Buffer or an integer of 64 bits (u64)"},
		{"scale", s, one, args{far, float32(1)}, gridstride.ErrWrongDevice, "launch scale: argument 1 (a) is on device 1, the kernel on device 0"},
		{"scale", other.Stream(), one, args{f, float32(1)}, gridstride.ErrWrongDevice, "launch scale: the stream is on device 1, the kernel on device 0"},
		{"scale", closed, one, args{f, float32(1)}, gridstride.ErrClosed, "launch scale: the stream is closed"},
		{"vector", s, one, args{askew}, gridstride.ErrArgument, "launch vector: argument 1 (v) is a view that starts at a multiple of 4 bytes only, the kernel's elements need 16"},
		{"vector", s, gridstride.Grid(0).Block(32), args{v}, gridstride.ErrLimit, "launch vector: grid (0,1,1): its x dimension is 0, it must be 1 to 2147483647"},
		{"nothing", s, gridstride.Grid(1, 65536).Block(32), nil, gridstride.ErrLimit, "launch nothing: grid (1,65536,1): its y dimension is 65536, it must be 1 to 65535"},
		{"nothing", s, gridstride.Grid(1), nil, gridstride.ErrLimit, "launch nothing: no block size given; say how many threads: gridstride.Grid(…).Block(256)"},
		{"nothing", s, gridstride.Grid(1).Block(1, 1, 65), nil, gridstride.ErrLimit, "launch nothing: block (1,1,65): its z dimension is 65, it must be 1 to 64"},
		{"fixed", s, gridstride.Grid(1).Block(32), args{f}, gridstride.ErrLimit, "launch fixed: a block of (32,1,1) threads, the kernel is compiled for (64,1,1) only"},
		{"most", s, gridstride.Grid(1).Block(129), nil, gridstride.ErrLimit, "launch most: a block of (129,1,1) has 129 threads, the kernel is compiled for at most 128"},
		{"static", s, one.Shared(227<<10 - 1023), nil, gridstride.ErrLimit, "launch static: 231425 bytes of dynamic shared memory and 1024 static, the limit is 232448 together"},
		{"static", s, one.Shared(-1), nil, gridstride.ErrLimit, "launch static: -1 bytes of dynamic shared memory and 1024 static, the limit is 232448 together"},
	}
	for _, tt := range tests {
		err := kernel(t, dev, tt.kernel).Launch(tt.stream, tt.cfg, tt.args...)
		wantError(t, err, tt.kind, tt.want)
	}
	must(t, kernel(t, dev, "vector").Launch(s, one, v))
	must(t, kernel(t, dev, "static").Launch(s, one.Shared(226<<10)))
	must(t, s.Wait(t.Context()))
}

// TestLoadErrors loads what is no module.
func TestLoadErrors(t *testing.T) {
	dev := open(t)
	const head = ".version 7.0\n.target sm_70\n.address_size 64\n"
	tests := []struct {
		text string
		want []string // parts of the error
	}{
		{"package main", []string{"load bad.ptx: bad.ptx:1:1: ", "package main"}},
		{head + ".visible .entry k() {\n\tadd.f32 %f1;\n}\n", []string{"load bad.ptx: bad.ptx:5:", "add.f32 %f1;"}},
		{head + ".visible .entry k() {\n\twarp.drive 9;\n}\n", []string{"bad.ptx:5:2: ", "warp.drive 9;"}},
		{head + ".visible .entry k() {\n\tret;\n", []string{"bad.ptx:"}},
	}
	for _, tt := range tests {
		_, err := dev.Load("bad.ptx", tt.text)
		if !errors.Is(err, gridstride.ErrModule) {
			t.Errorf("%q loads with %v", tt.text, err)
			continue
		}
		for _, part := range tt.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q loads with\n%v\nwhich is without %q", tt.text, err, part)
			}
		}
	}
}

func TestModule(t *testing.T) {
	dev := open(t)
	m, err := dev.Load("two.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry one() { ret; }\n.visible .entry two() { ret; }\n")
	must(t, err)
	if got := m.Kernels(); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("kernels %v", got)
	}
	_, err = m.Kernel("three")
	wantError(t, err, gridstride.ErrNoKernel, "module two.ptx has no kernel three; it has one, two")
	k, err := m.Kernel("two")
	must(t, err)
	m.Close()
	m.Close()
	_, err = m.Kernel("two")
	wantError(t, err, gridstride.ErrClosed, "kernel two: module two.ptx is closed")
	err = k.Launch(dev.Stream(), gridstride.Grid(1).Block(1))
	wantError(t, err, gridstride.ErrClosed, "launch two: module two.ptx is closed")
}
