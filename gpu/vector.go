package gpu

// What the vector types have in common is said in the package's comment.

// Float32x2 is two float32.
type Float32x2 struct{ X, Y float32 }

// Float32x4 is four float32.
type Float32x4 struct{ X, Y, Z, W float32 }

// Float64x2 is two float64.
type Float64x2 struct{ X, Y float64 }

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
