package decode

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Error is one instruction or declaration that the simulator cannot execute.
type Error struct {
	File string // the name the module was parsed under, "" for one that was built
	Func string // function it is in, "" at module scope
	Pos  ptx.Pos
	Text string // the instruction as text
	Msg  string
}

func (e *Error) Error() string {
	s := e.Msg
	if e.Text != "" {
		s = fmt.Sprintf("%s: %s", e.Msg, e.Text)
	}
	if e.Func != "" {
		s += " (in " + e.Func + ")"
	}
	if e.Pos.Line > 0 {
		file := e.File
		if file == "" {
			file = "ptx"
		}
		s = fmt.Sprintf("%s:%d:%d: %s", file, e.Pos.Line, e.Pos.Col, s)
	}
	return s
}

// Errors are all the errors of one kernel, or of a module's variables.
type Errors []*Error

func (l Errors) Error() string {
	var s []string
	for _, e := range l {
		s = append(s, e.Error())
	}
	return strings.Join(s, "\n")
}

// Unwrap returns the single errors, for errors.As.
func (l Errors) Unwrap() []error {
	var s []error
	for _, e := range l {
		s = append(s, e)
	}
	return s
}

// NewError is the error of an instruction of a function.
func NewError(mod *ptx.Module, fn string, in *ptx.Instr, msg string) *Error {
	return &Error{File: mod.Source.Name, Func: fn, Pos: in.Pos, Text: in.String(), Msg: msg}
}
