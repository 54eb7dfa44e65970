//go:build noasm || !(amd64 || arm64)

package asm

// Levels are the instruction sets that this machine has, the best first.
func Levels() []Level { return []Level{Portable} }
