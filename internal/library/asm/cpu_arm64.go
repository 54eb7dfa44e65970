//go:build !noasm

package asm

// Levels are the instruction sets that this machine has, the best first: NEON is part of arm64.
func Levels() []Level { return []Level{NEON, Portable} }
