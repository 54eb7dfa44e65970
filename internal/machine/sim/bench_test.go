package sim

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// dotPTX is the kernel of the design's section 2 as the compiler writes it: a grid-stride loop with
// 64-bit indices and a bounds check of b, a tree reduction in shared memory, one result a block.
const dotPTX = `
.visible .entry dot(.param .u64 a, .param .u64 a_len, .param .u64 b, .param .u64 b_len, .param .u64 c)
{
	.reg .pred %p<8>;
	.reg .f32 %f<8>;
	.reg .b32 %r<16>;
	.reg .b64 %rd<32>;
	.shared .align 4 .b8 cache[1024];
	ld.param.u64 %rd1, [a];
	ld.param.u64 %rd2, [a_len];
	ld.param.u64 %rd3, [b];
	ld.param.u64 %rd4, [b_len];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %nctaid.x;
	mul.wide.u32 %rd5, %r2, %r3;
	cvt.u64.u32 %rd6, %r1;
	add.s64 %rd7, %rd5, %rd6;
	mul.wide.u32 %rd8, %r3, %r4;
	mov.f32 %f1, 0f00000000;
	setp.ge.s64 %p1, %rd7, %rd2;
	@%p1 bra DONE;
LOOP:
	setp.ge.u64 %p2, %rd7, %rd4;
	@%p2 bra FAIL;
	shl.b64 %rd9, %rd7, 2;
	add.s64 %rd10, %rd1, %rd9;
	ld.global.f32 %f2, [%rd10];
	add.s64 %rd11, %rd3, %rd9;
	ld.global.f32 %f3, [%rd11];
	mul.rn.f32 %f4, %f2, %f3;
	add.rn.f32 %f1, %f1, %f4;
	add.s64 %rd7, %rd7, %rd8;
	setp.lt.s64 %p3, %rd7, %rd2;
	@%p3 bra LOOP;
DONE:
	shl.b32 %r5, %r1, 2;
	mov.u32 %r6, cache;
	add.s32 %r7, %r6, %r5;
	st.shared.f32 [%r7], %f1;
	bar.sync 0;
	shr.u32 %r8, %r3, 1;
TREE:
	setp.eq.u32 %p4, %r8, 0;
	@%p4 bra STORE;
	setp.ge.u32 %p5, %r1, %r8;
	@%p5 bra SKIP;
	shl.b32 %r9, %r8, 2;
	add.s32 %r10, %r7, %r9;
	ld.shared.f32 %f5, [%r7];
	ld.shared.f32 %f6, [%r10];
	add.rn.f32 %f7, %f5, %f6;
	st.shared.f32 [%r7], %f7;
SKIP:
	bar.sync 0;
	shr.u32 %r8, %r8, 1;
	bra TREE;
STORE:
	setp.ne.u32 %p6, %r1, 0;
	@%p6 bra END;
	ld.shared.f32 %f5, [cache];
	ld.param.u64 %rd12, [c];
	mul.wide.u32 %rd13, %r2, 4;
	add.s64 %rd14, %rd12, %rd13;
	st.global.f32 [%rd14], %f5;
END:
	ret;
FAIL:
	trap;
}`

// benchmark launches again and again and reports lane instructions a second.
func benchmark(b *testing.B, r *rig, name string, l Launch, args ...any) {
	b.Helper()
	var lanes uint64
	for b.Loop() {
		s, err := r.launchAs(name, l, args...)
		if err != nil {
			b.Fatal(err)
		}
		lanes += s.LaneInstructions
	}
	b.ReportMetric(float64(lanes)/b.Elapsed().Seconds()/1e6, "Mlane/s")
}

// normal are n numbers of a normal distribution, the same in every run.
func normal(n int) []float32 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// sink keeps the results of the loops in plain Go.
var sink float32

// BenchmarkDot is the dot product of two vectors of ten million elements: by 1024 and by 64 blocks,
// on one worker and on all, and by a loop in plain Go.
func BenchmarkDot(b *testing.B) {
	const n = 10_000_000
	x, y := normal(n), normal(n)[1:]
	y = append(y, 1)
	for _, grid := range []int{1024, 64} {
		for name, workers := range map[string]int{"1core": 1, "allcores": 0} {
			b.Run(fmt.Sprintf("%dblocks/%s", grid, name), func(b *testing.B) {
				r := newRig(b, dotPTX, Config{Workers: workers})
				c := upload(r, make([]float32, grid))
				l := Launch{Grid: [3]int{grid, 1, 1}, Block: [3]int{256, 1, 1}}
				benchmark(b, r, "dot", l, upload(r, x), n, upload(r, y), n, c)
			})
		}
	}
	b.Run("go", func(b *testing.B) {
		for b.Loop() {
			var sum float32
			for i, v := range x {
				sum += v * y[i]
			}
			sink += sum
		}
	})
}

