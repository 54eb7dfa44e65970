package main

import "github.com/gridstride/gridstride/gpu"

// Networks: sorts, and the transform of Cooley and Tukey.

const (
	sorted    = 512 // elements that a block sorts
	transform = 512 // points that a block transforms, two in a thread
)

// Bitonic sorts the elements of each block in shared memory: K. Batcher, "Sorting networks and their
// applications", 1968.
//
//gpu:kernel block=256
func Bitonic(in, out []int32) {
	v := gpu.Shared[[sorted]int32]()
	first := gpu.BlockIdx.X * sorted
	for k := gpu.ThreadIdx.X; k < sorted; k += block {
		v[k] = in[first+k]
	}
	gpu.SyncThreads()
	for size := 2; size <= sorted; size *= 2 {
		for d := size / 2; d > 0; d /= 2 {
			i := 2*gpu.ThreadIdx.X - gpu.ThreadIdx.X&(d-1)
			up := i&size == 0
			if (v[i] > v[i+d]) == up {
				v[i], v[i+d] = v[i+d], v[i]
			}
			gpu.SyncThreads()
		}
	}
	for k := gpu.ThreadIdx.X; k < sorted; k += block {
		out[first+k] = v[k]
	}
}

// SortWarps sorts the 32 elements of each warp in registers, by the same network.
//
//gpu:kernel block=256
func SortWarps(in, out []float32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	lane := gpu.ThreadIdx.X % 32
	v := in[i]
	for size := 2; size <= 32; size *= 2 {
		for d := size / 2; d > 0; d /= 2 {
			w := gpu.ShflXorSync(gpu.FullMask, v, d)
			low := lane&d == 0
			up := lane&size == 0
			if low == up {
				v = min(v, w)
			} else {
				v = max(v, w)
			}
		}
	}
	out[i] = v
}

// Merge sorts eight elements in each thread by odd-even merging: K. Batcher, 1968.
//
//gpu:kernel block=256
func Merge(in, out []int32) {
	i := 8 * (gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X)
	if i+8 > len(in) {
		return
	}
	var v [8]int32
	copy(v[:], in[i:])
	for p := 1; p < 8; p *= 2 {
		for k := p; k >= 1; k /= 2 {
			for j := k % p; j < 8-k; j += 2 * k {
				for l := 0; l < k; l++ {
					if l+j+k < 8 && (l+j)/(2*p) == (l+j+k)/(2*p) && v[l+j] > v[l+j+k] {
						v[l+j], v[l+j+k] = v[l+j+k], v[l+j]
					}
				}
			}
		}
	}
	copy(out[i:], v[:])
}

// FFT transforms the points of each block in shared memory: J. Cooley and J. Tukey, "An algorithm
// for the machine calculation of complex Fourier series", 1965. roots are the roots of unity, half of
// them.
//
//gpu:kernel block=256
func FFT(in, out, roots []gpu.Float32x2) {
	v := gpu.Shared[[transform]gpu.Float32x2]()
	t, first := gpu.ThreadIdx.X, gpu.BlockIdx.X*transform
	for k := t; k < transform; k += block {
		at := 0
		for b := 1; b < transform; b *= 2 {
			at *= 2
			if k&b != 0 {
				at++
			}
		}
		v[at] = in[first+k]
	}
	gpu.SyncThreads()
	for half := 1; half < transform; half *= 2 {
		k := t % half
		i := 2*(t-k) + k
		x, z, w := v[i], v[i+half], roots[k*(transform/2/half)]
		y := gpu.Float32x2{X: z.X*w.X - z.Y*w.Y, Y: z.X*w.Y + z.Y*w.X}
		v[i] = gpu.Float32x2{X: x.X + y.X, Y: x.Y + y.Y}
		v[i+half] = gpu.Float32x2{X: x.X - y.X, Y: x.Y - y.Y}
		gpu.SyncThreads()
	}
	for k := t; k < transform; k += block {
		out[first+k] = v[k]
	}
}
