package p

import "github.com/gridstride/gridstride/gpu"

type table map[string]int // ERROR 12:"cannot use maps: use a slice or an array"

type config struct {
	name string
	c    complex64
	ok   bool
	f    func() // ERROR 7:"cannot keep functions in a struct"
}

type list [3]func(int) int // ERROR 14:"cannot keep functions in a struct, an array or a slice"

type Number interface{ ~int32 | ~float32 }

type (
	numeric = Number
	number  numeric
)

func typed[T number](x T) T { return x }

//gpu:kernel
func K(out []float32) {
	var m map[int]int // ERROR 8:"cannot use maps"
	var c chan int    // ERROR 8:"cannot use channels"
	var e any         // ERROR 8:"cannot use interface values: use a type parameter"
	var err error     // ERROR 10:"cannot use interface values"
	var s string
	var z complex128
	var u uintptr              // ERROR 8:"cannot use uintptr"
	var f func(x any) []string // ERROR 15:"interface values"
	_, _, _, _, _, _, _, _ = m, c, e, err, s, z, u, f
	_ = m[1] // one mistake, one message
	var t table
	var cfg config
	_, _ = t, cfg.ok
	text := "abc"
	_ = text
	const fine = "constants are fine"
	_ = len(fine)
	_ = "a"+"b" == fine
	i := 2i
	_ = i
	out[0] = typed[float32](1)
	var l list
	_ = l
	var vast [1 << 62]float32        // ERROR 11:"type .4611686018427387904.float32 takes more than 9223372036854775807 bytes: no type has more than 1125899906842624"
	var far [][1 << 48]float64       // ERROR 12:"type .281474976710656.float64 takes 2251799813685248 bytes: no type has more than 1125899906842624"
	_ = gpu.Shared[[1 << 60]int32]() // ERROR 17:"type .1152921504606846976.int32 takes 4611686018427387904 bytes"
	p := new([1 << 30][1 << 30]bool) // ERROR 11:"type .1073741824..1073741824.bool takes 1152921504606846976 bytes"
	_, _, _ = vast, far, p
	var w wide
	w.tail = 1
	gpu.SyncThreads()
}

type wide struct { // ERROR 11:"takes 1125899906842632 bytes"
	head [1 << 50]byte
	tail int
}

//gpu:kernel
func Vast(a [][1 << 61]struct{ x, y int32 }, n int) { // ERROR 13:"takes more than 9223372036854775807 bytes"
	a[n][n].x = 1
}
