package comm_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/comm"
	"github.com/gridstride/gridstride/gpu"
)

var programs = flag.Int("programs", 200, "how many random programs of collectives to run")

// arithmetic is how the reference combines elements of T.
type arithmetic[T comm.Number] struct {
	random func(r *rand.Rand) T
	fold   func(op comm.Op, xs []T) T
}

type integer interface {
	int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64
}

type number interface {
	integer | float32 | float64
}

func numbers[T number](random func(r *rand.Rand) T) arithmetic[T] {
	return arithmetic[T]{random, foldNumbers[T]}
}

func foldNumbers[T number](op comm.Op, xs []T) T {
	x := xs[0]
	for _, y := range xs[1:] {
		switch op {
		case comm.Sum:
			x += y
		case comm.Prod:
			x *= y
		case comm.Min:
			x = min(x, y)
		case comm.Max:
			x = max(x, y)
		}
	}
	return x
}

func integers[T integer]() arithmetic[T] {
	return numbers(func(r *rand.Rand) T { return T(r.Uint64()) })
}

func floats[T float32 | float64]() arithmetic[T] {
	return numbers(func(r *rand.Rand) T { return T(r.NormFloat64()) })
}

func halves[T interface {
	gpu.Float16 | gpu.BFloat16
}]() arithmetic[T] {
	return arithmetic[T]{
		func(r *rand.Rand) T { return gpu.FromFloat32[T](float32(r.NormFloat64())) },
		func(op comm.Op, xs []T) T {
			var wide []float32
			for _, x := range xs {
				wide = append(wide, gpu.ToFloat32(x))
			}
			return gpu.FromFloat32[T](foldNumbers(op, wide))
		},
	}
}

// machine is the state of a random program: two vectors of each rank, on the devices and in plain
// slices.
type machine[T comm.Number] struct {
	arithmetic[T]
	r    *rand.Rand
	g    *comm.Group
	a, b []gridstride.Buffer[T]
	x, y [][]T // the elements that a and b should have
	said []string
}

// cut is a random part of the vectors of all ranks, of a length that is a multiple of unit: the same
// part of each.
func (m *machine[T]) cut(unit int) (from, to int) {
	to = m.r.IntN(len(m.x[0])/unit + 1)
	from = m.r.IntN(len(m.x[0]) - to*unit + 1)
	return from, from + to*unit
}

func views[T any](all []gridstride.Buffer[T], from, to int) (parts []gridstride.Buffer[T]) {
	for _, b := range all {
		parts = append(parts, b.Slice(from, to))
	}
	return parts
}

func slicesOf[T any](all [][]T, from, to int) (parts [][]T) {
	for _, s := range all {
		parts = append(parts, s[from:to])
	}
	return parts
}

// folded is element by element what the ranks' vectors combine to.
func (m *machine[T]) folded(op comm.Op, x [][]T) []T {
	out := make([]T, len(x[0]))
	for i := range out {
		var xs []T
		for _, v := range x {
			xs = append(xs, v[i])
		}
		out[i] = m.fold(op, xs)
	}
	return out
}

// step runs a random operation on both.
func (m *machine[T]) step() error {
	if m.r.IntN(2) == 0 {
		m.a, m.b, m.x, m.y = m.b, m.a, m.y, m.x
	}
	kind, unit := m.r.IntN(7), 1
	if kind == 1 || kind == 4 || kind == 5 { // the ranks have equal shares
		unit = m.g.Ranks()
	}
	from, to := m.cut(unit)
	a, b, x, y := views(m.a, from, to), views(m.b, from, to), slicesOf(m.x, from, to), slicesOf(m.y, from, to)
	op, ranks, share := comm.Op(m.r.IntN(4)), m.g.Ranks(), (to-from)/m.g.Ranks()
	root, inPlace := m.r.IntN(ranks), m.r.IntN(2) == 0
	m.said = append(m.said, fmt.Sprintf("operation %d, op %d, root %d, [%d:%d], in place %t", kind, op, root, from, to, inPlace))
	switch kind {
	case 0:
		return m.allReduce(op, a, b, x, y, inPlace)
	case 1:
		sum := m.folded(op, x)
		dst := views(b, 0, share)
		for rank := range ranks {
			out := y[rank][:share]
			if inPlace {
				dst[rank], out = a[rank].Slice(rank*share, (rank+1)*share), x[rank][rank*share:(rank+1)*share]
			}
			copy(out, sum[rank*share:])
		}
		return comm.ReduceScatter(m.g, op, dst, a)
	case 2:
		dst, out := b[root], y[root]
		if inPlace {
			dst, out = a[root], x[root]
		}
		copy(out, m.folded(op, x))
		return comm.Reduce(m.g, op, root, dst, a)
	case 3:
		for _, v := range x {
			copy(v, x[root])
		}
		return comm.Broadcast(m.g, root, a)
	case 4:
		return m.allGather(a, b, x, y, share, inPlace)
	case 5:
		for rank := range ranks {
			for other := range ranks {
				copy(y[rank][other*share:(other+1)*share], x[other][rank*share:])
			}
		}
		return comm.AllToAll(m.g, b, a)
	}
	other := (root + 1) % ranks
	if other == root {
		return nil
	}
	copy(y[other], x[root])
	return comm.Send(m.g, root, other, b[other], a[root])
}

