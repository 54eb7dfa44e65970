// Package device is kernels over package gpu. The compiler's test runs them on the simulator and compares what they write with what the host
// computes.
package device

import "github.com/gridstride/gridstride/gpu"

// Index writes who each thread is.
//
//gpu:kernel
func Index(in, out []int64) {
	block := gpu.BlockIdx.X + gpu.GridDim.X*(gpu.BlockIdx.Y+gpu.GridDim.Y*gpu.BlockIdx.Z)
	thread := gpu.ThreadIdx.X + gpu.BlockDim.X*(gpu.ThreadIdx.Y+gpu.BlockDim.Y*gpu.ThreadIdx.Z)
	who := gpu.ThreadIdx
	i := block*gpu.BlockDim.X*gpu.BlockDim.Y*gpu.BlockDim.Z + thread
	out[2*i] = int64(who.X + 100*who.Y + 10000*who.Z)
	out[2*i+1] = int64(gpu.LaneID() + 100*gpu.WarpID())
}

// Strided adds in with a grid-stride loop that skips, stops early in one thread and changes its variable.
//
//gpu:kernel
func Strided(in, out []int64) {
	calls := 0
outer:
	for i := range gpu.GridStride(len(in)) {
		switch {
		case in[i]%5 == 0:
			continue
		case in[i] == 77:
			break outer
		}
		f := func() { out[i] = 2 * in[i] }
		f()
		i += 1000
		calls++
	}
	n := 0
	for range gpu.GridStride(3) {
		n++
	}
	j := -1
	for j = range gpu.GridStride(len(in)) {
	}
	gpu.AtomicAdd(&out[len(in)], int64(calls))
	gpu.AtomicAdd(&out[len(in)+1], int64(n))
	gpu.AtomicMax(&out[len(in)+2], int64(j))
}

// Reverse reverses each block's part through shared memory, static and dynamic.
//
//gpu:kernel
func Reverse(in, out []int64) {
	static := gpu.Shared[[64]int64]()
	dynamic := gpu.DynamicShared[int32]()
	base, t, n := gpu.BlockIdx.X*gpu.BlockDim.X, gpu.ThreadIdx.X, gpu.BlockDim.X
	static[t] = in[base+t]
	dynamic[t] = int32(in[base+t])
	gpu.SyncThreads()
	out[base+t] = static[n-1-t]*1000 + int64(dynamic[n-1-t])
	if t == 0 {
		out[gpu.GridDim.X*n+gpu.BlockIdx.X] = int64(len(dynamic))
	}
}

// Warp sums with shuffles of all kinds, and votes.
//
//gpu:kernel
func Warp(in, out []int64) {
	t := gpu.ThreadIdx.X
	v := float32(in[t])
	for d := gpu.WarpSize / 2; d > 0; d /= 2 {
		v += gpu.ShflDownSync(gpu.FullMask, v, d)
	}
	w := in[t]
	for d := 1; d < gpu.WarpSize; d *= 2 {
		w += gpu.ShflXorSync(gpu.FullMask, w, d)
	}
	up := gpu.ShflUpSync(gpu.FullMask, uint32(in[t]), 3)
	first := gpu.ShflSync(gpu.FullMask, float64(in[t])/4, 5)
	odd := gpu.BallotSync(gpu.FullMask, in[t]%2 != 0)
	o := out[8*t : 8*t+8]
	o[0] = int64(gpu.ShflSync(gpu.FullMask, v, 0))
	o[1] = w
	o[2] = int64(up)
	o[3] = int64(first * 4)
	o[4] = int64(odd)
	if gpu.AnySync(gpu.FullMask, in[t] == 3) {
		o[5] = 1
	}
	if gpu.AllSync(gpu.FullMask, in[t] >= 0) {
		o[5] += 2
	}
	o[6] = int64(gpu.ActiveMask())
	gpu.SyncWarp(gpu.FullMask)
	if t%32 < 16 {
		o[7] = int64(gpu.ShflSync(0xffff, int32(t), 15))
	}
}

// Match finds the lanes with equal values: of 64 bits in the first half of the warp, of 32 in all.
//
//gpu:kernel
func Match(in, out []int64) {
	t := gpu.ThreadIdx.X
	if t < 16 {
		out[2*t] = int64(gpu.MatchAnySync(0xffff, in[t]<<32))
	}
	gpu.SyncWarp(gpu.FullMask)
	out[2*t+1] = int64(gpu.MatchAnySync(gpu.FullMask, int32(in[t])))
}

type integer interface {
	~int32 | ~uint32 | ~int64 | ~uint64
}

