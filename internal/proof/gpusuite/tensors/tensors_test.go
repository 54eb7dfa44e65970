package tensors

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/proof/gpusuite/suitetest"
)

// device is a device that copies tensors. Without one the test is skipped.
func device(t *testing.T) *gridstride.Device {
	t.Helper()
	dev := gputest.Device(t)
	suitetest.HasClusters(t, dev)
	return dev
}

// swizzles are the swizzles by how many bytes a row has at most.
var swizzles = map[int]gpu.Swizzle{0: gpu.NoSwizzle, 32: gpu.Swizzle32, 64: gpu.Swizzle64, 128: gpu.Swizzle128}

// tensor is a tensor of elements of size bytes each, in memory that may have gaps.
type tensor struct {
	gridstride.Tensor
	size int
}

// elements is how long the memory is.
func (t *tensor) elements() int {
	n := t.Dims[0]
	for i, d := range t.Dims[1:] {
		n = max(n, t.stride(i+1)*d)
	}
	return n
}

// stride is the distance between neighbours in a dimension, in elements.
func (t *tensor) stride(dim int) int {
	switch {
	case dim == 0:
		return 1
	case t.Strides != nil:
		return t.Strides[dim-1]
	case dim == 1:
		return t.Dims[0]
	}
	return t.stride(dim-1) * t.Dims[dim-1]
}

// stored is the tensor with rows as long as stores write them: whole 16 bytes.
func (t *tensor) stored() tensor {
	whole, unit := *t, 16/t.size
	whole.Dims = slices.Clone(t.Dims)
	whole.Dims[0] = (t.Dims[0] + unit - 1) / unit * unit
	return whole
}

// box is how many elements a box has.
func (t *tensor) box() int {
	n := 1
	for _, b := range t.Box {
		n *= b
	}
	return n
}

// pitch is the distance of two rows of the box in shared memory, in bytes.
func (t *tensor) pitch() int {
	if t.Swizzle != 0 {
		return t.Swizzle
	}
	return t.Box[0] * t.size
}

// room is how many elements of shared memory a box spans.
func (t *tensor) room() int { return t.box() / t.Box[0] * t.pitch() / t.size }

// each calls f for each element of the box at coordinates: with its index in elements of shared
// memory, and its index in the tensor's elements or -1.
func (t *tensor) each(at []int32, f func(shared, global int)) {
	s := swizzles[t.Swizzle]
	for i := range t.box() {
		rest, global := i, 0
		for d, b := range t.Box {
			x := int(at[d]) + rest%b
			rest /= b
			if x < 0 || x >= t.Dims[d] {
				global = -1
			}
			if global >= 0 {
				global += x * t.stride(d)
			}
		}
		f(s.Offset(i/t.Box[0]*t.pitch()+i%t.Box[0]*t.size)/t.size, global)
	}
}

// cases are tensors of each number of dimensions and each swizzle, with the coordinates of boxes
// inside, over each edge, and beyond.
func cases(size int) (list []tensor, at [][]int32) {
	unit := 16 / size // elements of 16 bytes: first coordinates are multiples of it
	u := int32(unit)
	add := func(x gridstride.Tensor, coordinates ...int32) {
		list = append(list, tensor{x, size})
		at = append(at, coordinates)
	}
	add(gridstride.Tensor{Dims: []int{100*unit + 3}, Box: []int{2 * unit}}, 0, 17*u, 99*u, 100*u, -u, 200*u, -1000*u)
	for _, bytes := range []int{0, 32, 64, 128} {
		row := bytes / size
		if bytes == 0 {
			row = 48 / size
		}
		r := int32(row)
		m := gridstride.Tensor{Dims: []int{3*row + 1, 37}, Strides: []int{3*row + unit}, Box: []int{row, 24}, Swizzle: bytes}
		add(m, 0, 0, r, 8, 3*r-u, 30, -u, -7, r, 36, 0, -24, -r, 37)
		m.Box = []int{row, 5} // no multiple of 8 rows
		add(m, u, 2)
		m.Box = []int{unit, 19} // rows shorter than the swizzle
		add(m, u, 2)
	}
	add(gridstride.Tensor{Dims: []int{2 * unit, 31, 33}, Box: []int{unit, 31, 2}}, 0, 0, 32, u, -3, -1)
	add(gridstride.Tensor{Dims: []int{4 * unit, 5, 3, 7}, Box: []int{4 * unit, 2, 2, 3}, Swizzle: 64}, 0, 3, 1, 4, 2*u, 4, 2, 6)
	add(gridstride.Tensor{Dims: []int{unit, 3, 3, 3, 3}, Box: []int{unit, 2, 1, 2, 2}}, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 0, -1, 1, -1, 2)
	return list, at
}

