package driverapi

import (
	_ "embed"
	"fmt"
	"strings"
)

// StubSource is the library in C, which includes StubHeader as functions.h.
//
//go:embed stub/stub.c
var StubSource string

// StubHeader is the file functions.h that the library in C is made of: a line for each function.
func StubHeader() string {
	var b strings.Builder
	for number, f := range Functions() {
		var params, args []string
		for i, kind := range f.Args {
			params = append(params, fmt.Sprintf("%c a%d", kind, i))
			args = append(args, fmt.Sprintf("%s(%d)", strings.ToUpper(string(kind)), i))
		}
		if len(params) == 0 {
			params, args = []string{"void"}, []string{"0"}
		}
		fmt.Fprintf(&b, "FUNCTION(%d, %s, (%s), %s)\n", number, f.Name, strings.Join(params, ", "), strings.Join(args, ", "))
	}
	return b.String()
}