// Atomics is every atomic on integers, by all threads on the same place.
//
//gpu:kernel T=int32,uint32,int64,uint64
func Atomics[T integer](in, out []int64) {
	s := gpu.Shared[[8]T]()
	t := gpu.ThreadIdx.X
	if t < 8 {
		s[t] = 0
	}
	if t == 2 || t == 4 {
		s[t] = ^T(0)
	}
	gpu.SyncThreads()
	v := T(in[t])
	gpu.AtomicAdd(&s[0], v)
	gpu.AtomicSub(&s[1], v)
	gpu.AtomicMin(&s[2], v)
	gpu.AtomicMax(&s[3], v)
	gpu.AtomicAnd(&s[4], v)
	gpu.AtomicOr(&s[5], v)
	gpu.AtomicXor(&s[6], v)
	for {
		old := gpu.AtomicOr(&s[7], 0)
		if gpu.AtomicCAS(&s[7], old, old+2) == old {
			break
		}
	}
	gpu.SyncThreads()
	if t < 8 {
		out[t] = int64(s[t])
	}
	out[8+t] = int64(gpu.AtomicExch(&s[t%8], 5)) & 0 // which thread gets which value is not determined
	gpu.SyncThreads()
	if t < 8 {
		out[8+len(in)+t] = int64(s[t])
	}
}

// Counters are the wrapping counters and sums of floats, in global memory.
//
//gpu:kernel
func Counters(in, out []int64, counters []uint32, sums []float64, small []float32) {
	gpu.AtomicInc(&counters[0], 6)
	gpu.AtomicDec(&counters[1], 6)
	gpu.AtomicAdd(&sums[0], 0.5)
	gpu.AtomicSub(&small[0], 2)
	gpu.ThreadFence()
	gpu.ThreadFenceBlock()
	gpu.ThreadFenceSystem()
}

type particle struct {
	pos  gpu.Float32x4
	id   int32
	pair gpu.Int32x2
}

// Vectors moves vectors whole and by parts.
//
//gpu:kernel
func Vectors(in, out []int64, v []gpu.Float32x4, p []particle, d []gpu.Float64x2) {
	tile := gpu.Shared[[4]gpu.Float32x4]()
	t := gpu.ThreadIdx.X
	x := v[t]
	x.X, x.W = x.W, x.X
	tile[t] = x
	gpu.SyncThreads()
	y := tile[3-t]
	v[t] = y
	q := p[t]
	q.pos.Y += y.Y
	q.pair = gpu.Int32x2{X: q.pair.Y, Y: q.id}
	p[t] = q
	d[t] = gpu.Float64x2{X: float64(y.X), Y: d[t].X}
	if x == (gpu.Float32x4{X: 3, Y: 1, Z: 2, W: 0}) {
		out[0] = int64(t) + 1
	}
}

// Lanes calls the methods of vectors: v[3] becomes v[0]*v[1] + v[2].
//
//gpu:kernel T:V=float32:gpu.Float32x2,float32:gpu.Float32x4,float64:gpu.Float64x2
func Lanes[T gpu.Float, V gpu.FloatVector[T, V]](in, out []int64, v []V, sums []T) {
	v[3] = v[0].FMA(v[1], v[2])
	sums[0] = v[1].Sum()
}

// Exact is the functions of gpu on float32.
//
//gpu:kernel
func Exact(in, out []int64, f []float32) {
	x, y := f[0], f[1]
	f[2] = gpu.Sqrt(x)
	f[3] = gpu.Abs(y)
	f[4] = gpu.Min(x, y)
	f[5] = gpu.Max(x, y)
	f[6] = gpu.Floor(y)
	f[7] = gpu.Ceil(y)
	f[8] = gpu.Trunc(y)
	f[9] = gpu.FMA(x, y, 1)
	f[10] = gpu.Copysign(x, y)
	if gpu.IsInf(x/0, 1) && !gpu.IsInf(x, 0) && gpu.IsNaN(gpu.Sqrt(y)) && !gpu.IsNaN(x) {
		f[11] = 1
	}
	f[12] = gpu.Min(gpu.Sqrt(y), -x/0) // NaN and -Inf
	f[13] = gpu.Max(x/0, gpu.Sqrt(y))
}

// Assertion fails where its message says.
//
//gpu:kernel
func Assertion(in, out []int64) {
	gpu.Assert(gpu.ThreadIdx.X < 7, "only seven threads")
	gpu.Assert(gpu.ThreadIdx.X >= 0, "")
	out[gpu.ThreadIdx.X] = 1
}

type options struct {
	scale  float64
	offset [3]int16
	flip   bool
}

// Params takes parameters of every kind.
//
//gpu:kernel
func Params(in, out []int64, a int8, b uint16, c int32, d uint, e float32, f bool, o options, table [80]int32, g int64) {
	i := in[0]
	out[0] = int64(a)
	out[1] = int64(b)
	out[2] = int64(c)
	out[3] = int64(d)
	out[4] = int64(e * 4)
	if f {
		out[5] = 1
	}
	out[6] = int64(o.scale * 2)
	out[7] = int64(o.offset[i])
	if o.flip {
		out[8] = 1
	}
	out[9] = int64(table[i])
	out[10] = int64(table[79])
	out[11] = g
	table[i]++
	out[12] = int64(table[i])
}

