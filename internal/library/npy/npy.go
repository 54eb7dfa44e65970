// Package npy reads and writes arrays in NumPy's .npy format, as "numpy.save" leaves them.
//
// It reads files that people hand to a program: the size of the file is checked against the header
// before anything is allocated, a damaged header is an error, and the data come in one read.
//
// The format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/math/extent"
	"github.com/gridstride/gridstride/internal/tools/atomicfile"
)

// Array is an array of fixed-size elements in row-major order.
type Array struct {
	// Dtype is NumPy's name of the element type, little endian: "<f4", "|u1".
	Dtype string
	// Shape is the length of each dimension. It is empty for a single element.
	Shape []int
	// Data are the elements, little endian, the last dimension varying fastest.
	Data []byte
}

// elemSizes are the element types and their sizes in bytes, by NumPy's names without the byte
// order. NumPy has no bfloat16: two bytes without a type, "V2", are its form of package ml_dtypes's
// (github.com/jax-ml/ml_dtypes/issues/41).
var elemSizes = map[string]int{
	"b1": 1, "i1": 1, "u1": 1,
	"i2": 2, "u2": 2, "f2": 2,
	"i4": 4, "u4": 4, "f4": 4,
	"i8": 8, "u8": 8, "f8": 8,
	"V2": 2,
}

// maxHeader is the longest header that is read, in bytes. NumPy's own take 128 for anything but
// records.
const maxHeader = 1 << 16

// Len is the number of elements.
func (a *Array) Len() int {
	n, _ := extent.Product(a.Shape...)
	return n
}

// ReadFile reads the array in the named file.
func ReadFile(name string) (*Array, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a file", name)
	}
	a, err := Read(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return a, nil
}

// Read reads an array from the size bytes that r holds. It ignores bytes after the array, as NumPy
// does.
func Read(r io.Reader, size int64) (*Array, error) {
	header, taken, err := readHeader(r, size)
	if err != nil {
		return nil, err
	}
	elem, ok := elemSizes[strings.TrimLeft(header.dtype, "<>|=")]
	if !ok {
		return nil, fmt.Errorf("holds elements of type %s, which is none of bool, int8 to int64, uint8 to uint64, "+
			"float16, float32, float64, or bfloat16",
			dtypeName(header.dtype))
	}
	if header.fortran && len(header.shape) > 1 {
		return nil, errors.New("is in Fortran order (column by column); save numpy.ascontiguousarray(x)")
	}
	n, ok := extent.Product(append(slices.Clone(header.shape), elem)...)
	if !ok {
		return nil, fmt.Errorf("has an impossible shape %s", tuple(header.shape))
	}
	if have := size - taken; int64(n) > have {
		return nil, fmt.Errorf("is truncated: the header promises %d elements of %d bytes, and %d of those %d bytes "+
			"are there",
			n/elem, elem, have, n)
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("reading the data: %w", err)
	}
	if header.dtype[0] == '>' {
		for i := 0; i+elem <= n; i += elem {
			slices.Reverse(data[i : i+elem])
		}
	}
	return &Array{Dtype: littleEndian(header.dtype, elem), Shape: header.shape, Data: data}, nil
}

// magic is the beginning of a .npy file.
const magic = "\x93NUMPY"

// header is a file's description of its array.
type header struct {
	dtype   string
	fortran bool // the first dimension varies fastest
	shape   []int
}

// readHeader reads up to the data, and says how many bytes it took.
func readHeader(r io.Reader, size int64) (h header, taken int64, err error) {
	var start [12]byte
	if _, err := io.ReadFull(r, start[:10]); err != nil || string(start[:6]) != magic {
		return h, 0, errors.New("is not a .npy file")
	}
	prefix := 10
	length := int64(binary.LittleEndian.Uint16(start[8:]))
	switch start[6] {
	case 1:
	case 2:
		prefix = 12
		if _, err := io.ReadFull(r, start[10:]); err != nil {
			return h, 0, errors.New("is truncated in its header")
		}
		length = int64(binary.LittleEndian.Uint32(start[8:]))
	default:
		return h, 0, fmt.Errorf("is of .npy version %d, which is not 1 or 2", start[6])
	}
	if length > maxHeader {
		return h, 0, fmt.Errorf("has a header of %d bytes, more than %d", length, maxHeader)
	}
	taken = int64(prefix) + length
	if taken > size {
		return h, 0, errors.New("is truncated in its header")
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return h, 0, fmt.Errorf("reading the header: %w", err)
	}
	h, err = parseHeader(string(text))
	return h, taken, err
}

