// Package targets has kernels for several PTX targets, for tests of the choice that a device makes.
package targets

import "github.com/gridstride/gridstride/gpu"

// Portable asks for no target.
//
//gpu:kernel
func Portable(a []int32) {
	for i := range gpu.GridStride(len(a)) {
		a[i]++
	}
}

// Tuned has a body for every device and others for newer ones.
//
//gpu:kernel target=sm_70,sm_80,sm_90a
func Tuned(a []int32) {
	for i := range gpu.GridStride(len(a)) {
		a[i]++
	}
}

// Ampere is for 8.0 and newer.
//
//gpu:kernel T=int32,int64 target=sm_80
func Ampere[T int32 | int64](a []T) {
	for i := range gpu.GridStride(len(a)) {
		a[i]++
	}
}

// Newer is for 8.0 and newer, and has another body for 9.0 and newer.
//
//gpu:kernel target=sm_80,sm_90
func Newer(a []int32) {
	for i := range gpu.GridStride(len(a)) {
		a[i]++
	}
}

// Hopper is for 9.0 alone.
//
//gpu:kernel target=sm_90a
func Hopper(a []int32) {
	for i := range gpu.GridStride(len(a)) {
		a[i]++
	}
}
