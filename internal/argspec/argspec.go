// Package argspec is the language in which the command line describes the arguments of a kernel.
//
//	u32=1024            a scalar
//	f32[1024]           a buffer of 1024 elements, uninitialised
//	f32[1024]=zeros     … every element 0
//	f32[1024]=ones      … every element 1
//	f32[1024]=2.5       … every element 2.5
//	f32[1024]=ramp      … element i is i; small integers wrap
//	f32[1024]=random:7  … random: floats in [0, 1), integers of any bits; the seed says which
//	x.npy               a buffer with the elements of a NumPy file, row by row
//
// Types have PTX's names. Numbers are written as in Go: 1_000_000, 0x10, 1e-3, -Inf.
package argspec

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/npy"
)

// Arg is one argument.
type Arg struct {
	// Text is the argument as it was written.
	Text string
	Elem Elem
	// Buffer reports that the argument is a buffer of Len elements, not a scalar.
	Buffer bool
	Len    int

	array    *npy.Array // of a file
	contents contents   // nil: uninitialised, unless there is an array
}

// contents starts the sequence of a buffer's elements: each call of next is the bits of one more.
type contents func() (next func() uint64)

// Parse reads an argument. A file that it names is read too.
func Parse(text string) (*Arg, error) {
	if strings.HasSuffix(text, ".npy") && !strings.Contains(text, "=") {
		return parseFile(text)
	}
	left, value, assigned := strings.Cut(text, "=")
	name, length, buffer := strings.Cut(left, "[")
	elem, ok := elemNamed(name)
	if !ok {
		return nil, fmt.Errorf("%q is no type: want TYPE=VALUE, TYPE[N], TYPE[N]=CONTENTS or FILE.npy, where TYPE is one of %s", name, elemNames)
	}
	a := &Arg{Text: text, Elem: elem, Buffer: buffer, Len: 1}
	var err error
	switch {
	case buffer:
		if a.Len, err = parseLength(length, elem); err != nil {
			return nil, err
		}
		if assigned {
			a.contents, err = parseContents(value, elem)
		}
	case assigned:
		a.contents, err = parseScalar(value, elem)
	default:
		err = fmt.Errorf("want %s=VALUE for a scalar, %[1]s[N] for a buffer of N elements", name)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

func parseFile(name string) (*Arg, error) {
	array, err := npy.ReadFile(name)
	if err != nil {
		return nil, err
	}
	elem, ok := elemOfDtype(array.Dtype)
	if !ok {
		return nil, fmt.Errorf("%s: holds %s, which no kernel takes", name, array.Name())
	}
	return &Arg{Text: name, Elem: elem, Buffer: true, Len: array.Len(), array: array}, nil
}

// parseLength reads "1024]".
func parseLength(text string, elem Elem) (int, error) {
	digits, ok := strings.CutSuffix(text, "]")
	if !ok {
		return 0, fmt.Errorf("want %s[N], and after it nothing or =CONTENTS", elem.Name)
	}
	n, err := strconv.ParseInt(digits, 0, strconv.IntSize)
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && n > int64(math.MaxInt/elem.Size):
		return 0, fmt.Errorf("%s elements are more than any memory holds", digits)
	case err != nil:
		return 0, fmt.Errorf("%q is not a number of elements", digits)
	case n < 0:
		return 0, fmt.Errorf("the number of elements is negative: %d", n)
	}
	return int(n), nil
}

// parseContents reads what a buffer is filled with.
func parseContents(text string, elem Elem) (contents, error) {
	name, option, optional := strings.Cut(text, ":")
	if optional && name == "random" {
		seed, err := strconv.ParseUint(option, 0, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a seed: want random:SEED with a number of at most 64 bits", option)
		}
		return random(elem, seed), nil
	}
	switch text {
	case "zeros":
		return constant(0), nil
	case "ones":
		return constant(elem.ofInt(1)), nil
	case "ramp":
		return ramp(elem), nil
	}
	bits, err := elem.parse(text)
	if err != nil {
		return nil, fmt.Errorf("%w; contents are zeros, ones, ramp, random:SEED or a number", err)
	}
	return constant(bits), nil
}

func parseScalar(text string, elem Elem) (contents, error) {
	bits, err := elem.parse(text)
	if err != nil {
		return nil, err
	}
	return constant(bits), nil
}

func constant(bits uint64) contents {
	return func() func() uint64 {
		return func() uint64 { return bits }
	}
}

func ramp(elem Elem) contents {
	return func() func() uint64 {
		i := -1
		return func() uint64 {
			i++
			return elem.ofInt(i)
		}
	}
}

func random(elem Elem, seed uint64) contents {
	return func() func() uint64 {
		r := rand.New(rand.NewPCG(seed, 0))
		switch {
		case elem.kind != float:
			return r.Uint64
		case elem.Size == 4: // Float64 rounded to 32 bits could be 1
			return func() uint64 { return elem.ofFloat(float64(r.Float32())) }
		}
		return func() uint64 { return elem.ofFloat(r.Float64()) }
	}
}

// Size is the argument's size in bytes.
func (a *Arg) Size() int { return a.Len * a.Elem.Size }

// Data is the argument's contents, little endian; nil for an uninitialised buffer. Each call of it makes the same.
func (a *Arg) Data() []byte {
	switch {
	case a.array != nil:
		return a.array.Data
	case a.contents == nil:
		return nil
	}
	b := make([]byte, a.Size())
	next := a.contents()
	for i := range a.Len {
		a.Elem.put(b, i, next())
	}
	return b
}

// Array is data in the form of the argument: of a file's type and shape, otherwise one-dimensional.
func (a *Arg) Array(data []byte) *npy.Array {
	if a.array != nil {
		return &npy.Array{Dtype: a.array.Dtype, Shape: a.array.Shape, Data: data}
	}
	return &npy.Array{Dtype: a.Elem.Dtype, Shape: []int{a.Len}, Data: data}
}
