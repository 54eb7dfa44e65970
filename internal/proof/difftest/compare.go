package difftest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/proof/difftest/host"
)

// Outcome is the result of a program on a device.
type Outcome struct {
	Memory  [][]byte // the slices afterwards, one a parameter; nil for values and aliases
	Failure *Failure // the device's report of one of the threads that failed
	// Err is why there is no result: a refusal or a crash of the compiler, or of the machine. Stage
	// says which part it was.
	Err   error
	Stage string
}

// Failure is a failed check as the device reports it.
type Failure struct {
	Thread  int // in the grid
	Message string
	Line    int // of the program's source
}

// Difference is a disagreement between the host and a device.
type Difference struct {
	Kind string // "compile", "launch", "memory", "failure", …
	Text string
}

func (d *Difference) String() string { return d.Kind + ": " + d.Text }

// Compare returns how the device's outcome differs from the host's, nil if it does not.
//
// Memory is compared bit for bit, save that any NaN equals any NaN and that padding is not looked
// at. A launch in which threads failed on the host must have failed on the device, which reports
// one of these threads, with its message and line. A thread that failed has written what it wrote
// until then.
func (p *Program) Compare(want host.Outcome, got Outcome) *Difference {
	if got.Err != nil {
		return &Difference{got.Stage, got.Err.Error()}
	}
	if d := p.compareFailure(want.Failures, got.Failure); d != nil {
		return d
	}
	for i, q := range p.Params {
		if d := q.compare(want.Memory[i], got.Memory[i]); d != "" {
			return &Difference{"memory", d}
		}
	}
	return nil
}

func (p *Program) compareFailure(want []host.Failure, got *Failure) *Difference {
	differ := func(format string, args ...any) *Difference {
		return &Difference{"failure", fmt.Sprintf(format, args...)}
	}
	switch {
	case len(want) == 0 && got == nil:
		return nil
	case len(want) == 0:
		return differ("device: thread %d fails in line %d: %s; host: no thread fails", got.Thread, got.Line, got.Message)
	case got == nil:
		return differ("device: no thread fails; host: thread %d fails in line %d: %s", want[0].Thread, line(want[0]), want[0].Message)
	}
	i := slices.IndexFunc(want, func(f host.Failure) bool { return f.Thread == got.Thread })
	if i < 0 {
		return differ("device: thread %d fails in line %d: %s; host: that thread does not fail", got.Thread, got.Line, got.Message)
	}
	f := want[i]
	if p.ambiguous(f.Lines) || f.Message == got.Message && (line(f) == got.Line || f.Message == nilMessage) {
		return nil
	}
	return differ("thread %d: device: line %d: %s; host: lines %v: %s", got.Thread, got.Line, got.Message, f.Lines, f.Message)
}

// nilMessage is the failure whose line is not compared: Go's compiler drops the check of a load
// that nothing uses where an access through the same pointer follows, and then reports the line of
// that one.
const nilMessage = "invalid memory address or nil pointer dereference"

func line(f host.Failure) int {
	if len(f.Lines) == 0 {
		return 0
	}
	return f.Lines[0]
}

// ambiguous reports whether one of the lines on the stack has several operations that can fail. Go
// leaves open which one is first.
func (p *Program) ambiguous(lines []int) bool {
	source := strings.Split(p.Source, "\n")
	return slices.ContainsFunc(lines, func(n int) bool { return n <= len(source) && strings.HasSuffix(source[n-1], "//?") })
}

// compare says where the memory of a parameter differs, "" if it does not.
func (q *Param) compare(want, got []byte) string {
	if len(want) != len(got) {
		return fmt.Sprintf("%s: %d bytes, want %d", q.Name, len(got), len(want))
	}
	if bytes.Equal(want, got) {
		return ""
	}
	n, text := 0, ""
	for i := range q.Len {
		for _, l := range q.Leaves {
			at := i*q.Size + l.Offset
			w, g := l.bits(want[at:]), l.bits(got[at:])
			if w == g || l.isNaN(w) && l.isNaN(g) {
				continue
			}
			if n++; n <= 3 {
				text += fmt.Sprintf("%s[%d]%s: device %s, host %s\n", q.Name, i, l.Path, l.format(g), l.format(w))
			}
		}
	}
	if n > 3 {
		text += fmt.Sprintf("and %d more\n", n-3)
	}
	return strings.TrimSuffix(text, "\n")
}

func (l Leaf) bits(b []byte) uint64 {
	var word [8]byte
	copy(word[:], b[:sizes.Sizeof(types.Typ[l.Kind])])
	return binary.LittleEndian.Uint64(word[:])
}

func (l Leaf) isNaN(bits uint64) bool {
	switch l.Kind {
	case types.Float32:
		return bits&0x7fff_ffff > 0x7f80_0000
	case types.Float64:
		return bits&0x7fff_ffff_ffff_ffff > 0x7ff0_0000_0000_0000
	}
	return false
}
