package npy

import (
	"encoding/binary"
	"fmt"

	"github.com/gridstride/gridstride/internal/math/half"
)

// Element is a type that an array's elements can have.
type Element interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// Vector is the elements of a one-dimensional array of T.
func Vector[T Element](a *Array) ([]T, error) {
	if want := dtypeOf[T](); a.Dtype != want {
		return nil, fmt.Errorf("holds %s, not %s", a.Name(), dtypeName(want))
	}
	if len(a.Shape) != 1 {
		return nil, fmt.Errorf("has %d dimensions %s, not one", len(a.Shape), tuple(a.Shape))
	}
	v := make([]T, a.Len())
	if _, err := binary.Decode(a.Data, binary.LittleEndian, v); err != nil {
		return nil, err
	}
	return v, nil
}

// FromVector is the one-dimensional array of the elements v.
func FromVector[T Element](v []T) *Array {
	data, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return &Array{Dtype: dtypeOf[T](), Shape: []int{len(v)}, Data: data}
}

// dtypeOf is NumPy's name of T.
func dtypeOf[T Element]() string {
	switch any(*new(T)).(type) {
	case int8:
		return "|i1"
	case uint8:
		return "|u1"
	case int16:
		return "<i2"
	case uint16:
		return "<u2"
	case int32:
		return "<i4"
	case uint32:
		return "<u4"
	case int64:
		return "<i8"
	case uint64:
		return "<u8"
	case float32:
		return "<f4"
	default:
		return "<f8"
	}
}

// Floats are the elements of an array of any shape, in row-major order, each converted to T as Go
// converts numbers. true is 1.
func Floats[T float32 | float64](a *Array) ([]T, error) {
	switch a.Dtype {
	case "<f4":
		return converted[float32, T](a)
	case "<f8":
		return converted[float64, T](a)
	case "|i1":
		return converted[int8, T](a)
	case "|u1", "|b1":
		return converted[uint8, T](a)
	case "<i2":
		return converted[int16, T](a)
	case "<u2":
		return converted[uint16, T](a)
	case "<i4":
		return converted[int32, T](a)
	case "<u4":
		return converted[uint32, T](a)
	case "<i8":
		return converted[int64, T](a)
	case "<u8":
		return converted[uint64, T](a)
	case "<f2":
		return widened[T](a, half.F16ToF32), nil
	case "<V2":
		return widened[T](a, half.BF16ToF32), nil
	}
	return nil, fmt.Errorf("holds %s; save x.astype(numpy.float32)", a.Name())
}

// widened is the elements of an array of numbers of 16 bits.
func widened[T float32 | float64](a *Array, value func(uint16) float32) []T {
	to := make([]T, a.Len())
	for i := range to {
		to[i] = T(value(binary.LittleEndian.Uint16(a.Data[2*i:])))
	}
	return to
}

func converted[E Element, T float32 | float64](a *Array) ([]T, error) {
	from := make([]E, a.Len())
	if _, err := binary.Decode(a.Data, binary.LittleEndian, from); err != nil {
		return nil, err
	}
	if same, ok := any(from).([]T); ok {
		return same, nil
	}
	to := make([]T, len(from))
	for i, v := range from {
		to[i] = T(v)
	}
	return to, nil
}
