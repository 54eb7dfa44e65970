package p

import "unsafe"

type shape interface{ area() float32 } // a constraint would be fine

//gpu:kernel
func K(out []float32, n int) {
	go work()           // ERROR 2:"cannot start goroutines: launch more threads"
	defer work()        // ERROR 2:"cannot defer: call the function where the work ends"
	select {}           // ERROR 2:"cannot select"
	c := make(chan int) // ERROR 12:"cannot use channels"
	c <- 1              // ERROR 2:"cannot send"
	x := <-c            // ERROR 7:"cannot receive"
	close(c)            // ERROR 2:"cannot use channels"
	_ = x
	p := new(int)
	s := make([]int, n)       // ERROR 7:"can make a slice of constant length only: there is no heap"
	s = append(s, *p)         // ERROR 6:"cannot append: the memory of a slice is fixed"
	print(n)                  // ERROR 2:"cannot call print: it has gpu.Printf"
	println(n)                // ERROR 2:"cannot call println"
	_ = recover()             // ERROR 6:"cannot recover"
	var sh shape              // ERROR 9:"cannot use interface values"
	_ = sh.(interface{ f() }) // ERROR 6:"can ask for the type of a value only where it converts it"
	switch sh.(type) {        // ERROR 9:"can ask for the type of a value only where it converts it"
	}
	_ = complex(1, 2)
	_ = unsafe.Pointer(p)  // ERROR 6:"cannot use unsafe pointers"
	_ = unsafe.Slice(p, 3) // ERROR 6:"cannot use unsafe.Slice"
	_ = unsafe.Sizeof(n)
	_ = string(rune(n)) // refused when calls are inlined
	f := out2.method    // ERROR 7:"cannot use the method value out2.method: write a function literal"
	_ = f
	var v vec
	g := v.method // ERROR 7:"cannot use the method value v.method: write a function literal"
	_ = g
	h := vec.method // a method expression is a function
	_ = h(v)
}

type vec struct{ x float32 }

func (v vec) method() float32 { return v.x }

var out2 vec

func work() {}