func (m *machine[T]) allReduce(op comm.Op, a, b []gridstride.Buffer[T], x, y [][]T, inPlace bool) error {
	if inPlace {
		b, y = a, x
	}
	sum := m.folded(op, x)
	for _, v := range y {
		copy(v, sum)
	}
	return comm.AllReduce(m.g, op, b, a)
}

func (m *machine[T]) allGather(a, b []gridstride.Buffer[T], x, y [][]T, share int, inPlace bool) error {
	src, from := views(a, 0, share), slicesOf(x, 0, share)
	if inPlace {
		for rank := range src {
			src[rank], from[rank] = b[rank].Slice(rank*share, (rank+1)*share), slices.Clone(y[rank][rank*share:(rank+1)*share])
		}
	}
	for _, v := range y {
		for rank, part := range from {
			copy(v[rank*share:], part)
		}
	}
	return comm.AllGather(m.g, b, src)
}

// run runs a random program of steps on the devices, and compares every bit at its end.
func run[T comm.Number](t *testing.T, devs []*gridstride.Device, of arithmetic[T], seed uint64, steps int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 31))
	g := group(t, devs)
	n := []int{0, 1, 31, 33, 100, 257, 1000}[r.IntN(7)]
	m := &machine[T]{arithmetic: of, r: r, g: g}
	for _, v := range []*[][]T{&m.x, &m.y} {
		for range devs {
			s := make([]T, n)
			for i := range s {
				s[i] = of.random(r)
			}
			*v = append(*v, s)
		}
	}
	m.a, m.b = upload(t, g, m.x), upload(t, g, m.y)
	for range steps {
		if err := m.step(); err != nil {
			t.Fatalf("program %d of %T on %d ranks: %v: %q", seed, *new(T), len(devs), err, m.said)
		}
	}
	must(t, g.Wait(t.Context()))
	for rank := range devs {
		for i, b := range []gridstride.Buffer[T]{m.a[rank], m.b[rank]} {
			got, err := b.Read(t.Context(), g.Stream(rank), nil)
			must(t, err)
			if want := [][]T{m.x[rank], m.y[rank]}[i]; !slices.Equal(bytes(got), bytes(want)) {
				t.Fatalf("program %d of %T on %d ranks: rank %d has %v, want %v, after %q", seed, *new(T), len(devs), rank, got, want, m.said)
			}
		}
	}
}

func bytes[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}

// types run a program, for each type of elements.
var types = []func(t *testing.T, devs []*gridstride.Device, seed uint64, steps int){
	typed(integers[int]()), typed(integers[int8]()), typed(integers[int16]()), typed(integers[int32]()), typed(integers[int64]()),
	typed(integers[uint]()), typed(integers[uint8]()), typed(integers[uint16]()), typed(integers[uint32]()), typed(integers[uint64]()),
	typed(floats[float32]()), typed(floats[float64]()), typed(halves[gpu.Float16]()), typed(halves[gpu.BFloat16]()),
}

func typed[T comm.Number](of arithmetic[T]) func(t *testing.T, devs []*gridstride.Device, seed uint64, steps int) {
	return func(t *testing.T, devs []*gridstride.Device, seed uint64, steps int) { run(t, devs, of, seed, steps) }
}

// TestPrograms runs random programs of collectives on 1 to 8 devices against plain loops.
func TestPrograms(t *testing.T) {
	parallel(t)
	devs := devices(t, 8)
	for seed := range uint64(*programs) {
		r := rand.New(rand.NewPCG(seed, 30))
		ranks, of := 1+r.IntN(len(devs)), types[r.IntN(len(types))]
		ok := t.Run("", func(t *testing.T) { of(t, devs[:ranks], seed, 1+r.IntN(6)) })
		if !ok {
			return
		}
	}
}

// TestChecked runs a program of every type on devices that check what the group queues.
func TestChecked(t *testing.T) {
	parallel(t)
	devs := checkedDevices(t, 3)
	for i, of := range types {
		t.Run("", func(t *testing.T) { of(t, devs, uint64(i), 12) })
	}
}

// TestPieces reduces parts that are longer than the working memory.
func TestPieces(t *testing.T) {
	parallel(t)
	devs := devices(t, 2)
	if len(devs) < 2 {
		t.Skip("one GPU")
	}
	const n = 32<<20 + 5 // bytes: a piece and 5 elements
	g := groupWith(t, devs, comm.Options{NCCL: comm.Never})
	host := [][]uint8{make([]uint8, n), make([]uint8, n)}
	for i := range n {
		host[0][i], host[1][i] = uint8(i), uint8(i>>8)
	}
	src := upload(t, g, host)
	must(t, comm.Reduce(g, comm.Sum, 1, src[1], src))
	for rank, want := range []int64{n, n + 32<<20} { // the other rank combines nothing
		if used := devs[rank].Usage().Bytes; used != want {
			t.Errorf("rank %d has %d bytes in buffers, want %d", rank, used, want)
		}
	}
	got, err := src[1].Read(t.Context(), g.Stream(1), nil)
	must(t, err)
	for i, x := range got {
		if x != uint8(i)+uint8(i>>8) {
			t.Fatalf("element %d is %d, want %d", i, x, uint8(i)+uint8(i>>8))
		}
	}
}
