//go:build !noasm

package asm

import "golang.org/x/sys/cpu"

// Levels are the instruction sets that this machine has, the best first.
func Levels() []Level {
	all := []Level{Portable}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		all = append([]Level{AVX2}, all...)
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL {
			all = append([]Level{AVX512}, all...)
		}
	}
	return all
}
