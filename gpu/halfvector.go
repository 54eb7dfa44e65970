package gpu

// HalfPair has the methods that the pairs of numbers of 16 bits share, for generic functions: P is
// the pair itself, and H the type of its lanes.
type HalfPair[H, P any] interface {
	Float16x2 | BFloat16x2

	Add(w P) P
	Sub(w P) P
	Mul(w P) P
	FMA(x, y P) P
	Neg() P
	Abs() P
	Min(w P) P
	Max(w P) P

	Float32x2() Float32x2
	Sum() H
	Lanes() int
	Lane(i int) H
	With(i int, x H) P
}

// Float16x2 is two Float16, side by side in four bytes: CUDA's __half2. Each of its methods down to
// Max is one instruction for both lanes, where the target has it.
type Float16x2 struct{ X, Y Float16 }

// Add is v + w lane by lane.
func (v Float16x2) Add(w Float16x2) Float16x2 { return Float16x2{v.X.Add(w.X), v.Y.Add(w.Y)} }

// Sub is v - w lane by lane.
func (v Float16x2) Sub(w Float16x2) Float16x2 { return Float16x2{v.X.Sub(w.X), v.Y.Sub(w.Y)} }

// Mul is v * w lane by lane.
func (v Float16x2) Mul(w Float16x2) Float16x2 { return Float16x2{v.X.Mul(w.X), v.Y.Mul(w.Y)} }

// FMA is v*x + y lane by lane, each rounded once.
func (v Float16x2) FMA(x, y Float16x2) Float16x2 {
	return Float16x2{v.X.FMA(x.X, y.X), v.Y.FMA(x.Y, y.Y)}
}

// Neg is -v lane by lane.
func (v Float16x2) Neg() Float16x2 { return Float16x2{v.X.Neg(), v.Y.Neg()} }

// Abs is the absolute value of v lane by lane.
func (v Float16x2) Abs() Float16x2 { return Float16x2{v.X.Abs(), v.Y.Abs()} }

// Min is the smaller of v and w lane by lane, as [Float16.Min] has it.
func (v Float16x2) Min(w Float16x2) Float16x2 { return Float16x2{v.X.Min(w.X), v.Y.Min(w.Y)} }

// Max is the larger of v and w lane by lane, as [Float16.Max] has it.
func (v Float16x2) Max(w Float16x2) Float16x2 { return Float16x2{v.X.Max(w.X), v.Y.Max(w.Y)} }

// Float32x2 is v with lanes of float32, exactly.
func (v Float16x2) Float32x2() Float32x2 { return Float32x2{v.X.Float32(), v.Y.Float32()} }

// Float16x2 is v with each lane rounded to nearest.
func (v Float32x2) Float16x2() Float16x2 { return Float16x2{Float16Of(v.X), Float16Of(v.Y)} }

// Sum is X + Y.
func (v Float16x2) Sum() Float16 { return v.X.Add(v.Y) }

// Lanes is 2.
func (v Float16x2) Lanes() int { return 2 }

// Lane is lane i.
func (v Float16x2) Lane(i int) Float16 { return [2]Float16{v.X, v.Y}[i] }

// With is v with x in lane i.
func (v Float16x2) With(i int, x Float16) Float16x2 {
	a := [2]Float16{v.X, v.Y}
	a[i] = x
	return Float16x2{a[0], a[1]}
}

// Float16x8 is eight Float16, in four pairs: 16 bytes, as many as one instruction reads. Lane 2*i
// is X of pair i, and lane 2*i + 1 is Y.
type Float16x8 struct{ X, Y, Z, W Float16x2 }

// FMA is v*x + y lane by lane, each rounded once.
func (v Float16x8) FMA(x, y Float16x8) Float16x8 {
	return Float16x8{v.X.FMA(x.X, y.X), v.Y.FMA(x.Y, y.Y), v.Z.FMA(x.Z, y.Z), v.W.FMA(x.W, y.W)}
}

// Sum is the sum of the pairs, (X+Y) + (Z+W), and then of the two lanes of that.
func (v Float16x8) Sum() Float16 { return v.X.Add(v.Y).Add(v.Z.Add(v.W)).Sum() }

// Lanes is 8.
func (v Float16x8) Lanes() int { return 8 }

// Lane is lane i.
func (v Float16x8) Lane(i int) Float16 { return [4]Float16x2{v.X, v.Y, v.Z, v.W}[i>>1].Lane(i & 1) }

// With is v with x in lane i.
func (v Float16x8) With(i int, x Float16) Float16x8 {
	a := [4]Float16x2{v.X, v.Y, v.Z, v.W}
	a[i>>1] = a[i>>1].With(i&1, x)
	return Float16x8{a[0], a[1], a[2], a[3]}
}

