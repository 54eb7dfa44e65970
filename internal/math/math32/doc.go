// Package math32 is what package math64 is, for float32. It uses no float64, of which many GPUs
// have little.
package math32
