//go:build !noasm && (linux || darwin || freebsd)

package native

import (
	"runtime"
	"unsafe"
)

// coherent has the processor fetch instructions from memory as it was written last: caches of
// instructions know nothing of what caches of data hold (Arm Architecture Reference Manual, B2.4.4).
// enter does what each core that runs the code has to do.
func coherent(text []byte) {
	data, instructions := uintptr(64), uintptr(64) // Apple's, whose CTR_EL0 a process cannot read
	if runtime.GOOS != "darwin" {
		c := cacheType()
		data, instructions = 4<<(c>>16&15), 4<<(c&15)
	}
	from := uintptr(unsafe.Pointer(unsafe.SliceData(text)))
	end := from + uintptr(len(text))
	cleanData(from&^(data-1), end, data)
	forgetInstructions(from&^(instructions-1), end, instructions)
}

// These are in coherent_arm64.s. The lines of a cache are that many bytes apart.

func cacheType() uint64 // CTR_EL0

func cleanData(from, end, line uintptr)

func forgetInstructions(from, end, line uintptr)
