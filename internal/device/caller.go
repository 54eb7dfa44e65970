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
func (c *Caller) String() string {
	file, line := c.Position()
	if line == 0 {
		return "an unknown position"
	}
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}

// Position is the file and the line of the call in the program. 0 is an unknown line. Launchers
// that gridstride build wrote are not the program.
func (c *Caller) Position() (file string, line int) {
	const root, backends = "github.com/gridstride/gridstride.", "github.com/gridstride/gridstride/internal/device"
	n := 0
	for n < len(c) && c[n] != 0 {
		n++
	}
	frames := runtime.CallersFrames(c[:n])
	for {
		f, more := frames.Next()
		ours := strings.HasPrefix(f.Function, root) || strings.HasPrefix(f.Function, backends) ||
			filepath.Base(f.File) == abi.GoFile
		if f.PC != 0 && !ours {
			return f.File, f.Line
		}
		if !more {
			return "", 0
		}
	}
}
