package p

const digits = "0123456789abcdef"

// Hex indexes a constant string in constant memory. It needs no check of 4 bits.
//
//gpu:kernel block=64
func Hex(data []byte, text []byte, i int) {
	b := data[i]
	text = text[2*i:]
	text[0], text[1] = digits[b>>4], digits[b&15]
}
