package sim

import (
	"math"

	"github.com/gridstride/gridstride/internal/math/half"
)

// bfloats are small integers as numbers of bfloat16.
func bfloats(list []int32) []uint16 {
	out := make([]uint16, len(list))
	for i, v := range list {
		out[i] = uint16(math.Float32bits(float32(v)) >> 16)
	}
	return out
}

// converted are small integers as elements of another type.
func converted[T int8 | uint8 | float32 | float64](list []int32) []T {
	out := make([]T, len(list))
	for i, v := range list {
		out[i] = T(v)
	}
	return out
}

// productOf is the product of a, of k columns, and b by its columns: exact, as the numbers are
// small.
func productOf[T int32 | float32 | float64](a, b []int32, k int) []T {
	var c []T
	for i := range len(a) / k {
		for j := range len(b) / k {
			var sum int32
			for at := range k {
				sum += a[i*k+at] * b[j*k+at]
			}
			c = append(c, T(sum))
		}
	}
	return c
}

// signed are random integers of either sign.
func signed(n int) []int32 {
	list := randomInts(n, 15)
	for i := range list {
		list[i] -= 7
	}
	return list
}

// testTensor multiplies by mma of sm_80, with tiles of 8 columns.
func testTensor(r *rig, l Launch) {
	const m, n, k = 32, 24, 96
	a, b := signed(m*k), signed(n*k)
	grid := func(rows int) [3]int { return [3]int{n / 8, m / rows, 1} }

	c := upload(r, make([]float64, m*n))
	r.run(l, "tensor_f64", grid(8), x(32), upload(r, converted[float64](a)), upload(r, converted[float64](b)), c, int32(n), int32(k))
	equalSlices(r, "f64", view[float64](r, c, m*n), productOf[float64](a, b, k))

	c = upload(r, make([]float32, m*n))
	r.run(l, "tensor_tf32", grid(16), x(32), upload(r, converted[float32](a)), upload(r, converted[float32](b)), c, int32(n), int32(k))
	equalSlices(r, "tf32", view[float32](r, c, m*n), productOf[float32](a, b, k))

	c = upload(r, make([]int32, m*n))
	r.run(l, "tensor_s8", grid(16), x(32), upload(r, converted[int8](a)), upload(r, converted[int8](b)), c, int32(n), int32(k))
	equalSlices(r, "s8", view[int32](r, c, m*n), productOf[int32](a, b, k))

	c = upload(r, make([]float32, m*n))
	r.run(l, "tensor_bf16", grid(16), x(32), upload(r, bfloats(a)), upload(r, bfloats(b)), c, int32(n), int32(k))
	equalSlices(r, "bf16", view[float32](r, c, m*n), productOf[float32](a, b, k))
}

// float16s are small integers as numbers of float16.
func float16s(list []int32) []uint16 {
	out := make([]uint16, len(list))
	for i, v := range list {
		out[i] = half.F16Nearest(float32(v))
	}
	return out
}

// transposedOf is a matrix of cols columns, stored by its columns.
func transposedOf(list []int32, cols int) []int32 {
	out := make([]int32, len(list))
	for i, v := range list {
		out[i%cols*(len(list)/cols)+i/cols] = v
	}
	return out
}

// testWMMA multiplies by wmma, of matrices by rows and by columns.
func testWMMA(r *rig, l Launch) {
	const m, n, k = 32, 64, 80
	a, b := signed(m*k), signed(n*k)
	for _, p := range []struct {
		name       string
		rows, cols int
		factors    func(list []int32) uint64
		run        func(name string, grid [3]int, a, b uint64)
	}{
		{"f16", 16, 16, uploaded(r, float16s), wmma[float32](r, l, a, b, n, k)},
		{"f16_m32", 32, 8, uploaded(r, float16s), wmma[float32](r, l, a, b, n, k)},
		{"f16_m8", 8, 32, uploaded(r, float16s), wmma[float32](r, l, a, b, n, k)},
		{"bf16", 16, 16, uploaded(r, bfloats), wmma[float32](r, l, a, b, n, k)},
		{"tf32", 16, 16, uploaded(r, converted[float32]), wmma[float32](r, l, a, b, n, k)},
		{"s8", 16, 16, uploaded(r, converted[int8]), wmma[int32](r, l, a, b, n, k)},
		{"f64", 8, 8, uploaded(r, converted[float64]), wmma[float64](r, l, a, b, n, k)},
	} {
		grid := [3]int{n / p.cols, m / p.rows, 1}
		p.run("wmma_"+p.name, grid, p.factors(a), p.factors(b))
		p.run("wmma_"+p.name+"_t", grid, p.factors(transposedOf(a, k)), p.factors(transposedOf(b, k)))
	}

	x, y := randomInts(m*k, 256), randomInts(n*k, 256)
	wmma[int32](r, l, x, y, n, k)("wmma_u8_m32", [3]int{n / 8, m / 32, 1}, upload(r, converted[uint8](x)), upload(r, converted[uint8](y)))

	c, d := upload(r, make([]uint16, m*n)), upload(r, make([]uint16, m*n))
	r.run(l, "wmma_f16_f16", [3]int{n / 16, m / 16, 1}, [3]int{32, 1, 1}, upload(r, float16s(a)), upload(r, float16s(b)), c, d, int32(m), int32(n), int32(k))
	equalSlices(r, "f16 sums", view[uint16](r, d, m*n), float16s(productOf[int32](a, b, k)))

	const deep = 3 * 64
	a, b = signed(m*deep), signed(n*deep)
	d = upload(r, make([]float32, m*n))
	r.run(l, "wmma_shared", [3]int{n / 32, m / 32, 1}, [3]int{128, 1, 1}, upload(r, float16s(a)), upload(r, float16s(b)), d, int32(n), int32(deep), float32(0.5))
	want := productOf[float32](a, b, deep)
	for i := range want {
		want[i] /= 2
	}
	equalSlices(r, "shared", view[float32](r, d, m*n), want)
}

// uploaded is a matrix in the device's memory, as elements of another type.
func uploaded[T any](r *rig, as func(list []int32) []T) func(list []int32) uint64 {
	return func(list []int32) uint64 { return upload(r, as(list)) }
}

// wmma runs a kernel of wmma.cu, which adds to a matrix of ones.
func wmma[T int32 | float32 | float64](r *rig, l Launch, a, b []int32, n, k int) func(name string, grid [3]int, a, b uint64) {
	m := len(a) / k
	want := productOf[T](a, b, k)
	ones := make([]T, m*n)
	for i := range want {
		ones[i] = 1
		want[i]++
	}
	return func(name string, grid [3]int, a, b uint64) {
		d := upload(r, make([]T, m*n))
		r.run(l, name, grid, [3]int{32, 1, 1}, a, b, upload(r, ones), d, int32(m), int32(n), int32(k))
		equalSlices(r, name, view[T](r, d, m*n), want)
	}
}

// testHopper multiplies by a pipeline of clusters of two blocks.
func testHopper(r *rig, l Launch) {
	const m, n, k = 4 * 64, 64, 5 * 64
	a, b := signed(m*k), signed(n*k)
	l.Cluster, l.Shared = x(2), 2*2*8192+32
	for _, kernel := range []string{"hopper", "hopper_once"} {
		c := upload(r, make([]float32, m*n))
		r.run(l, kernel, x(m/64), x(256), upload(r, bfloats(a)), upload(r, bfloats(b)), c, int32(k))
		equalSlices(r, kernel, view[float32](r, c, m*n), productOf[float32](a, b, k))
	}
}
