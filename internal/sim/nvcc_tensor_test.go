package sim

import "math"

// bfloats are small integers as numbers of bfloat16.
func bfloats(list []int32) []uint16 {
	out := make([]uint16, len(list))
	for i, v := range list {
		out[i] = uint16(math.Float32bits(float32(v)) >> 16)
	}
	return out
}

// converted are small integers as elements of another type.
func converted[T int8 | float32 | float64](list []int32) []T {
	out := make([]T, len(list))
	for i, v := range list {
		out[i] = T(v)
	}
	return out
}

// productOf is the product of a, of k columns, and b by its columns: exact, as the numbers are small.
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

// testHopper multiplies by a pipeline of clusters of two blocks.
func testHopper(r *rig, l Launch) {
	const m, n, k = 4 * 64, 64, 5 * 64
	a, b := signed(m*k), signed(n*k)
	c := upload(r, make([]float32, m*n))
	l.Cluster, l.Shared = x(2), 2*2*8192+32
	r.run(l, "hopper", x(m/64), x(256), upload(r, bfloats(a)), upload(r, bfloats(b)), c, int32(k))
	equalSlices(r, "bf16", view[float32](r, c, m*n), productOf[float32](a, b, k))
}
