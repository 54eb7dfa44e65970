// Package argspec is the language in which the command line describes the arguments of a kernel.
//
//	u32=1024            a scalar
//	f32[1024]           a buffer of 1024 elements, uninitialised
//	f32[1024]=zeros     … every element 0
//	f32[1024]=ones      … every element 1
//	f32[1024]=2.5       … every element 2.5
//	f32[1024]=ramp      … element i is i; small integers wrap
//	f32[1024]=random:7  … random: floats in [0, 1), integers of any bits; the seed says which
//	f32[3]=1,2.5,-3     … these
//	f32[1024]=x.npy     … the values of a NumPy file, row by row, with the same number and type
//	f32x4[256]=ramp     a buffer of 256 elements of 4 values each, as gpu.Float32x4 or a struct; x2 and x3 too
//	x.npy               a buffer with the elements of a NumPy file, row by row
//
//	f16[256]=ramp       float16; bf16 is bfloat16, which a NumPy file holds as ml_dtypes does
//
//	f32[64x96]=ramp@32x16     the tensor map of a buffer with 64 rows of 96 elements, for copies of 32 rows of 16
//	bf16[8x64]@8x64~128       … whose lines have a swizzle of 128 bytes in shared memory
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

	"github.com/gridstride/gridstride/internal/library/npy"
)

// Arg is one argument.
type Arg struct {
	// Text is the argument as it was written.
	Text string
	Elem Elem
	// Buffer reports that the argument is a buffer of Len elements of Lanes values each, not a
	// scalar.
	Buffer     bool
	Len, Lanes int
	// Map is set if the argument is the tensor map of the buffer.
	Map *Map

	array    *npy.Array // of a file
	contents contents   // nil: uninitialised, unless there is an array
}

// contents starts the sequence of a buffer's elements: each call of next is the bits of one more.
type contents func() (next func() uint64)

// Files reads a NumPy file that an argument names: npy.ReadFile on disk.
type Files func(name string) (*npy.Array, error)

// NoFiles reads none: a page in a browser has no files.
func NoFiles(name string) (*npy.Array, error) {
	return nil, fmt.Errorf("%s: files cannot be read here; want TYPE[N]=CONTENTS", name)
}

