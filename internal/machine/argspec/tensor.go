package argspec

import (
	"fmt"
	"strconv"
	"strings"
)

// Map says how a tensor map describes the buffer of an argument.
type Map struct {
	// Dims are the tensor's numbers of elements, and Box the numbers of a copy, 1 to 5 each. The elements of the
	// last dimension are side by side, as in a NumPy array.
	Dims, Box []int
	Swizzle   int // bytes; 0 for none
}

// maxMapDims is how many dimensions a tensor map has.
const maxMapDims = 5

// parseMap reads "64x96]" and "32x16~128". The length that it returns is the number of elements, with
// its bracket.
func parseMap(dims, box string) (m *Map, length string, err error) {
	m = &Map{}
	digits, ok := strings.CutSuffix(dims, "]")
	box, swizzle, swizzled := strings.Cut(box, "~")
	if !ok {
		return nil, "", fmt.Errorf("want TYPE[N] or TYPE[ROWSxCOLUMNS], then =CONTENTS or nothing, then @ROWSxCOLUMNS")
	}
	if m.Dims, err = sizes(digits); err == nil {
		m.Box, err = sizes(box)
	}
	switch {
	case err != nil:
		return nil, "", err
	case len(m.Dims) != len(m.Box):
		return nil, "", fmt.Errorf("the tensor is %s and its box %s; want as many sizes in both", digits, box)
	}
	if swizzled {
		if m.Swizzle, err = strconv.Atoi(swizzle); err != nil {
			return nil, "", fmt.Errorf("%q is no swizzle; want 32, 64 or 128 bytes", swizzle)
		}
	}
	n := 1
	for _, d := range m.Dims {
		if n *= d; n > 1<<40 {
			return nil, "", fmt.Errorf("%s elements are more than any memory holds", digits)
		}
	}
	return m, strconv.Itoa(n) + "]", nil
}

// sizes reads "64x96".
func sizes(text string) (list []int, err error) {
	for one := range strings.SplitSeq(text, "x") {
		n, err := strconv.Atoi(one)
		if err != nil || n < 1 || n > 1<<20 || len(list) == maxMapDims {
			return nil, fmt.Errorf("%q are no sizes of a tensor; want 1 to %d numbers from 1 to %d with x between", text, maxMapDims, 1<<20)
		}
		list = append(list, n)
	}
	return list, nil
}
