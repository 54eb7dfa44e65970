package gpu

// Signed is the signed integer types.
type Signed interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64
}

// Unsigned is the unsigned integer types.
type Unsigned interface {
	~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Integer is the integer types.
type Integer interface {
	Signed | Unsigned
}

// Float is the floating-point types.
type Float interface {
	~float32 | ~float64
}

// Real is the floating-point types, including those with 16 bits. [ToFloat32] and [FromFloat32]
// convert them, so that one kernel can serve all.
type Real interface {
	Float | Float16 | BFloat16
}

// Number is the integer and floating-point types.
type Number interface {
	Integer | Float
}

// Atomic is the types that atomics are for: numbers, including 16-bit floating-point numbers, and
// pairs of these.
type Atomic interface {
	Number | Float16 | BFloat16 | Float16x2 | BFloat16x2
}

// Bitwise is the types that [AtomicCAS] compares, bit for bit: integers, numbers of 16 bits and
// pairs of them.
type Bitwise interface {
	Integer | Float16 | BFloat16 | Float16x2 | BFloat16x2
}

// WordInteger is the integer types of 32 and 64 bits.
type WordInteger interface {
	~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64
}

// Word is the number types of 32 and 64 bits.
type Word interface {
	WordInteger | Float
}
