// Package level1 has the kernels of BLAS's level 1, and further ones that the libraries have, and
// the [Plan] that launches them. Each is one launch, whatever the size. Reductions leave their
// result on the device, with the bits that package onepass describes.
package level1
