// Package math32 is package math64 for float32. It uses no float64, which is slow on many
// GPUs.
package math32
