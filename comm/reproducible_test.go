package comm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/comm"
	"github.com/gridstride/gridstride/gpu"
)

// terms are random vectors of n elements, from numbers that are hard to add: of all exponents, that
// cancel, some infinite or NaN, or all of one sign at the top of a bin.
func terms[T comm.Float](r *rand.Rand, hard, count, n int, from func(x float64) T) (vectors [][]T) {
	top := math.Ldexp(1-math.Ldexp(1, -20), []int{17, 33}[r.IntN(2)]) // of a bin of float32, or of float64
	for range count {
		v := make([]T, n)
		for i := range v {
			x := r.NormFloat64()
			switch {
			case hard == 1:
				x = math.Ldexp(x, r.IntN(30)-15)
			case hard == 2:
				x = math.Ldexp(x, r.IntN(400)-200)
			case hard == 4:
				x = top
			case hard == 3 && r.IntN(50) == 0:
				x = []float64{math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1), math.MaxFloat32, 1e-45}[r.IntN(6)]
			}
			v[i] = from(x)
			if k := len(vectors); k > 0 && hard < 4 && r.IntN(8) == 0 {
				v[i] = from(-float64At(vectors[k-1][i]))
			}
		}
		vectors = append(vectors, v)
	}
	return vectors
}

func float64At[T comm.Float](x T) float64 {
	switch v := any(x).(type) {
	case float32:
		return float64(v)
	case float64:
		return v
	case gpu.Float16:
		return float64(gpu.ToFloat32(v))
	}
	return float64(gpu.ToFloat32(any(x).(gpu.BFloat16)))
}

// columnSums adds vectors element by element on the host.
func columnSums[T comm.Float, S blas.Float](vectors [][]T, n int, wide func(T) S, narrow func(S) T) []T {
	out := make([]T, n)
	for i := range out {
		var column []S
		for _, v := range vectors {
			column = append(column, wide(v[i]))
		}
		out[i] = narrow(blas.SumReproducible(column))
	}
	return out
}

// share shares vectors out among ranks at random, in a random order.
func share[T any](r *rand.Rand, vectors [][]T, ranks int) [][]T {
	parts := make([][]T, ranks)
	for _, k := range r.Perm(len(vectors)) {
		rank := r.IntN(ranks)
		parts[rank] = append(parts[rank], vectors[k]...)
	}
	return parts
}

// TestReproducible: the sums have the bits of the host's, for any number of devices and any share.
func TestReproducible(t *testing.T) {
	parallel(t)
	devs := devices(t, 8)
	t.Run("float32", func(t *testing.T) {
		testReproducible(t, devs, func(x float64) float32 { return float32(x) }, func(x float32) float32 { return x }, func(x float32) float32 { return x })
	})
	t.Run("float64", func(t *testing.T) {
		testReproducible(t, devs, func(x float64) float64 { return x }, func(x float64) float64 { return x }, func(x float64) float64 { return x })
	})
	t.Run("Float16", func(t *testing.T) {
		testReproducible(t, devs, func(x float64) gpu.Float16 { return gpu.FromFloat32[gpu.Float16](float32(x)) }, gpu.ToFloat32[gpu.Float16], gpu.FromFloat32[gpu.Float16])
	})
	t.Run("BFloat16", func(t *testing.T) {
		testReproducible(t, devs, func(x float64) gpu.BFloat16 { return gpu.FromFloat32[gpu.BFloat16](float32(x)) }, gpu.ToFloat32[gpu.BFloat16], gpu.FromFloat32[gpu.BFloat16])
	})
}

func testReproducible[T comm.Float, S blas.Float](t *testing.T, devs []*gridstride.Device, from func(float64) T, wide func(T) S, narrow func(S) T) {
	for seed := range uint64(*programs / 5) {
		r := rand.New(rand.NewPCG(seed, 32))
		ranks := 1 + r.IntN(len(devs))
		n := []int{0, 1, 31, 33, 257}[r.IntN(5)]
		kind := r.IntN(3)
		if kind == 1 {
			n = (n + ranks - 1) / ranks * ranks // of equal parts
		}
		count := []int{0, 1, 2, 3, 8, 11, 96, 97, 200}[r.IntN(9)]
		if n > 100 {
			count = min(count, 11)
		}
		hard := r.IntN(5)
		if seed < 4 { // more than accumulators hold
			kind, hard, count, n = 0, 4, 200, 5
		}
		vectors := terms(r, hard, count, n, from)
		want := columnSums(vectors, n, wide, narrow)
		t.Run("", func(t *testing.T) {
			g := group(t, devs[:ranks])
			got := reproducible(t, g, r, kind, n, share(r, vectors, ranks))
			if !slices.Equal(bytes(got), bytes(want)) {
				t.Errorf("program %d: kind %d, %d vectors of %d elements on %d ranks:\n%v, want\n%v", seed, kind, count, n, ranks, got, want)
			}
		})
	}
}

