package abi

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// A Shape is a Go type of numbers, arrays and structs. The compiler writes it next to the
// declaration of a variable in PTX: "[19][33]int32", "[]{pos [3]float32;_ [4]byte;mass float64}".
// The fields of a struct follow one another, and bytes between them are fields without a name.
type Shape struct {
	Number string  // the type of a number, "" for an array and a struct
	Elem   *Shape  // of an array or a slice
	Len    int64   // of an array; -1 for a slice, whose length the memory tells
	Fields []Field // of a struct
	Size   int64   // in bytes; of a slice, of one element
}

// A Field is a field of a struct, at an offset in bytes. Its name is "_" if nobody can write it.
type Field struct {
	Name   string
	Offset int64
	Shape  *Shape
}

// Numbers are the types that numbers in a Shape have, with their sizes in bytes.
var Numbers = map[string]int64{
	"bool": 1, "byte": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8,
	"int": 8, "uint": 8, "float32": 4, "float64": 8, "complex64": 8, "complex128": 16,
}

// LongestShape is how many bytes the text of a Shape has at most.
const LongestShape = 4096

// ArrayOf is the shape of n elements, or of a slice if n is -1. It is nil if no memory is that
// large.
func ArrayOf(n int64, elem *Shape) *Shape {
	s := &Shape{Elem: elem, Len: n, Size: elem.Size}
	if n >= 0 {
		if elem.Size > 0 && n > math.MaxInt64/elem.Size {
			return nil
		}
		s.Size *= n
	}
	return s
}

// Add appends a field to a struct, and reports whether its size is still an int64.
func (s *Shape) Add(name string, field *Shape) bool {
	if field.Size > math.MaxInt64-s.Size {
		return false
	}
	s.Fields = append(s.Fields, Field{name, s.Size, field})
	s.Size += field.Size
	return true
}

// Plain reports whether the type of the elements in PTX says as much: a number, or an array or a
// slice of numbers, of a type that PTX has by itself. The compiler accesses integers of 32 and of 64
// bits as bits, without a sign.
func (s *Shape) Plain() bool {
	if s.Elem != nil {
		s = s.Elem
	}
	switch s.Number {
	case "float32", "float64", "int8", "uint8", "byte", "int16", "uint16":
		return true
	}
	return false
}

// String returns the type as it is written in PTX. Its names have ASCII letters only.
func (s *Shape) String() string {
	var b strings.Builder
	s.write(&b)
	return b.String()
}

func (s *Shape) write(b *strings.Builder) {
	switch {
	case s.Elem != nil && s.Len < 0:
		b.WriteString("[]")
		s.Elem.write(b)
	case s.Elem != nil:
		b.WriteString("[" + strconv.FormatInt(s.Len, 10) + "]")
		s.Elem.write(b)
	case s.Number != "":
		b.WriteString(s.Number)
	default:
		b.WriteByte('{')
		for i, f := range s.Fields {
			if i > 0 {
				b.WriteByte(';')
			}
			b.WriteString(strings.Trim(strconv.QuoteToASCII(f.Name), `"`) + " ")
			f.Shape.write(b)
		}
		b.WriteByte('}')
	}
}

// ReadShape reads what String writes, nil where a text is something else.
func ReadShape(text string) *Shape {
	if len(text) > LongestShape {
		return nil
	}
	r := shapeReader{text}
	s := r.shape(true)
	if r.text != "" {
		return nil
	}
	return s
}

// shapeReader reads a shape from the start of a text.
type shapeReader struct{ text string }

func (r *shapeReader) accept(s string) bool {
	rest, ok := strings.CutPrefix(r.text, s)
	r.text = rest
	return ok
}

// shape reads a shape, which is a slice only outside of others.
func (r *shapeReader) shape(slice bool) *Shape {
	switch {
	case slice && r.accept("[]"):
		return r.array(-1)
	case r.accept("["):
		length, rest, _ := strings.Cut(r.text, "]")
		n, err := strconv.ParseInt(length, 10, 64)
		if err != nil || n < 0 {
			return nil
		}
		r.text = rest
		return r.array(n)
	case r.accept("{"):
		return r.fields()
	}
	end := strings.IndexAny(r.text, ";}")
	if end < 0 {
		end = len(r.text)
	}
	name := r.text[:end]
	r.text = r.text[end:]
	if Numbers[name] == 0 {
		return nil
	}
	return &Shape{Number: name, Size: Numbers[name]}
}

func (r *shapeReader) array(n int64) *Shape {
	elem := r.shape(false)
	if elem == nil {
		return nil
	}
	return ArrayOf(n, elem)
}

func (r *shapeReader) fields() *Shape {
	s := &Shape{}
	for !r.accept("}") {
		if len(s.Fields) > 0 && !r.accept(";") {
			return nil
		}
		quoted, rest, ok := strings.Cut(r.text, " ")
		name, err := strconv.Unquote(`"` + quoted + `"`)
		if !ok || err != nil || !isIdentifier(name) {
			return nil
		}
		r.text = rest
		f := r.shape(false)
		if f == nil || !s.Add(name, f) {
			return nil
		}
	}
	return s
}

func isIdentifier(name string) bool {
	for i, c := range name {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return name != ""
}

// At finds the part of a variable that has size bytes from an offset on. path is what Go writes
// after the variable's name, such as "[19].pos[0]". number is the number there that the bytes begin
// with, or nil if there is none, as between fields. Bytes of several fields belong to their struct.
func (s *Shape) At(offset, size int64) (path string, number *Shape) {
	var b strings.Builder
	whole := false
	for s.Number == "" {
		switch {
		case s.Elem != nil:
			if s.Elem.Size == 0 || s.Len >= 0 && offset >= s.Size {
				return b.String(), nil
			}
			if !whole {
				b.WriteString("[" + strconv.FormatInt(offset/s.Elem.Size, 10) + "]")
			}
			offset, s = offset%s.Elem.Size, s.Elem
		default:
			f := s.field(offset)
			if f == nil {
				return b.String(), nil
			}
			offset, s = offset-f.Offset, f.Shape
			if whole = whole || size > s.Size-offset; !whole {
				b.WriteString("." + f.Name)
			}
		}
	}
	return b.String(), s
}

// field is the field at an offset that has a name.
func (s *Shape) field(offset int64) *Field {
	for i := range s.Fields {
		if f := &s.Fields[i]; f.Name != "_" && offset >= f.Offset && offset-f.Offset < f.Shape.Size {
			return f
		}
	}
	return nil
}
