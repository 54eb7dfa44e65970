package p

import "github.com/gridstride/gridstride/gpu"

type point struct{ x, y float32 }
type named struct {
	name string
}
type holder struct {
	data []float32
	next *holder
}

//gpu:kernel
func Result(a []float32) float32 { // ERROR 26:"kernel Result has a result: a kernel writes its results to a slice"
	return a[0]
}

//gpu:kernel
func (p point) Method(a []float32) {} // ERROR 16:"kernel Method is a method: make it a function"

//gpu:kernel
func Variadic(a ...float32) {} // ERROR 15:"kernel Variadic is variadic: take a slice"

//gpu:kernel
func _(a []float32) {} // ERROR 6:"cannot be called _"

//gpu:kernel
func Blank(_ []float32) {} // ERROR 12:"a parameter of kernel Blank has no name"

//gpu:kernel
func Unnamed([]float32) {} // ERROR 14:"parameter 0 of kernel Unnamed has no name"

//gpu:kernel
func External(a []float32) // ERROR 6:"kernel External has no body"

//gpu:kernel
func Params( // ERROR 12:"the parameters of kernel Params take 80.. bytes, more than 4088: pass large arrays as slices"
	m map[int]int, // ERROR 4:"parameter m of kernel Params: a kernel cannot use maps"
	s string, // ERROR 4:"parameter s of kernel Params: a string cannot be passed to the device"
	p *float32, // ERROR 4:"a kernel takes no pointers: pass a slice"
	c chan int, // ERROR 4:"cannot use channels"
	e any, // ERROR 4:"cannot use interface values"
	f func(), // ERROR 4:"a function cannot be passed"
	z complex64,
	u uintptr, // ERROR 4:"uintptr"
	ss [][]int, // ERROR 5:"its elements cannot be passed: a slice of slices"
	sp []*int, // ERROR 5:"its elements cannot be passed: a pointer of the host"
	n named, // ERROR 4:"field name: a string cannot be passed to the device"
	h holder, // ERROR 4:"parameter h of kernel Params: h.next: a kernel takes no pointers"
	x struct{}, // ERROR 4:"it has no size"
	y []struct{}, // ERROR 4:"its elements have no size"
	big [2000]float32,
	fine [3]point,
) {
}

//gpu:kernel
func Large(a [1100]float32) {} // ERROR 11:"the parameters of kernel Large take 4400 bytes, more than 4088"

//gpu:kernel
func Clash(a []float32, a_len int) {} // ERROR 25:"the length of a and parameter a_len would have the same name"

//gpu:kernel
func Hidden(gridstride_fault uint64) {} // ERROR 13:"a parameter of the compiler's own and parameter gridstride_fault would have the same name"

//gpu:kernel T=float32,string
func Constraint[T gpu.Float](a []T) {} // ERROR@-1 24:"string does not satisfy gpu.Float"

//gpu:kernel T=float32
func Twice[T gpu.Float](a []T) {}

//gpu:kernel
func Twice_float32(a []float32) {} // ERROR 6:"p.Twice.float32. and p.Twice_float32 would have the same PTX name Twice_float32: rename"

//gpu:kernel
func Twice_float32(a []float32) {} // ERROR 6:"Twice_float32 redeclared"

//gpu:kernel open
func hiddenOpen[T any](a []T) {} // ERROR@-1 1:"hiddenOpen is open, and no other package can name it: export it"

//gpu:kernel open
func OpenPlain(a []int32) {} // ERROR@-1 1:"OpenPlain is open and not generic: it has one instance, remove open"

//gpu:kernel open open T=int32
func OpenTwice[T any](a []T) {} // ERROR@-1 19:"open is given twice"