// reproducible is the sum of the vectors that ranks have, by one of the three functions, at times in
// place.
func reproducible[T comm.Float](t *testing.T, g *comm.Group, r *rand.Rand, kind, n int, parts [][]T) []T {
	t.Helper()
	src, ranks := upload(t, g, parts), g.Ranks()
	size, rooms := n, make([][]T, ranks)
	if kind == 1 {
		size = n / ranks
	}
	for rank := range rooms {
		rooms[rank] = make([]T, size)
	}
	dst := slices.Clone(upload(t, g, rooms))
	for rank := range dst {
		if src[rank].Len() > 0 && r.IntN(2) == 0 { // in place
			from := 0
			if kind == 1 {
				from = rank * size
			}
			dst[rank] = src[rank].Slice(from, from+size)
		}
	}
	root := r.IntN(ranks)
	switch kind {
	case 0:
		must(t, comm.AllReduceReproducible(g, dst, src))
	case 1:
		must(t, comm.ReduceScatterReproducible(g, dst, src))
	default:
		must(t, comm.ReduceReproducible(g, root, dst[root], src))
	}
	must(t, g.Wait(t.Context()))
	var all [][]T
	for rank, b := range dst {
		x, err := b.Read(t.Context(), g.Stream(rank), nil)
		must(t, err)
		all = append(all, x)
	}
	switch kind {
	case 1:
		return slices.Concat(all...)
	case 2:
		return all[root]
	}
	for rank, x := range all {
		if !slices.Equal(bytes(x), bytes(all[0])) {
			t.Errorf("rank %d has %v, rank 0 %v", rank, x, all[0])
		}
	}
	return all[0]
}

// TestReproduciblePieces adds more than the working memory holds.
func TestReproduciblePieces(t *testing.T) {
	parallel(t)
	devs := devices(t, 2)
	if len(devs) < 2 {
		t.Skip("one GPU")
	}
	g := group(t, devs)
	const n = 4<<20 + 5 // of which a piece has 2<<20
	host := [][]float32{make([]float32, n), make([]float32, 4*n)}
	for i := range n {
		host[0][i] = float32(i % 1000)
		for k := range 4 {
			host[1][k*n+i] = float32(k * (i % 7))
		}
	}
	src := upload(t, g, host)
	must(t, comm.ReduceReproducible(g, 0, src[0], src))
	got, err := src[0].Read(t.Context(), g.Stream(0), nil)
	must(t, err)
	for i, x := range got {
		if want := float32(i%1000 + 6*(i%7)); x != want {
			t.Fatalf("element %d is %v, want %v", i, x, want)
		}
	}
	if used := devs[0].Usage().Bytes; used != n*4+32<<20 {
		t.Errorf("rank 0 has %d bytes in buffers, want %d", used, n*4+32<<20)
	}
}

// TestReproducibleChecked adds on devices that check what the group queues.
func TestReproducibleChecked(t *testing.T) {
	parallel(t)
	devs := checkedDevices(t, 3)
	for kind := range 3 {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			g := group(t, devs)
			r := rand.New(rand.NewPCG(uint64(kind), 33))
			n := 3 * g.Ranks()
			vectors := terms(r, 2, 5, n, func(x float64) float32 { return float32(x) })
			want := columnSums(vectors, n, func(x float32) float32 { return x }, func(x float32) float32 { return x })
			if got := reproducible(t, g, r, kind, n, share(r, vectors, len(devs))); !slices.Equal(bytes(got), bytes(want)) {
				t.Errorf("%v, want %v", got, want)
			}
		})
	}
}

// TestReproducibleRefused calls with what does not fit.
func TestReproducibleRefused(t *testing.T) {
	parallel(t)
	devs := devices(t, 2)
	if len(devs) < 2 {
		t.Skip("one GPU")
	}
	g := group(t, devs)
	type buffers = []gridstride.Buffer[float32]
	a, b := upload(t, g, [][]float32{{1, 2, 3, 4}, {5, 6, 7, 8}}), upload(t, g, [][]float32{{0, 0}, {0, 0}})
	for _, c := range []struct {
		err, kind error
		text      string
	}{
		{comm.AllReduceReproducible(g, b[:1], a), comm.ErrRank, "comm: AllReduceReproducible: dst has 1 buffers; want 2"},
		{comm.AllReduceReproducible(g, b, a[:1]), comm.ErrRank, "comm: AllReduceReproducible: src has 1 buffers; want 2"},
		{comm.AllReduceReproducible(g, b, buffers{a[0], a[1].Slice(0, 3)}), comm.ErrSize, "src of rank 1 has 3 elements; want a multiple of 2, a vector's"},
		{comm.AllReduceReproducible(g, buffers{b[0].Slice(0, 0), b[1].Slice(0, 0)}, a), comm.ErrSize, "src of rank 0 has 4 elements; want a multiple of 0"},
		{comm.AllReduceReproducible(g, buffers{b[0], b[1].Slice(0, 1)}, a), comm.ErrSize, "dst of rank 1 has 1 elements; want 2"},
		{comm.AllReduceReproducible(g, b, buffers{a[1], a[0]}), gridstride.ErrWrongDevice, "src of rank 0: "},
		{comm.AllReduceReproducible(g, buffers{a[0].Slice(1, 3), b[1]}, a), comm.ErrOverlap, "dst and src of rank 0 overlap"},
		{comm.ReduceScatterReproducible(g, b, buffers{a[0], a[1].Slice(0, 2)}), comm.ErrSize, "src of rank 1 has 2 elements; want a multiple of 4"},
		{comm.ReduceScatterReproducible(g, buffers{b[0], a[1].Slice(0, 2)}, a), comm.ErrOverlap, "dst and src of rank 1 overlap"},
		{comm.ReduceReproducible(g, 2, b[0], a), comm.ErrRank, "root is 2; want 0 to 1"},
		{comm.ReduceReproducible(g, 1, b[0], a), gridstride.ErrWrongDevice, "dst of rank 1: "},
		{comm.ReduceReproducible(g, 0, a[0].Slice(2, 4), a), comm.ErrOverlap, "dst and src of rank 0 overlap"},
	} {
		wantRefusal(t, c.err, c.kind, c.text)
	}
}
