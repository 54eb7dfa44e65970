package device

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
)

// Caller is a call of package gridstride by the program, as program counters: cheap to take,
// resolved only when printed.
type Caller [10]uintptr

// FromHere is the call that has led here.
func FromHere() (c Caller) {
	runtime.Callers(2, c[:])
	return c
}

// String is the position of the call in the program, "main.go:12", or "an unknown position".
// Launchers that gridstride build wrote are not the program.
func (c *Caller) String() string {
	const root, backends = "github.com/gridstride/gridstride.", "github.com/gridstride/gridstride/internal/device"
	n := 0
	for n < len(c) && c[n] != 0 {
		n++
	}
	frames := runtime.CallersFrames(c[:n])
	for {
		f, more := frames.Next()
		file := filepath.Base(f.File)
		ours := strings.HasPrefix(f.Function, root) || strings.HasPrefix(f.Function, backends) || file == abi.GoFile
		if f.PC != 0 && !ours {
			return fmt.Sprintf("%s:%d", file, f.Line)
		}
		if !more {
			return "an unknown position"
		}
	}
}