// BenchmarkReduction is a block-wide reduction in shared memory for every 256 elements, and a loop
// in plain Go with as many sums.
func BenchmarkReduction(b *testing.B) {
	const n = 256 * 1000
	x := normal(n)
	b.Run("simulator", func(b *testing.B) {
		r := rigFile(b, "testdata/nvcc/reduction.ptx", Config{Workers: 1})
		l := Launch{Grid: [3]int{1000, 1, 1}, Block: [3]int{256, 1, 1}}
		benchmark(b, r, "reduction", l, upload(r, x), upload(r, make([]float32, 1000)), int32(n))
	})
	b.Run("go", func(b *testing.B) {
		for b.Loop() {
			for i := 0; i < n; i += 256 {
				var sum float32
				for _, v := range x[i : i+256] {
					sum += v
				}
				sink += sum
			}
		}
	})
}

// BenchmarkHistogram is atomics on shared memory, BenchmarkAtomics on global memory.
func BenchmarkHistogram(b *testing.B) {
	const n = 1 << 20
	r := rigFile(b, "testdata/nvcc/histogram.ptx", Config{Workers: 1})
	benchmark(b, r, "histogram", Launch{Grid: x(32), Block: x(256)}, upload(r, make([]uint8, n)),
		upload(r, make([]uint32, 256)), n)
}

func BenchmarkAtomics(b *testing.B) {
	for name, workers := range map[string]int{"1core": 1, "allcores": 0} {
		b.Run(name, func(b *testing.B) {
			const n = 1 << 16
			r := rigFile(b, "testdata/nvcc/atomics.ptx", Config{Workers: workers})
			benchmark(b, r, "atomics", Launch{Grid: x(n / 256), Block: x(256)}, upload(r, make([]uint32, 9)),
				upload(r, make([]uint64, 2)),
				upload(r, make([]float32, 1)), upload(r, make([]float64, 1)), upload(r, make([]int32, 1)), int32(n))
		})
	}
}

// BenchmarkMatmul is a product of two matrices of 256 by 256 in tiles of 16 by 16, and three loops in
// plain Go.
func BenchmarkMatmul(b *testing.B) {
	const n = 256
	x, y := normal(n*n), normal(n*n + 1)[1:]
	b.Run("simulator", func(b *testing.B) {
		r := rigFile(b, "testdata/nvcc/matmul.ptx", Config{Workers: 1})
		l := Launch{Grid: [3]int{n / 16, n / 16, 1}, Block: [3]int{16, 16, 1}}
		benchmark(b, r, "matmul_f32", l, upload(r, x), upload(r, y), upload(r, make([]float32, n*n)), int32(n), int32(n), int32(n))
	})
	b.Run("go", func(b *testing.B) {
		c := make([]float32, n*n)
		for b.Loop() {
			clear(c)
			for i := range n {
				row := c[i*n : (i+1)*n]
				for k := range n {
					v := x[i*n+k]
					for j, w := range y[k*n : (k+1)*n] {
						row[j] += v * w
					}
				}
			}
		}
	})
}

// BenchmarkLaunch is the cost of a launch that does next to nothing.
func BenchmarkLaunch(b *testing.B) {
	r := newRig(b, ".visible .entry empty() { ret; }", Config{})
	benchmark(b, r, "empty", Launch{Grid: x(1), Block: x(32)})
}

// BenchmarkBlocks is the cost of a block that does next to nothing.
func BenchmarkBlocks(b *testing.B) {
	r := rigFile(b, "testdata/nvcc/vectors.ptx", Config{Workers: 1})
	const n = 1 << 16
	type params struct {
		A float32
		N int32
	}
	benchmark(b, r, "vectors", Launch{Grid: x(n / 256), Block: x(256)}, params{2, n},
		upload(r, make([]float32, 4*n)), upload(r, make([]float32, 4*n)), upload(r, make([]uint16, n)))
}
