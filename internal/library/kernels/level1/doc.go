// Package level1 is the kernels of BLAS's level 1, and those beside it that libraries have, and the
// [Plan] that launches them. Each is one launch, whatever the size; what combines elements leaves
// its result on the device, with the bits that package onepass speaks of.
package level1
