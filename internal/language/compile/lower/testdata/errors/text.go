package p

import "github.com/gridstride/gridstride/gpu"

var names = [...]string{"one", "two"}

func name(n int) string { return names[n] }

//gpu:kernel
func Strings(a []byte, n int) {
	s := name(n) + "!"       // ERROR 7:"a kernel cannot join strings: there is no heap"
	s += "?"                 // ERROR 2:"a kernel cannot join strings"
	_ = string(a)            // ERROR 6:"a kernel cannot make strings, or convert those that are not known"
	_ = string(rune(n))      // ERROR 6:"a kernel cannot make strings"
	_ = []byte(name(n))      // ERROR 6:"a kernel cannot make strings, or convert those"
	_ = []rune(name(0))      // ERROR 6:"a kernel cannot make strings, or convert those"
	_ = gpu.Shared[string]() // ERROR "string cannot be in shared memory: it holds addresses, keep indices instead"
	check(n > 3, "n is above 3")
	check(n > 3, name(n))
	must(n > 3, name(n))
	for i := range 3 {
		b := []byte("made anew")
		b[i] = 'x'
		copy(a, b)
	}
}

func check(ok bool, why string) {
	gpu.Assert(ok, why) // ERROR 2:"the message of gpu.Assert must be a constant string"
}

func must(ok bool, why string) {
	if !ok {
		panic(why) // ERROR 3:"the message of panic must be a constant string"
	}
}
