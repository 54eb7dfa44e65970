package gpu

import "fmt"

// Printf prints, as fmt.Printf does, and may be called by any thread. The format is a constant. The
// values are numbers, bools and constant strings, with the verbs that package fmt has for them: %d,
// %x, %c, %v, %f, %g, %e, %t, %s and their like, with flags, widths and precisions; and structs and
// arrays of numbers and bools, which are printed part by part: {1 [2 3]}. The compiler refuses what
// does not go together, and more than 32 numbers and bools in a call. A value of a named type is
// printed as what it is: its method String is not called.
//
// The output of one call stays together, and a thread's calls are printed in order. The text goes
// to standard output or gridstride.Output's writer when the program waits for the stream or its
// event. Until then it is in a buffer of a fixed size (gridstride.PrintBuffer). Text that does not
// fit is lost, and the program learns the number of lost calls.
//
// On the host it is fmt.Printf.
func Printf(format string, values ...any) {
	fmt.Printf(format, values...)
}

// Assert fails the kernel unless cond holds: the thread ends, and the launch reports the message
// with the position, the thread and the block. The message is a constant format with values, at
// most 8 of them, as of [Printf].
//
// On the host it panics.
func Assert(cond bool, format string, values ...any) {
	if !cond {
		panic("assertion failed: " + fmt.Sprintf(format, values...))
	}
}
