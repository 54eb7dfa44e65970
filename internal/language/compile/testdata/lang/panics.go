package lang

import "math"

// The kernels of this file fail, or not, as the first number of their input says.

//gpu:kernel
func Index(in, out []int64) {
	out[0] = 1
	out[1] = in[in[0]]
	out[2] = 2
}

//gpu:kernel
func IndexArray(in, out []int64) {
	var a [4]int8
	a[in[0]] = 3
	b := a
	out[0] = int64(b[uint8(in[0])])
}

//gpu:kernel
func SliceBounds(in, out []int64) {
	i := in[0]
	_ = in[:i]
	_ = in[2:i:6]
	_ = in[i:][2:]
	var a [5]int
	_ = a[:i]
	_ = a[i:4]
	_ = a[1 : 3 : i+1]
	_ = in[1:3:i]
	_ = [4]int64(in[:i])
	out[0] = 1
}

// Bounds makes one of the checks of an index, in[0]. Which one is in[1].
//
//gpu:kernel T=int8,int16,int32,int64,int,uint8,uint16,uint32,uint64,uint
func Bounds[T integer](in, out []int64) {
	i, s := T(in[0]), in[:3:5]
	var a [5]int64
	switch in[1] {
	case 0:
		out[0] = s[i]
	case 1:
		out[0] = a[i]
	case 2:
		out[0] = int64(len(s[:i]))
	case 3:
		out[0] = int64(len(a[:i]))
	case 4:
		out[0] = int64(len(s[i:]))
	case 5:
		out[0] = int64(len(s[i:2]))
	case 6:
		out[0] = int64(cap(s[:2:i]))
	case 7:
		out[0] = int64(cap(a[:2:i]))
	case 8:
		out[0] = int64(len(s[:i:4]))
	case 9:
		out[0] = int64(len(s[i:2:4]))
	}
}

//gpu:kernel
func Divide(in, out []int64) {
	out[0] = 100 / in[0]
	out[1] = int64(7 % int8(in[0]))
	out[2] = int64(uint16(9) / uint16(in[0]))
}

//gpu:kernel
func ShiftCount(in, out []int64) {
	out[0] = 1 << in[0]
	out[1] = 1 >> int8(in[0])
}

//gpu:kernel
func NilPointer(in, out []int64) {
	var v vec
	p := &v
	if in[0] < 0 {
		p = nil
	}
	out[0] = int64(math.Float64bits(p.y))
	p.x = 3
	var arr *[4]int64
	if in[0] == 3 {
		out[1] = arr[1]
	}
	if in[0] == 4 {
		out[1] = int64(len(arr[:]))
	}
	n := &node{value: 1}
	if in[0] == 5 {
		out[2] = n.next.value
	}
	if in[0] == 6 {
		n.next.value = 3
	}
	out[3] = int64(len(arr))
}

//gpu:kernel
func Panics(in, out []int64) {
	out[0] = 5
	if in[0] == 3 {
		panic("three is not allowed")
	}
	out[1] = check(in[0])
}

func check(x int64) int64 {
	if x > 100 {
		panic("too large")
	}
	switch {
	case x < 0:
		panic("negative")
	default:
		return x * 2
	}
}

//gpu:kernel
//gpu:nobounds
func NoBounds(in, out []int64) {
	s := in[1:4]
	out[0] = s[in[2]&1]
	out[1] = 7 / in[0]
}
