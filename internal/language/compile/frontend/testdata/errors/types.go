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

func typed[T Number](x T) T { return x }

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
	gpu.SyncThreads()
}