func testLoad[T LoadT](t *testing.T, size int, value func(i int) T) {
	dev := device(t)
	k, err := LoadLoad[T](dev)
	suitetest.Must(t, err)
	list, coordinates := cases(size)
	for i, x := range list {
		host := make([]T, x.elements())
		for j := range host {
			host[j] = value(j)
		}
		m, err := suitetest.OnDevice(t, dev, host).TensorMap(x.Tensor)
		suitetest.Must(t, err)
		rank, at := len(x.Dims), coordinates[i]
		blocks := len(at) / rank
		out, err := gridstride.Make[T](dev, blocks*x.room())
		suitetest.Must(t, err)
		defer out.Free()
		cfg := gridstride.Grid(blocks)
		cfg.SharedBytes = x.room() * size
		suitetest.Must(t, k.Launch(dev.Stream(), cfg, m, rank, x.room(), x.box()*size, suitetest.OnDevice(t, dev, at), out))
		want := make([]T, blocks*x.room())
		for b := range blocks {
			x.each(at[b*rank:], func(shared, global int) {
				if global >= 0 {
					want[b*x.room()+shared] = host[global]
				}
			})
		}
		compare(t, fmt.Sprint(x, at), suitetest.Read(t, dev, out), want)
	}
}

func testStore[T StoreT](t *testing.T, size int, value func(i int) T) {
	dev := device(t)
	k, err := LoadStore[T](dev)
	suitetest.Must(t, err)
	list, coordinates := cases(size)
	for i, x := range list {
		rank, at, stored := len(x.Dims), coordinates[i], x.stored()
		for b := 0; b+rank <= len(at); b += rank { // boxes that overlap would race
			at := at[b : b+rank]
			if slices.Min(at) < 0 {
				continue
			}
			in, want := make([]T, x.room()), make([]T, stored.elements())
			for j := range in {
				in[j] = value(j)
			}
			to := suitetest.OnDevice(t, dev, want)
			m, err := to.TensorMap(x.Tensor)
			suitetest.Must(t, err)
			cfg := gridstride.Grid(1)
			cfg.SharedBytes = x.room() * size
			suitetest.Must(t, k.Launch(dev.Stream(), cfg, m, rank, x.room(), suitetest.OnDevice(t, dev, at), suitetest.OnDevice(t, dev, in)))
			stored.each(at, func(shared, global int) {
				if global >= 0 {
					want[global] = in[shared]
				}
			})
			compare(t, fmt.Sprint(x, at), suitetest.Read(t, dev, to), want)
		}
	}
}