// BFloat16x2 is two BFloat16, side by side in four bytes: CUDA's __nv_bfloat162. Each of its
// methods down to Max is one instruction for both lanes, where the target has it.
type BFloat16x2 struct{ X, Y BFloat16 }

// Add is v + w lane by lane.
func (v BFloat16x2) Add(w BFloat16x2) BFloat16x2 { return BFloat16x2{v.X.Add(w.X), v.Y.Add(w.Y)} }

// Sub is v - w lane by lane.
func (v BFloat16x2) Sub(w BFloat16x2) BFloat16x2 { return BFloat16x2{v.X.Sub(w.X), v.Y.Sub(w.Y)} }

// Mul is v * w lane by lane.
func (v BFloat16x2) Mul(w BFloat16x2) BFloat16x2 { return BFloat16x2{v.X.Mul(w.X), v.Y.Mul(w.Y)} }

// FMA is v*x + y lane by lane, each rounded once.
func (v BFloat16x2) FMA(x, y BFloat16x2) BFloat16x2 {
	return BFloat16x2{v.X.FMA(x.X, y.X), v.Y.FMA(x.Y, y.Y)}
}

// Neg is -v lane by lane.
func (v BFloat16x2) Neg() BFloat16x2 { return BFloat16x2{v.X.Neg(), v.Y.Neg()} }

// Abs is the absolute value of v lane by lane.
func (v BFloat16x2) Abs() BFloat16x2 { return BFloat16x2{v.X.Abs(), v.Y.Abs()} }

// Min is the smaller of v and w lane by lane, as [BFloat16.Min] has it.
func (v BFloat16x2) Min(w BFloat16x2) BFloat16x2 { return BFloat16x2{v.X.Min(w.X), v.Y.Min(w.Y)} }

// Max is the larger of v and w lane by lane, as [BFloat16.Max] has it.
func (v BFloat16x2) Max(w BFloat16x2) BFloat16x2 { return BFloat16x2{v.X.Max(w.X), v.Y.Max(w.Y)} }

// Float32x2 is v with lanes of float32, exactly.
func (v BFloat16x2) Float32x2() Float32x2 { return Float32x2{v.X.Float32(), v.Y.Float32()} }

// BFloat16x2 is v with each lane rounded to nearest.
func (v Float32x2) BFloat16x2() BFloat16x2 { return BFloat16x2{BFloat16Of(v.X), BFloat16Of(v.Y)} }

// Sum is X + Y.
func (v BFloat16x2) Sum() BFloat16 { return v.X.Add(v.Y) }

// Lanes is 2.
func (v BFloat16x2) Lanes() int { return 2 }

// Lane is lane i.
func (v BFloat16x2) Lane(i int) BFloat16 { return [2]BFloat16{v.X, v.Y}[i] }

// With is v with x in lane i.
func (v BFloat16x2) With(i int, x BFloat16) BFloat16x2 {
	a := [2]BFloat16{v.X, v.Y}
	a[i] = x
	return BFloat16x2{a[0], a[1]}
}

// BFloat16x8 is eight BFloat16, in four pairs: 16 bytes, as many as one instruction reads. Lane 2*i
// is X of pair i, and lane 2*i + 1 is Y.
type BFloat16x8 struct{ X, Y, Z, W BFloat16x2 }

// FMA is v*x + y lane by lane, each rounded once.
func (v BFloat16x8) FMA(x, y BFloat16x8) BFloat16x8 {
	return BFloat16x8{v.X.FMA(x.X, y.X), v.Y.FMA(x.Y, y.Y), v.Z.FMA(x.Z, y.Z), v.W.FMA(x.W, y.W)}
}

// Sum is the sum of the pairs, (X+Y) + (Z+W), and then of the two lanes of that.
func (v BFloat16x8) Sum() BFloat16 { return v.X.Add(v.Y).Add(v.Z.Add(v.W)).Sum() }

// Lanes is 8.
func (v BFloat16x8) Lanes() int { return 8 }

// Lane is lane i.
func (v BFloat16x8) Lane(i int) BFloat16 { return [4]BFloat16x2{v.X, v.Y, v.Z, v.W}[i>>1].Lane(i & 1) }

// With is v with x in lane i.
func (v BFloat16x8) With(i int, x BFloat16) BFloat16x8 {
	a := [4]BFloat16x2{v.X, v.Y, v.Z, v.W}
	a[i>>1] = a[i>>1].With(i&1, x)
	return BFloat16x8{a[0], a[1], a[2], a[3]}
}