// fields are the parts of a header's dictionary. They are right if dict makes the header of them.
func fields(text string) (dtype, fortran, shape string) {
	dtype, rest, _ := strings.Cut(strings.TrimPrefix(text, "{'descr': '"), "', 'fortran_order': ")
	fortran, rest, _ = strings.Cut(rest, ", 'shape': (")
	return dtype, fortran, strings.TrimSuffix(rest, "), }")
}

// parseHeader parses a header. A header in another program's own form is an error, so that a shape
// is never a guess.
func parseHeader(text string) (h header, err error) {
	if strings.Contains(text, "'descr': [") {
		return h, errors.New("holds records, not numbers; save one field, x['name']")
	}
	damaged := errors.New("has a header that NumPy would not write")
	text, ok := strings.CutSuffix(text, "\n")
	text = strings.TrimRight(text, " \n")
	dtype, fortran, shape := fields(text)
	if !ok || strings.Contains(dtype, "'") {
		return h, damaged
	}
	h.dtype, h.fortran = dtype, fortran == "True"
	for length := range strings.FieldsFuncSeq(shape, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(length)
		if err != nil {
			return h, damaged
		}
		h.shape = append(h.shape, n)
	}
	if text != dict(h.dtype, h.fortran, h.shape) {
		return h, damaged
	}
	return h, nil
}

// littleEndian is the dtype with its byte order made explicit.
func littleEndian(dtype string, size int) string {
	order := "<"
	if size == 1 {
		order = "|"
	}
	return order + strings.TrimLeft(dtype, "<>|=")
}

// names are how NumPy's dtypes print, and ml_dtypes' bfloat16.
var names = map[string]string{
	"b1": "bool", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64", "u1": "uint8", "u2": "uint16",
	"u4": "uint32",
	"u8": "uint64", "f2": "float16", "V2": "bfloat16", "f4": "float32", "f8": "float64", "c8": "complex64", "c16": "complex128",
	"O": "object",
}

func dtypeName(dtype string) string {
	if name, ok := names[strings.TrimLeft(dtype, "<>|=")]; ok {
		return name
	}
	return fmt.Sprintf("%q", dtype)
}

// Name is the name of a dtype as NumPy prints it: "float32" for "<f4".
func (a *Array) Name() string { return dtypeName(a.Dtype) }

// Write writes an array as WriteFile does.
func Write(w io.Writer, a *Array) error {
	_, err := w.Write(append(a.header(), a.Data...))
	return err
}

// WriteFile writes the array into the named file. An error leaves what the file held.
func WriteFile(name string, a *Array) error {
	return atomicfile.Write(name, append(a.header(), a.Data...))
}

// header is the header that NumPy would write: version 1, padded so that the data start at a
// multiple of 64 bytes.
func (a *Array) header() []byte {
	const prefix = 10
	text := dict(a.Dtype, false, a.Shape)
	padding := -(prefix + len(text) + 1) & 63
	text += strings.Repeat(" ", padding) + "\n"

	b := append([]byte{}, magic...)
	b = append(b, 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	return append(b, text...)
}

// dict is a header's dictionary, in NumPy's spelling.
func dict(dtype string, fortran bool, shape []int) string {
	order := "False"
	if fortran {
		order = "True"
	}
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", dtype, order, tuple(shape))
}

// tuple is a shape as NumPy writes it: "(2, 3)", "(5,)", "()".
func tuple(shape []int) string {
	s := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(shape)), ", "), "[]")
	if len(shape) == 1 {
		s += ","
	}
	return "(" + s + ")"
}
