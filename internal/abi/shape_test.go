package abi

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestShape reads types as the compiler writes them, and names what lies in them.
func TestShape(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text   string
		offset int64
		path   string
		number string // "" for none
	}{
		{"int32", 0, "", "int32"},
		{"[19][33]int32", 2508, "[19][0]", ""},
		{"[20][33]int32", 2508, "[19][0]", "int32"},
		{"[]float64", 8 << 40, "[1099511627776]", "float64"},
		{"{x float32;y float32}", 4, ".y", "float32"},
		{"[]{pos [3]float32;_ [4]byte;mass float64}", 24*7 + 8, "[7].pos[2]", "float32"},
		{"[]{pos [3]float32;_ [4]byte;mass float64}", 24*7 + 12, "[7]", ""},
		{"[]{pos [3]float32;_ [4]byte;mass float64}", 24*7 + 16, "[7].mass", "float64"},
		{"[2]{a [2]{b uint8;c [2]int16}}", 10 + 5 + 1, "[1].a[1].c[0]", "int16"},
		{"{\\u00e4 bool;complex complex128}", 9, ".complex", "complex128"},
		{"{\\u00e4 bool;complex complex128}", 0, ".ä", "bool"},
		{"[0]int32", 0, "", ""},
		{"[]{}", 5, "", ""},
		{"{}", 0, "", ""},
	} {
		s := ReadShape(c.text)
		if s == nil {
			t.Errorf("%s is not read", c.text)
			continue
		}
		if s.String() != c.text {
			t.Errorf("%s is written %s", c.text, s)
		}
		path, number := s.At(c.offset, 1)
		if c.number == "" && number != nil || c.number != "" && (number == nil || number.Number != c.number || path != c.path) {
			t.Errorf("%s at %d is %s, %+v; want %s, %s", c.text, c.offset, path, number, c.path, c.number)
		}
	}
}

// TestShapeOfWhole names a struct for an access of several of its fields, and the first element of an
// access of several elements.
func TestShapeOfWhole(t *testing.T) {
	t.Parallel()
	s := ReadShape("[4]{n int32;v {X float32;Y float32};a [6]int32}")
	for _, c := range []struct {
		offset, size int64
		path, number string
	}{{36, 36, "[1]", "int32"}, {40, 8, "[1].v", "float32"}, {40, 4, "[1].v.X", "float32"}, {44, 8, "[1]", "float32"}, {48, 24, "[1].a[0]", "int32"}, {52, 8, "[1].a[1]", "int32"}} {
		if path, number := s.At(c.offset, c.size); path != c.path || number == nil || number.Number != c.number {
			t.Errorf("%d bytes at %d are %s, %v; want %s, %s", c.size, c.offset, path, number, c.path, c.number)
		}
	}
}

// TestReadBadShape refuses texts that are no types, or types too large, quickly.
func TestReadBadShape(t *testing.T) {
	t.Parallel()
	huge := fmt.Sprintf("[%d]", math.MaxInt64)
	for _, text := range []string{
		"", "[", "]", "{", "}", "[]", "[3]", "[3", "[-1]int32", "[x]int32", "[1e3]int32", "[9223372036854775808]int8", "int33", "string", "int32 ", " int32",
		"[][]int32", "[3][]int32", "{a []int32}", "{a int32", "{a int32;}", "{;a int32}", "{a int32;b}", "{a}", "{ int32}", "{a.b int32}", "{1 int32}",
		"{\\u001b int32}", "{\\x1b int32}", "{a\" int32}", "{a\x1b int32}", "int32}", "int32;", "[3]int32]",
		huge + "int16", huge + huge + "int8", "{a " + huge + "int8;b int8}", "[2]{a " + huge + "int8}",
		strings.Repeat("[1]", LongestShape/3) + "int32", strings.Repeat("{a ", 1<<20),
	} {
		if s := ReadShape(text); s != nil {
			t.Errorf("%.80q is read as %.80s", text, s)
		}
	}
	deep := strings.Repeat("{a ", 800) + "int8" + strings.Repeat("}", 800)
	if path, n := ReadShape(deep).At(0, 1); n == nil || path != strings.Repeat(".a", 800) {
		t.Errorf("at %s is %v", path, n)
	}
}

// FuzzReadShape writes again what it reads.
func FuzzReadShape(f *testing.F) {
	for _, s := range []string{"[19][33]int32", "[]{pos [3]float32;_ [4]byte;mass float64}", "{\\u00e4 bool;complex complex128}", "[0]{}"} {
		f.Add(s, int64(9))
	}
	f.Fuzz(func(t *testing.T, text string, offset int64) {
		s := ReadShape(text)
		if s == nil {
			return
		}
		if again := ReadShape(s.String()); len(s.String()) <= LongestShape && (again == nil || again.String() != s.String()) {
			t.Errorf("%q is written %q, which reads as %v", text, s, again)
		}
		s.At(max(offset, 0), 16)
	})
}
