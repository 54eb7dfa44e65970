package kernels

import "math"

// wordsOf returns a number in words of up to epochBit bits, and how many they are: 0 for a type that is
// none of Go's numbers.
func wordsOf[T any](v T) (w [2]uint64, words int) {
	switch v := any(v).(type) {
	case Count:
		return [2]uint64{uint64(v)}, 1
	case int8:
		return [2]uint64{uint64(uint8(v))}, 1
	case int16:
		return [2]uint64{uint64(uint16(v))}, 1
	case int32:
		return [2]uint64{uint64(uint32(v))}, 1
	case uint8:
		return [2]uint64{uint64(v)}, 1
	case uint16:
		return [2]uint64{uint64(v)}, 1
	case uint32:
		return [2]uint64{uint64(v)}, 1
	case float32:
		return [2]uint64{uint64(math.Float32bits(v))}, 1
	case int:
		return halves(uint64(v)), 2
	case int64:
		return halves(uint64(v)), 2
	case uint:
		return halves(uint64(v)), 2
	case uint64:
		return halves(v), 2
	case float64:
		return halves(math.Float64bits(v)), 2
	}
	return w, 0
}

func halves(v uint64) [2]uint64 { return [2]uint64{v & (1<<32 - 1), v >> 32} }

// ofWords is the number of which [wordsOf] returns the words, from words with an epoch. Other types
// have none: it returns their zero.
func ofWords[T any](w [2]uint64) (v T) {
	low, both := uint32(w[0]), w[1]<<32|w[0]&(1<<32-1)
	switch any(v).(type) {
	case Count:
		return any(Count(w[0] & (1<<epochBit - 1))).(T)
	case int8:
		return any(int8(low)).(T)
	case int16:
		return any(int16(low)).(T)
	case int32:
		return any(int32(low)).(T)
	case uint8:
		return any(uint8(low)).(T)
	case uint16:
		return any(uint16(low)).(T)
	case uint32:
		return any(low).(T)
	case float32:
		return any(math.Float32frombits(low)).(T)
	case int:
		return any(int(both)).(T)
	case int64:
		return any(int64(both)).(T)
	case uint:
		return any(uint(both)).(T)
	case uint64:
		return any(both).(T)
	case float64:
		return any(math.Float64frombits(both)).(T)
	}
	return v
}
