package rand

import (
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

// Philox4x32 is the block of four random words that key has for counter: Philox4x32-10 of Salmon,
// Moraes, Dror and Shaw (see the package's comment), with its ten rounds. Other blocks need not be
// computed first.
func Philox4x32(counter gpu.Uint32x4, key gpu.Uint32x2) gpu.Uint32x4 {
	const (
		multiplierX, multiplierZ = 0xd2511f53, 0xcd9e8d57
		weylX, weylY             = 0x9e3779b9, 0xbb67ae85 // of the golden ratio, and of √3
	)
	for range 10 {
		highX, lowX := bits.Mul32(multiplierX, counter.X)
		highZ, lowZ := bits.Mul32(multiplierZ, counter.Z)
		counter = gpu.Uint32x4{X: highZ ^ counter.Y ^ key.X, Y: lowZ, Z: highX ^ counter.W ^ key.Y, W: lowX}
		key.X += weylX
		key.Y += weylY
	}
	return counter
}
