package tiles

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/machine/sim/tensor"
	"github.com/gridstride/gridstride/internal/proof/gpusuite/suitetest"
	"github.com/gridstride/gridstride/internal/ptx"
)

var (
	tileCount = flag.Int("tiles", 0, "multiply this many `tiles` by each instruction, made and compared on the device")
	tilesOut  = flag.String("tiles-out", "", "write what was found to this `file`, as JSON")
)

// measurement is the result of a run on a GPU.
type measurement struct {
	What       string `json:"what"`
	Device     string `json:"device"`
	Capability string `json:"capability"`
	Driver     string `json:"driver"`
	Date       string `json:"date"`
	Command    string `json:"command"`
	Rows       []*row `json:"rows"`
}

// row is the result for one instruction.
type row struct {
	Instruction string `json:"instruction"`
	Tiles       int    `json:"tiles"`
	Elements    int    `json:"elements"`
	Differ      int    `json:"differ"`
	// Ways is how many registers of D have other bits where the product was asked for in another
	// way.
	Ways int `json:"differ_by_way"`
}

// TestProducts multiplies tiles by every instruction that does so. With the flag -tiles, for a GPU,
// kernels make and compare them. Else the host does, one of each kind.
func TestProducts(t *testing.T) {
	t.Parallel()
	s := open(t)
	tiles := tensor.Kinds
	if *tileCount > 0 {
		tiles = *tileCount
		s.load(t)
	}
	var rows []*row
	for _, p := range Products() {
		r := &row{Instruction: p.Name}
		rows = append(rows, r)
		t.Run(p.Name, func(t *testing.T) { s.multiplyAll(t, p, tiles, r) })
		if *tilesOut != "" {
			suitetest.Must(t, write(s.dev, rows))
		}
	}
}

// TestKernels has kernels make and compare some tiles of each class of numbers, which the host then
// compares, too.
func TestKernels(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.load(t)
	all := map[string]*Product{}
	for _, p := range Products() {
		all[p.Name] = p
	}
	for _, name := range []string{
		"mma.m16n8k8.f16.f16.f16.f16", "wmma.m8n32k16.s32.u8.u8.s32.satfinite", "wmma.m8n8k4.f64.f64.f64.f64.rz",
	} {
		t.Run(name, func(t *testing.T) { s.multiplyAll(t, all[name], tensor.Kinds, &row{}) })
	}
}

// TestFound has the kernels find one element of D that is another, of each class of numbers.
func TestFound(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.load(t)
	for _, p := range Products() {
		switch p.Name {
		case "mma.m16n8k8.f16.f16.f16.f16", "mma.m16n8k4.f64.f64.f64.f64":
			o := newOperands(t, s, &p.runs(tensor.Kinds)[0], 0)
			o.multiply()
			d := suitetest.Read(t, o.dev, o.d)
			d[7] ^= 1
			suitetest.Must(t, o.d.Write(t.Context(), o.dev.Stream(), d))
			if n := o.judge(); n != 1 {
				t.Errorf("%s: %d elements differ, want 1", p.Name, n)
			}
		}
	}
}

// suite is a device, and the kernels that make and compare tiles.
type suite struct {
	dev            *gridstride.Device
	fill           *FillKernel
	compare        *CompareKernel
	compareDoubles *CompareDoublesKernel
}

func open(t *testing.T) *suite {
	t.Helper()
	dev := gputest.Device(t)
	if c := dev.Info().Capability; c != "" && c != "9.0" {
		t.Skipf("there is no model of the tensor cores of %s", c)
	}
	return &suite{dev: dev}
}

// load loads the kernels.
func (s *suite) load(t *testing.T) {
	t.Helper()
	var err error
	s.fill, err = LoadFill(s.dev)
	suitetest.Must(t, err)
	s.compare, err = LoadCompare(s.dev)
	suitetest.Must(t, err)
	s.compareDoubles, err = LoadCompareDoubles(s.dev)
	suitetest.Must(t, err)
}

