//go:build !amd64 || noasm

package lanes

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/ptx"
)

const hasVectors = false

var (
	vectorOps   map[vectorKey]Op
	vectorLoops map[ptx.Type][3]comparison
)

// None of these is called where hasVectors is false.

func vectorConsecutive(unsafe.Pointer, uint64) bool               { panic(noVectors) }
func vectorConsecutive32(unsafe.Pointer, uint64) bool             { panic(noVectors) }
func vectorCopy(to, from unsafe.Pointer, next uintptr, lines int) { panic(noVectors) }

func vectorGather32(d, a unsafe.Pointer, base uint64, mem unsafe.Pointer, limit uint64) bool {
	panic(noVectors)
}

func vectorGather32Wide(d, a unsafe.Pointer, base uint64, mem unsafe.Pointer, limit uint64) bool {
	panic(noVectors)
}

func vectorGather64Wide(d, a unsafe.Pointer, base uint64, mem unsafe.Pointer, limit uint64) bool {
	panic(noVectors)
}

const noVectors = "BUG: package lanes has no vector instructions for this processor"
