package p

import "github.com/gridstride/gridstride/gpu"

type named int

type plain uint8

//gpu:kernel
func Verbs(a []int, f float32, b bool, s named, p plain) {
	gpu.Printf("%s\n", f)                                                              // ERROR "gpu.Printf: %s is no verb for a value of type float32"
	gpu.Printf("%d\n", f)                                                              // ERROR "gpu.Printf: %d is no verb for a value of type float32"
	gpu.Printf("%g\n", a[0])                                                           // ERROR "gpu.Printf: %g is no verb for a value of type int"
	gpu.Printf("%d\n", b)                                                              // ERROR "gpu.Printf: %d is no verb for a value of type bool"
	gpu.Printf("%5.2k\n", f)                                                           // ERROR "gpu.Printf: %5.2k: a kernel has the verbs of package fmt"
	gpu.Printf("%[1]d\n", a[0])                                                        // ERROR "without \* and \[n\]"
	gpu.Printf("%p\n", &a[0])                                                          // ERROR "gpu.Printf: %p: a kernel has the verbs"
	gpu.Printf("%v\n", a[:2])                                                          // ERROR "a value of type \[\]int: a kernel prints numbers"
	gpu.Printf("%d %d\n", a[0])                                                        // ERROR "gpu.Printf: %d has no value: the call has 1"
	gpu.Printf("none\n", a[0])                                                         // ERROR "gpu.Printf: the format has a place for 0 of 1 values"
	gpu.Printf("50%")                                                                  // ERROR "gpu.Printf: the format ends within a verb: \"%\""
	gpu.Assert(b, "%t %d", b)                                                          // ERROR "gpu.Assert: %d has no value: the call has 1"
	gpu.Assert(b, "%s", f)                                                             // ERROR "gpu.Assert: %s is no verb for a value of type float32"
	gpu.Printf("%d %v %x %T\n", s, p, p)                                               // ERROR "gpu.Printf: %T: a kernel has the verbs"
	gpu.Printf("%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d\n", // ERROR "gpu.Printf: 33 values: it takes at most 32"
		p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p)
	gpu.Printf("%s, %q, %d, %c, %6.2f %+v\n", "right", "right", s, 'r', f, p)
}

type point struct {
	X, Y int
	name string
	at   gpu.Float16
}

type nested struct{ p struct{ q [2]float32 } }

//gpu:kernel
func Parts(n int, big [40]int8, h gpu.Float16, z complex128) {
	gpu.Printf("%v\n", point{})       // ERROR "gpu.Printf: %v: a value of type string, field name: a kernel prints numbers"
	gpu.Printf("%d\n", nested{})      // ERROR "gpu.Printf: %d is no verb for a value of type float32, field p.q"
	gpu.Printf("%x\n", [3]byte{})     // ERROR "%x: a value of type \[3\]byte: a kernel prints numbers"
	gpu.Printf("%#v\n", nested{})     // ERROR "%#v: a value of type nested: a kernel prints numbers"
	gpu.Printf("%v %v\n", n, big)     // ERROR "gpu.Printf: 41 values: it takes at most 32"
	gpu.Assert(n > 0, "%v", [9]int{}) // ERROR "gpu.Assert: 9 values: it takes at most 8"
	gpu.Printf("%d\n", z)             // ERROR "gpu.Printf: %d is no verb for a value of type complex128"
	gpu.Printf("%v %v %v\n", [0]int{}, struct{}{}, [2]bool{})
}