func compare[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	wrong := 0
	for i := range want {
		if got[i] != want[i] {
			if wrong == 0 {
				t.Errorf("%s: element %d is %v, want %v", what, i, got[i], want[i])
			}
			wrong++
		}
	}
	if wrong > 1 {
		t.Errorf("%s: %d of %d elements are wrong", what, wrong, len(want))
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	t.Run("uint8", func(t *testing.T) { testLoad(t, 1, func(i int) uint8 { return uint8(i%251 + 1) }) })
	t.Run("BFloat16", func(t *testing.T) {
		testLoad(t, 2, func(i int) gpu.BFloat16 { return gpu.BFloat16FromBits(uint16(i + 1)) })
	})
	t.Run("float32", func(t *testing.T) { testLoad(t, 4, func(i int) float32 { return float32(i + 1) }) })
	t.Run("int64", func(t *testing.T) { testLoad(t, 8, func(i int) int64 { return int64(i+1) << 20 }) })
}

func TestStore(t *testing.T) {
	t.Parallel()
	t.Run("uint8", func(t *testing.T) { testStore(t, 1, func(i int) uint8 { return uint8(i%251 + 1) }) })
	t.Run("BFloat16", func(t *testing.T) {
		testStore(t, 2, func(i int) gpu.BFloat16 { return gpu.BFloat16FromBits(uint16(i + 1)) })
	})
	t.Run("float32", func(t *testing.T) { testStore(t, 4, func(i int) float32 { return float32(i + 1) }) })
	t.Run("int64", func(t *testing.T) { testStore(t, 8, func(i int) int64 { return int64(i+1) << 20 }) })
}

// patterns are the bits of float32 of all kinds, a multiple of 128 of them: ties between two TF32
// and their neighbours, subnormals, the largest numbers, infinities and NaN, and any.
func patterns() []float32 {
	r := rand.New(rand.NewPCG(1, 2))
	low := []uint32{0, 1, 0xfff, 0x1000, 0x1001, 0x1fff}
	high := []uint32{0, 0x2000, 0x7fe000, 0x800000, 0x3f800000, 0x3f802000, 0x7f7fe000, 0x7f7fc000, 0x7f800000, 0x7fc00000}
	var x []float32
	for _, h := range high {
		for _, l := range low {
			x = append(x, math.Float32frombits(h|l), math.Float32frombits(h|l|1<<31))
		}
	}
	for len(x) < 1024 || len(x)%128 != 0 {
		x = append(x, math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32()&^0x1fff|0x1000))
	}
	return x
}

// nearestTF32 is x after a copy to shared memory.
func nearestTF32(x float32) uint32 {
	b, sign := math.Float32bits(x), uint32(0)
	if x != x {
		return 0x7fffe000
	}
	b, sign = b&^(1<<31), b&(1<<31)
	down := b &^ 0x1fff
	if rest := b & 0x1fff; rest > 0x1000 || rest == 0x1000 && down&0x2000 != 0 {
		down += 0x2000
	}
	return down | sign
}

// TestTF32 copies float32 of all kinds by maps of TF32, which round to shared memory, and leave
// alone what they take from there.
func TestTF32(t *testing.T) {
	t.Parallel()
	dev := device(t)
	x := patterns()
	tensor := gridstride.Tensor{Dims: []int{len(x)}, Box: []int{128}}
	from, to := suitetest.OnDevice(t, dev, x), suitetest.OnDevice(t, dev, make([]float32, len(x)))
	at := make([]int32, len(x)/128)
	for i := range at {
		at[i] = int32(128 * i)
	}
	where, cfg := suitetest.OnDevice(t, dev, at), gridstride.Grid(len(at))
	cfg.SharedBytes = 128 * 4
	map32 := func(b gridstride.Buffer[float32]) (gridstride.Buffer[gpu.TF32], gridstride.TensorMap[gpu.TF32]) {
		of, err := gridstride.Cast[gpu.TF32](b)
		suitetest.Must(t, err)
		m, err := of.TensorMap(tensor)
		suitetest.Must(t, err)
		return of, m
	}
	in, mapIn := map32(from)
	out, mapOut := map32(to)
	load, err := LoadLoad[gpu.TF32](dev)
	suitetest.Must(t, err)
	suitetest.Must(t, load.Launch(dev.Stream(), cfg, mapIn, 1, 128, 512, where, out))
	for i, got := range suitetest.Read(t, dev, to) {
		if want := nearestTF32(x[i]); math.Float32bits(got) != want {
			t.Errorf("%#08x is %#08x in shared memory, want %#08x", math.Float32bits(x[i]), math.Float32bits(got), want)
		}
	}
	store, err := LoadStore[gpu.TF32](dev)
	suitetest.Must(t, err)
	suitetest.Must(t, store.Launch(dev.Stream(), cfg, mapOut, 1, 128, where, in))
	for i, got := range suitetest.Read(t, dev, to) {
		if math.Float32bits(got) != math.Float32bits(x[i]) {
			t.Errorf("%#08x is %#08x when it was stored", math.Float32bits(x[i]), math.Float32bits(got))
		}
	}
}

