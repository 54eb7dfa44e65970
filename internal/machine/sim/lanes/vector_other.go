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

func vectorConsecutive(unsafe.Pointer, uint64) bool               { panic("BUG: no vectors") }
func vectorCopy(to, from unsafe.Pointer, next uintptr, lines int) { panic("BUG: no vectors") }
