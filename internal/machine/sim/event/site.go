package event

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Site is one instruction of a loaded module. Sites are compared by identity.
type Site struct {
	Func   string // the PTX function it is in
	Index  int    // its number in the function
	Instr  *ptx.Instr
	Does   *ptx.Effects // what Instr does; never nil
	Source Position     // where its .loc points; the zero Position without one
	Stack  []Position   // where the function of Source was inlined, innermost first
	// Reads and Writes are the registers of the frame that it uses, by number, the guard included.
	Reads, Writes []int
	// Product says that it has to do with products of warpgroups: it is an instruction of theirs, or
	// uses a register that a product of the function uses.
	Product bool
}

// String is "dot.go:24:2 (ptx:57: add.f32 …)", without the parts that are not known.
func (s *Site) String() string {
	if s == nil {
		return "the start"
	}
	text := ""
	if s.Instr != nil {
		text = s.Instr.String()
		if s.Instr.Pos.Line > 0 {
			text = fmt.Sprintf("ptx:%d: %s", s.Instr.Pos.Line, text)
		}
	}
	if s.Source.Line == 0 {
		return fmt.Sprintf("%s %s", s.Func, text)
	}
	return fmt.Sprintf("%s (%s)", s.Source, text)
}

// Position is a position in a source file.
type Position struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Col  int    `json:"col"`
}

// String is "dot.go:24:2".
func (p Position) String() string {
	if p.Col == 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}
