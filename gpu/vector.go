package gpu

// The package's comment says what the vector types share.

// Float32x2 is two float32.
type Float32x2 struct{ X, Y float32 }

// Float32x4 is four float32.
type Float32x4 struct{ X, Y, Z, W float32 }

// Float64x2 is two float64.
type Float64x2 struct{ X, Y float64 }

// FloatVector has the methods that the vectors of floating-point numbers share, for generic
// functions: V is the vector itself, and T the type of its lanes.
type FloatVector[T Real, V any] interface {
	Float32x2 | Float32x4 | Float64x2 | Float16x2 | BFloat16x2 | Float16x8 | BFloat16x8

	// FMA is v*x + y lane by lane, each rounded once (see [FMA]).
	FMA(x, y V) V
	// Sum is the sum of the lanes: X+Y, or (X+Y) + (Z+W), each sum rounded.
	Sum() T
	// Lanes is the number of lanes.
	Lanes() int
	// Lane is lane i. It costs nothing where i is known when the kernel is compiled.
	Lane(i int) T
	// With is v with x in lane i.
	With(i int, x T) V
}

// FMA is v*x + y lane by lane, each rounded once.
func (v Float32x2) FMA(x, y Float32x2) Float32x2 {
	return Float32x2{FMA(v.X, x.X, y.X), FMA(v.Y, x.Y, y.Y)}
}

// FMA is v*x + y lane by lane, each rounded once.
func (v Float32x4) FMA(x, y Float32x4) Float32x4 {
	return Float32x4{FMA(v.X, x.X, y.X), FMA(v.Y, x.Y, y.Y), FMA(v.Z, x.Z, y.Z), FMA(v.W, x.W, y.W)}
}

// FMA is v*x + y lane by lane, each rounded once.
func (v Float64x2) FMA(x, y Float64x2) Float64x2 {
	return Float64x2{FMA(v.X, x.X, y.X), FMA(v.Y, x.Y, y.Y)}
}

// Sum is X + Y.
func (v Float32x2) Sum() float32 { return v.X + v.Y }

// Sum is (X+Y) + (Z+W).
func (v Float32x4) Sum() float32 { return (v.X + v.Y) + (v.Z + v.W) }

// Sum is X + Y.
func (v Float64x2) Sum() float64 { return v.X + v.Y }

// Lanes is 2.
func (v Float32x2) Lanes() int { return 2 }

// Lane is lane i.
func (v Float32x2) Lane(i int) float32 { return [2]float32{v.X, v.Y}[i] }

// With is v with x in lane i.
func (v Float32x2) With(i int, x float32) Float32x2 {
	a := [2]float32{v.X, v.Y}
	a[i] = x
	return Float32x2{a[0], a[1]}
}

// Lanes is 4.
func (v Float32x4) Lanes() int { return 4 }

// Lane is lane i.
func (v Float32x4) Lane(i int) float32 { return [4]float32{v.X, v.Y, v.Z, v.W}[i] }

// With is v with x in lane i.
func (v Float32x4) With(i int, x float32) Float32x4 {
	a := [4]float32{v.X, v.Y, v.Z, v.W}
	a[i] = x
	return Float32x4{a[0], a[1], a[2], a[3]}
}

// Lanes is 2.
func (v Float64x2) Lanes() int { return 2 }

// Lane is lane i.
func (v Float64x2) Lane(i int) float64 { return [2]float64{v.X, v.Y}[i] }

// With is v with x in lane i.
func (v Float64x2) With(i int, x float64) Float64x2 {
	a := [2]float64{v.X, v.Y}
	a[i] = x
	return Float64x2{a[0], a[1]}
}

// Int32x2 is two int32.
type Int32x2 struct{ X, Y int32 }

// Int32x4 is four int32.
type Int32x4 struct{ X, Y, Z, W int32 }

// Uint32x2 is two uint32.
type Uint32x2 struct{ X, Y uint32 }

// Uint32x4 is four uint32.
type Uint32x4 struct{ X, Y, Z, W uint32 }

// Int64x2 is two int64.
type Int64x2 struct{ X, Y int64 }

// Uint64x2 is two uint64.
type Uint64x2 struct{ X, Y uint64 }
