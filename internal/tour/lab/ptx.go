package lab

import (
	"errors"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/ptx"
)

// isPTX reports whether a program is PTX, from whichever compiler, and not Go.
func isPTX(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "//") {
			return strings.HasPrefix(line, ".version")
		}
	}
	return false
}

// readPTX makes a program of PTX. Its lines are the lines of the PTX, whatever sources the PTX names.
func (c *Compiled) readPTX() {
	m, err := ptx.Parse("", c.text)
	if err == nil {
		err = ptx.VerifyKnown(m)
	}
	if err != nil {
		c.failPTX(err)
		return
	}
	for _, f := range m.Kernels() {
		k := Kernel{Name: f.Name, Entry: f.Name, Params: []Param{}, Lines: []PTXLine{}, text: c.text}
		for _, v := range f.Params {
			p := Param{Name: v.Name, Type: "." + string(v.Type), Want: string(v.Type) + "="}
			if v.Ptr != nil || v.Type == ptx.U64 || v.Type == ptx.B64 {
				p.Want = "["
			}
			if v.Name != abi.FaultParam {
				k.Params = append(k.Params, p)
			}
		}
		c.Kernels = append(c.Kernels, k)
	}
	if len(c.Kernels) == 0 {
		c.fail(errors.New("the PTX has no kernel (.entry)"))
	}
}

// failPTX notes the errors of PTX.
func (c *Compiled) failPTX(err error) {
	list, ok := errors.AsType[ptx.ErrorList](err)
	if !ok {
		c.fail(err)
		return
	}
	for _, e := range list {
		c.Errors = append(c.Errors, Error{Line: e.Line, Column: e.Col, Message: e.Msg})
	}
}

// ptxLine is the line that a witness names as "ptx:57: …", or 0 if it names none.
func ptxLine(w report.Witness) int {
	number, _, _ := strings.Cut(strings.TrimPrefix(w.PTX, "ptx:"), ":")
	n, err := strconv.Atoi(number)
	if err != nil {
		return 0
	}
	return n
}