type signal struct {
	n int8
	c complex128
	d [2]complex64
}

// Complex has complex numbers as elements, as parameters and in shared memory.
//
//gpu:kernel
func Complex(in, out []int64, z []complex64, w []complex128, p complex64, q signal, s []signal) {
	cache := gpu.Shared[[32]complex64]()
	t := gpu.ThreadIdx.X
	cache[t] = z[t] * p
	gpu.SyncThreads()
	other := cache[31-t]
	w[t] += q.c * complex128(other)
	z[t] = other / (q.d[t&1] + 1i)
	s[t].c = w[t]
	s[t].d[1] = complex(imag(z[t]), float32(q.n))
}

type matrix[T any] struct {
	data       []T
	_          [3]int32
	rows, cols int
}

func (m *matrix[T]) at(i, j int) *T { return &m.data[i*m.cols+j] }

func (m matrix[T]) row(i int) matrix[T] {
	m.data, m.rows = m.data[i*m.cols:][:m.cols], 1
	return m
}

type batch struct {
	lead  int8
	pair  [2]matrix[float64]
	none  struct{}
	scale gpu.Float32x4
	list  []gpu.Float32x4
	bias  complex64
}

// Matrices has slices and vectors in structs that are parameters.
//
//gpu:kernel
func Matrices(in, out []int64, m matrix[int32], b batch) {
	i, j := gpu.ThreadIdx.X/m.cols, gpu.ThreadIdx.X%m.cols
	*m.at(i, j) += int32(m.rows)
	x, y := b.pair[0], b.pair[in[2]]
	last := x.row(1)
	*last.at(0, j) = *y.at(1, j) * float64(b.scale.Z) * float64(real(b.bias))
	if t := gpu.ThreadIdx.X; t < len(b.list) {
		b.list[t].Y += b.scale.W
	}
	out[gpu.ThreadIdx.X] = int64(len(x.data)) + int64(cap(last.data)) + int64(b.lead) + in[last.rows]
}

// Many has more scalars in its parameter than registers should hold.
//
//gpu:kernel
func Many(in, out []int64, list [30]struct {
	s []int32
	n int
}) {
	t := &list[gpu.ThreadIdx.X]
	out[gpu.ThreadIdx.X] = int64(t.s[t.n]) + in[0] + int64(list[29].n)
	t.s[0]++
}

type halves struct {
	x    gpu.Float16
	pair gpu.Float16x2 // at a multiple of 2 only
	list [3]gpu.BFloat16
	same lanes
}

// lanes is made as a pair is, and may lie at any even address.
type lanes struct{ X, Y gpu.BFloat16 }

// Halves moves numbers of 16 bits about: as parameters, in memory of all kinds, whole and by parts.
//
//gpu:kernel
func Halves(in, out []int64, o halves, s []halves, e []gpu.Float16x8) {
	i := int(in[0])
	put := func(x uint16) {
		out[i] = int64(x)
		i++
	}
	put(o.x.Bits())
	put(o.pair.X.Bits())
	put(o.pair.Y.Bits())
	put(o.list[in[1]].Bits())
	put(o.same.Y.Bits())

	t := s[1]
	t.pair = t.pair.Add(o.pair)
	t.pair.X = o.x
	t.same = lanes(gpu.BFloat16x2(t.same).Neg())
	s[0] = t
	if s[0] == t && s[0] != s[1] && t.pair.X != t.pair.Y {
		put(1)
	}

	tile := gpu.Shared[[4]gpu.Float16x2]()
	var local [4]gpu.Float16x2
	for k := range local {
		tile[k] = gpu.Float16x2{X: e[0].Lane(k), Y: e[0].Lane(k + 4)}
		local[k] = tile[k].Mul(o.pair)
		local[k].Y = tile[k].X
	}
	pick := local[in[1]]
	put(pick.X.Bits())
	put(pick.Y.Bits())
	p := &local[in[1]]
	p.X = p.Y
	put(p.X.Bits())
	e[1] = gpu.Float16x8{X: tile[0], Y: local[1], Z: tile[in[1]], W: local[in[1]]}.With(7, o.x)
	e[2] = e[0].FMA(e[0], e[1])
	put(uint16(o.x.Float32()))
	put(uint16(-o.list[0].Float64()))
}

// Reals is the functions for all floating-point types.
//
//gpu:kernel T=gpu.Float16,gpu.BFloat16,float32,float64
func Reals[T gpu.Real](in, out []int64, x []T) {
	x[1] = gpu.FromFloat32[T](gpu.ToFloat32(x[0]) * 2)
	x[2] = gpu.FromFloat64[T](gpu.ToFloat64(x[0]) / 3)
}
