package p

//gpu:kernel
func K(a []float32, n int) {
	a[0] = n           // ERROR 9:"cannot use n .variable of type int. as float32 value in assignment"
	_ = undefined      // ERROR 6:"undefined: undefined"
	var unused int     // ERROR 6:"declared and not used: unused"
	a[1.5] = 1         // ERROR 4:"truncated"
	for i := range 3 { // ERROR 6:"declared and not used: i"
	}
	_ = make()               // ERROR "not enough arguments"
	_ = make(undefinable, 3) // ERROR "undefined: undefinable"
	n.field = 1              // ERROR 4:"n.field undefined"
	return 1                 // ERROR "too many return values"
}
