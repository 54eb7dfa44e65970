package tile

// SumParts is how many parts a factor has that [MultiplyParts] multiplies.
const SumParts = 3

// shiftedBits is how many bits the largest number of a row has before the binary point, once it is
// shifted: a sum of 2^31 products is far from an infinity, and a number needs 2^-157 of the largest
// to have all its bits in three parts.
const shiftedBits = 48

// PartShift is by which power of two the numbers of a row are multiplied before they become parts,
// from the largest exponent of float32 that a finite one has, as its bits are.
func PartShift(exponent int32) int { return shiftedBits + 126 - int(exponent) }