func TestSpread(t *testing.T) {
	t.Parallel()
	dev := device(t)
	k, err := LoadSpread(dev)
	suitetest.Must(t, err)
	const clusters, tile = 3, 32 * 64
	host := make([]gpu.BFloat16, clusters*tile)
	for i := range host {
		host[i] = gpu.BFloat16FromBits(uint16(i + 1))
	}
	m, err := suitetest.OnDevice(t, dev, host).TensorMap(gridstride.Tensor{Dims: []int{64, 32 * clusters}, Box: []int{64, 8}, Swizzle: 128})
	suitetest.Must(t, err)
	out, err := gridstride.Make[gpu.BFloat16](dev, 4*len(host))
	suitetest.Must(t, err)
	defer out.Free()
	suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(4*clusters), m, out))
	want := make([]gpu.BFloat16, 4*len(host))
	for i := range want {
		block, at := i/tile, i%tile
		want[block*tile+gpu.Swizzle128.Offset(2*at)/2] = host[block/4*tile+at]
	}
	compare(t, "tiles", suitetest.Read(t, dev, out), want)
}

func TestPipe(t *testing.T) {
	t.Parallel()
	dev := device(t)
	k, err := LoadPipe(dev)
	suitetest.Must(t, err)
	for _, rows := range []int{1, 16, 31, 33, 150} {
		host := make([]float32, 64*rows)
		for i := range host {
			host[i] = float32(i)
		}
		m, err := suitetest.OnDevice(t, dev, host).TensorMap(gridstride.Tensor{Dims: []int{64, rows}, Box: []int{64, 16}})
		suitetest.Must(t, err)
		out, err := gridstride.Make[float32](dev, len(host))
		suitetest.Must(t, err)
		suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(1), m, rows, out))
		if got := suitetest.Read(t, dev, out); !slices.Equal(got, host) {
			t.Errorf("%d rows differ", rows)
		}
		suitetest.Must(t, out.Free())
	}
}

func TestRelay(t *testing.T) {
	t.Parallel()
	dev := device(t)
	k, err := LoadRelay(dev)
	suitetest.Must(t, err)
	for _, rows := range []int{1, 16, 33, 150} {
		host := make([]float32, 64*rows)
		for i := range host {
			host[i] = float32(i)
		}
		m, err := suitetest.OnDevice(t, dev, host).TensorMap(gridstride.Tensor{Dims: []int{64, rows}, Box: []int{64, 8}})
		suitetest.Must(t, err)
		out, err := gridstride.Make[float32](dev, 2*len(host))
		suitetest.Must(t, err)
		suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(2), m, rows, out))
		compare(t, fmt.Sprint(rows, " rows"), suitetest.Read(t, dev, out), slices.Concat(host, host))
		suitetest.Must(t, out.Free())
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	dev := device(t)
	k, err := LoadPlain(dev)
	suitetest.Must(t, err)
	for _, n := range []int{4, 64, 132, 400} { // whole multiples of 16 bytes
		host := make([]int32, n)
		for i := range host {
			host[i] = int32(i + 1)
		}
		out := suitetest.OnDevice(t, dev, make([]int32, n))
		suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid((n+63)/64), suitetest.OnDevice(t, dev, host), out))
		compare(t, fmt.Sprint(n), suitetest.Read(t, dev, out), host)
	}
}

func TestHand(t *testing.T) {
	t.Parallel()
	dev := device(t)
	k, err := LoadHand(dev)
	suitetest.Must(t, err)
	host, want := make([]int32, 8*128), make([]int32, 8*128)
	for i := range host {
		host[i] = int32(i + 1)
	}
	for i := range want {
		block, from := i/128, i/128&^3+(i/128+3)%4
		want[i] = host[128*from+i-128*block] + 1000*host[i%32]
	}
	out := suitetest.OnDevice(t, dev, make([]int32, len(want)))
	suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(8), suitetest.OnDevice(t, dev, host), out))
	compare(t, "elements", suitetest.Read(t, dev, out), want)
}