// Parse reads an argument. A file that it names is read too.
func Parse(text string, files Files) (*Arg, error) {
	if strings.HasSuffix(text, ".npy") && !strings.Contains(text, "=") {
		return parseFile(text, files)
	}
	plain, box, mapped := text, "", false
	if !strings.HasSuffix(text, ".npy") { // whose name may have the sign
		plain, box, mapped = strings.Cut(text, "@")
	}
	left, value, assigned := strings.Cut(plain, "=")
	name, length, buffer := strings.Cut(left, "[")
	scalar, lanes := splitLanes(name)
	elem, ok := elemNamed(scalar)
	if !ok {
		return nil, fmt.Errorf("%q is no type: want TYPE=VALUE, TYPE[N], TYPE[N]=CONTENTS or FILE.npy, where TYPE "+
			"is one of %s", name, elemNames)
	}
	a := &Arg{Text: text, Elem: elem, Buffer: buffer, Len: 1, Lanes: lanes}
	var err error
	switch {
	case mapped && (!buffer || lanes > 1):
		err = fmt.Errorf("only a buffer of single values has a tensor map: want %s[ROWSxCOLUMNS]@ROWSxCOLUMNS", scalar)
	case buffer:
		if mapped {
			a.Map, length, err = parseMap(length, box)
		}
		if err == nil {
			a.Len, err = parseLength(length, name, lanes*elem.Size)
		}
		if err != nil {
			return nil, err
		}
		switch n := strings.Count(value, ",") + 1; {
		case strings.HasSuffix(value, ".npy"):
			err = a.readContents(value, files)
		case n > 1 && n != a.Values():
			err = fmt.Errorf("%d values are given for a buffer of %d", n, a.Values())
		case assigned:
			a.contents, err = parseContents(value, elem)
		}
	case lanes > 1:
		err = fmt.Errorf("want %s[N] for a buffer of N elements; a value of several is %s[%d]=CONTENTS", name, scalar,
			lanes)
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

// splitLanes splits "f32x4" into the type of its values and their number. "f32" has one.
func splitLanes(name string) (scalar string, lanes int) {
	for lanes := 2; lanes <= 4; lanes++ {
		if scalar, ok := strings.CutSuffix(name, fmt.Sprintf("x%d", lanes)); ok {
			return scalar, lanes
		}
	}
	return name, 1
}

func parseFile(name string, files Files) (*Arg, error) {
	a := &Arg{Text: name, Buffer: true, Lanes: 1}
	var err error
	if a.array, a.Elem, err = readArray(name, files); err != nil {
		return nil, err
	}
	a.Len = a.array.Len()
	return a, nil
}

func readArray(name string, files Files) (*npy.Array, Elem, error) {
	array, err := files(name)
	if err != nil {
		return nil, Elem{}, err
	}
	elem, ok := elemOfDtype(array.Dtype)
	if !ok {
		return nil, Elem{}, fmt.Errorf("%s: holds %s, which no kernel takes", name, array.Name())
	}
	return array, elem, nil
}

// readContents fills the buffer from a file, which must hold what the argument says.
func (a *Arg) readContents(name string, files Files) error {
	array, elem, err := readArray(name, files)
	switch {
	case err != nil:
		return err
	case elem.Dtype != a.Elem.Dtype && !(a.Elem.kind == untyped && elem.Size == a.Elem.Size):
		return fmt.Errorf("%s: holds %s, not %s", name, array.Name(), a.Elem.Name)
	case array.Len() != a.Values():
		return fmt.Errorf("%s: holds %d values, the buffer takes %d", name, array.Len(), a.Values())
	}
	a.array = array
	return nil
}

// parseLength reads "1024]", of a buffer of elements of a type and a size in bytes.
func parseLength(text, name string, size int) (int, error) {
	digits, ok := strings.CutSuffix(text, "]")
	if !ok {
		return 0, fmt.Errorf("want %s[N], and after it nothing or =CONTENTS", name)
	}
	n, err := strconv.ParseInt(digits, 0, strconv.IntSize)
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && n > int64(math.MaxInt/size):
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
	var values []uint64
	for one := range strings.SplitSeq(text, ",") {
		bits, err := elem.parse(strings.TrimSpace(one))
		if err != nil {
			return nil, fmt.Errorf("%w; contents are zeros, ones, ramp, random:SEED, a number, N numbers with commas between or FILE.npy", err)
		}
		values = append(values, bits)
	}
	if len(values) == 1 {
		return constant(values[0]), nil
	}
	return list(values), nil
}

// list is values, as many as the buffer has.
func list(values []uint64) contents {
	return func() func() uint64 {
		i := -1
		return func() uint64 {
			i++
			return values[i]
		}
	}
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
		case elem.Size == 2: // of seven digits, which both formats have
			return func() uint64 { return elem.ofFloat(float64(r.Uint32()>>25) / 128) }
		case elem.Size == 4: // Float64 rounded to 32 bits could be 1
			return func() uint64 { return elem.ofFloat(float64(r.Float32())) }
		}
		return func() uint64 { return elem.ofFloat(r.Float64()) }
	}
}

// Values is the number of values in all elements of the argument.
func (a *Arg) Values() int { return a.Len * a.Lanes }

// Size is the argument's size in bytes.
func (a *Arg) Size() int { return a.Values() * a.Elem.Size }

// Data is the argument's contents, little endian; nil for an uninitialised buffer. Each call of it
// makes the same.
func (a *Arg) Data() []byte {
	switch {
	case a.array != nil:
		return a.array.Data
	case a.contents == nil:
		return nil
	}
	b := make([]byte, a.Size())
	next := a.contents()
	for i := range a.Values() {
		a.Elem.put(b, i, next())
	}
	return b
}

// Array is data in the form of the argument: of a file's type and shape, otherwise a row for each
// element of several values.
func (a *Arg) Array(data []byte) *npy.Array {
	switch {
	case a.array != nil:
		return &npy.Array{Dtype: a.array.Dtype, Shape: a.array.Shape, Data: data}
	case a.Lanes > 1:
		return &npy.Array{Dtype: a.Elem.Dtype, Shape: []int{a.Len, a.Lanes}, Data: data}
	}
	return &npy.Array{Dtype: a.Elem.Dtype, Shape: []int{a.Len}, Data: data}
}
