package argspec

import (
	"fmt"
	"strconv"
	"strings"
)

// Out says what becomes of a buffer after the kernel has run: argument Arg, counted from 0, is
// written to File, or printed where File is empty.
type Out struct {
	Arg  int
	File string
}

// ParseOut reads "0:y.npy" or "0", for a kernel with these arguments.
func ParseOut(text string, args []*Arg) (Out, error) {
	index, file, named := strings.Cut(text, ":")
	n, err := strconv.Atoi(index)
	switch {
	case err != nil:
		return Out{}, fmt.Errorf("%q is not the number of an argument: want N to print argument N, or N:FILE.npy to "+
			"write it", index)
	case n < 0 || n >= len(args):
		return Out{}, fmt.Errorf("there is no argument %d: %s", n, countArgs(len(args)))
	case !args[n].Buffer:
		return Out{}, fmt.Errorf("argument %d (%s) is a scalar, which a kernel cannot change", n, args[n].Text)
	case named && !strings.HasSuffix(file, ".npy"):
		return Out{}, fmt.Errorf("%q is not the name of a .npy file", file)
	}
	return Out{Arg: n, File: file}, nil
}

func countArgs(n int) string {
	switch n {
	case 0:
		return "the kernel is given none"
	case 1:
		return "the only one is 0"
	}
	return fmt.Sprintf("they are 0 to %d", n-1)
}