// multiplyAll multiplies the tiles by an instruction. wgmma with many columns of B takes the
// simulator long. Only -tiles runs it.
func (s *suite) multiplyAll(t *testing.T, p *Product, tiles int, r *row) {
	for i, run := range p.runs(tiles) {
		if s.fill != nil || run.n <= 32 {
			o := newOperands(t, s, &run, uint64(i)<<32)
			r.Ways += o.multiply()
			r.Differ += o.judge()
			r.Tiles += run.tiles()
			r.Elements += run.products * run.m * run.n
		}
	}
	if r.Differ+r.Ways > 0 {
		t.Errorf("%d of %d elements differ, and %d registers by the way", r.Differ, r.Elements, r.Ways)
	}
}

// write writes the measurement.
func write(dev *gridstride.Device, rows []*row) error {
	info := dev.Info()
	text, err := json.MarshalIndent(measurement{
		What:   "elements of products of random tiles that tensor cores and the simulator's model compute differently",
		Device: info.Name, Capability: info.Capability, Driver: info.Driver + ", " + cuda.KernelVersion(),
		Date:    time.Now().Format(time.DateOnly),
		Command: "go test ./internal/proof/gpusuite/tiles -run TestProducts -tiles " + strconv.Itoa(*tileCount) + " -tiles-out FILE",
		Rows:    rows,
	}, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(*tilesOut, append(text, '\n'), 0o644)
}

// operands are the matrices of a run on the device.
type operands struct {
	*suite
	t      *testing.T
	run    *run
	module *gridstride.Module
	// a to c are followed by the transposed matrices, empty except for wmma. e is D once more.
	a, at, b, bt, c, ct, d, e gridstride.Buffer[uint32]
}

// newOperands makes the tiles from first on, and room for the products.
func newOperands(t *testing.T, s *suite, r *run, first uint64) *operands {
	t.Helper()
	module, err := s.dev.Load(r.Name, r.module)
	suitetest.Must(t, err)
	o := &operands{suite: s, t: t, run: r, module: module}
	for i, to := range []*gridstride.Buffer[uint32]{&o.a, &o.b, &o.c, &o.at, &o.bt, &o.ct} {
		*to = o.matrix(r.matrix(i%3, i >= 3), first, i < 3 || r.op == "wmma")
	}
	o.d = makeBuffer[uint32](o, r.products*bytesOf(r.m, r.n, r.d)/4)
	switch r.op {
	case "mma":
		o.e = makeBuffer[uint32](o, 0)
	case "wmma":
		o.e = makeBuffer[uint32](o, r.products*bytesOf(r.n, r.m, r.d)/4)
	case "wgmma":
		o.e = makeBuffer[uint32](o, o.d.Len())
	}
	t.Cleanup(func() { suitetest.Must(t, module.Close()) })
	return o
}

// matrix makes a matrix of the tiles, or an empty one if it is not used.
func (o *operands) matrix(m Matrix, first uint64, used bool) gridstride.Buffer[uint32] {
	n := 0
	if used {
		n = o.run.products * m.words()
	}
	b := makeBuffer[uint32](o, n)
	if o.fill != nil && used {
		suitetest.Must(o.t, o.fill.Launch(o.dev.Stream(), grid(n, 256), m, first, b))
		return b
	}
	list := make([]uint32, n)
	for i := range list {
		list[i] = m.word(first, i)
	}
	suitetest.Must(o.t, b.Write(o.t.Context(), o.dev.Stream(), list))
	return b
}

// makeBuffer makes a buffer that is freed at the end of the test.
func makeBuffer[T any](o *operands, n int) gridstride.Buffer[T] {
	o.t.Helper()
	b, err := gridstride.Make[T](o.dev, n)
	suitetest.Must(o.t, err)
	o.t.Cleanup(func() { suitetest.Must(o.t, b.Free()) })
	return b
}

// grid is a grid for n elements, in blocks of that many threads.
func grid(n, threads int) gridstride.Config {
	return gridstride.Grid(max(1, min((n+threads-1)/threads, 1<<16))).Block(threads)
}

// multiply runs the product, and says how many registers differed by the way.
func (o *operands) multiply() (differ int) {
	kernel, err := o.module.Kernel("product")
	suitetest.Must(o.t, err)
	counts := suitetest.OnDevice(o.t, o.dev, make([]uint32, 4))
	blocks := o.run.products
	if o.run.op != "wgmma" {
		blocks = (blocks + 3) / 4
	}
	suitetest.Must(o.t, kernel.Launch(o.dev.Stream(), gridstride.Grid(blocks).Block(128),
		o.a, o.at, o.b, o.bt, o.c, o.ct, o.d, o.e, counts, uint32(o.run.products)))
	for _, n := range suitetest.Read(o.t, o.dev, counts) {
		differ += int(n)
	}
	return differ
}

// judge is how many elements of D and E differ from what they must be. It logs some of them.
func (o *operands) judge() int {
	if o.run.d == ptx.F64 {
		return o.judgeDoubles()
	}
	sums := o.run.sums()
	differ := o.judgeOnHost(&sums)
	if o.compare == nil {
		return differ
	}
	return o.found(func(found gridstride.Buffer[uint64]) error {
		return o.compare.Launch(o.dev.Stream(), grid(o.run.products*o.run.m*o.run.n, 128), sums,
			o.a, o.b, o.c, o.d, o.e, o.run.products, found)
	})
}

// some is how many products the host computes of those that a GPU compares.
const some = 2 * tensor.Kinds

// judgeOnHost is judge of the first products.
func (o *operands) judgeOnHost(sums *Sums) (differ int) {
	n := min(o.run.products, some)
	first := func(b gridstride.Buffer[uint32]) []uint32 {
		return suitetest.Read(o.t, o.dev, b.Slice(0, b.Len()/o.run.products*n))
	}
	a, b, c, d, e := first(o.a), first(o.b), first(o.c), first(o.d), first(o.e)
	for i := range n * o.run.m * o.run.n {
		want, got := sums.want(a, b, c, i), sums.inD(d, i)
		if got == want && len(e) > 0 {
			got = sums.inE(e, i)
		}
		if got != want {
			differ++
			o.log(i, uint64(got), uint64(want))
		}
	}
	return differ
}

// log tells of an element that differs.
func (o *operands) log(i int, got, want uint64) {
	each := o.run.m * o.run.n
	o.t.Logf("%d columns, product %d, element %d: %x, want %x", o.run.n, i/each, i%each, got, want)
}

// judgeDoubles is judge of products of float64: the reference is a chain of fma.
func (o *operands) judgeDoubles() (differ int) {
	chain, err := o.module.Kernel("chain")
	suitetest.Must(o.t, err)
	n := o.run.products * o.run.m * o.run.n
	want := makeBuffer[uint64](o, n)
	suitetest.Must(o.t, chain.Launch(o.dev.Stream(), gridstride.Grid((n+127)/128).Block(128), o.a, o.b, o.c, want, uint32(n)))
	d, errD := gridstride.Cast[uint64](o.d)
	e, errE := gridstride.Cast[uint64](o.e)
	suitetest.Must(o.t, errors.Join(errD, errE))
	if o.compareDoubles != nil {
		return o.found(func(found gridstride.Buffer[uint64]) error {
			return o.compareDoubles.Launch(o.dev.Stream(), grid(n, 128), o.run.m, o.run.n, d, e, want, found)
		})
	}
	x, y, z := suitetest.Read(o.t, o.dev, d), suitetest.Read(o.t, o.dev, e), suitetest.Read(o.t, o.dev, want)
	for i := range z {
		got := x[i]
		if got == z[i] && len(y) > 0 {
			got = y[byColumns(o.run.m, o.run.n, i)]
		}
		if got != z[i] {
			differ++
			o.log(i, got, z[i])
		}
	}
	return differ
}

// found runs a kernel that compares, and logs what it has kept of the elements that differ.
func (o *operands) found(launch func(found gridstride.Buffer[uint64]) error) (differ int) {
	found := suitetest.OnDevice(o.t, o.dev, make([]uint64, 1+3*64))
	suitetest.Must(o.t, launch(found))
	list := suitetest.Read(o.t, o.dev, found)
	for x := list[1:]; len(x) > 0 && x[1] != x[2]; x = x[3:] {
		o.log(int(x[0]), x[1], x[2])
	}
	return int(list[0])
}
