package p

// Complements in and, or and xor. No "not" may meet these: ptxas loses the complement of a value
// that a branch makes known (see emit's logic).
//
//gpu:kernel
//gpu:nobounds
func complement(a []int, b, out []uint32) {
	x, y := a[0], a[1]
	v, w := b[0], b[1]
	out[0] = uint32(y &^ x)
	out[1] = uint32(^x | y)
	out[2] = v &^ w
	out[3] = ^v ^ w
	out[4] = 7 &^ v
}
