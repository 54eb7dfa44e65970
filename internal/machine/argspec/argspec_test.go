package argspec

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gridstride/gridstride/internal/library/npy"
)

// text is the argument's elements, printed.
func text(a *Arg) string {
	data := a.Data()
	if data == nil {
		return "uninitialised"
	}
	var all []string
	for i := range a.Values() {
		all = append(all, a.Elem.Format(data, i))
	}
	return strings.Join(all, " ")
}

// describe is the kind of an argument.
func describe(a *Arg) string {
	if a.Lanes > 1 {
		return fmt.Sprintf("a buffer of %d times %d %s", a.Len, a.Lanes, a.Elem.Name)
	}
	if a.Buffer {
		return fmt.Sprintf("a buffer of %d %s", a.Len, a.Elem.Name)
	}
	return "a scalar " + a.Elem.Name
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ arg, describe, want string }{
		{"u8=255", "a scalar u8", "255"},
		{"u32=1024", "a scalar u32", "1024"},
		{"u32=0x10", "a scalar u32", "16"},
		{"u64=18446744073709551615", "a scalar u64", "18446744073709551615"},
		{"s8=-128", "a scalar s8", "-128"},
		{"i16=-1", "a scalar s16", "-1"},
		{"i64=-9_000_000_000", "a scalar s64", "-9000000000"},
		{"b32=-1", "a scalar b32", "0xffffffff"},
		{"b8=7", "a scalar b8", "0x07"},
		{"f32=0.1", "a scalar f32", "0.1"},
		{"f32=-Inf", "a scalar f32", "-Inf"},
		{"f64=0x1p-3", "a scalar f64", "0.125"},
		{"f64=nan", "a scalar f64", "NaN"},

		{"f32[1]", "a buffer of 1 f32", "uninitialised"},
		{"f32[0]", "a buffer of 0 f32", "uninitialised"},
		{"f32[3]=1,2.5,-3", "a buffer of 3 f32", "1 2.5 -3"},
		{"s32x2[2]=1, 2, 3, 4", "a buffer of 2 times 2 s32", "1 2 3 4"},
		{"bf16[2x4]=ramp@1x4~32", "a buffer of 8 bf16", "0 1 2 3 4 5 6 7"},
		{"f32[0]=ones", "a buffer of 0 f32", ""},
		{"f16=0.1", "a scalar f16", "0.1"},
		{"bf16=-Inf", "a scalar bf16", "-Inf"},
		{"f16[4]=ramp", "a buffer of 4 f16", "0 1 2 3"},
		{"bf16[2]=ones", "a buffer of 2 bf16", "1 1"},
		{"bf16[3]=random:1", "a buffer of 3 bf16", "0.594 0.086 0.71"},
		{"f16[3]=random:1", "a buffer of 3 f16", "0.5938 0.08594 0.711"},
		{"u16[3]=zeros", "a buffer of 3 u16", "0 0 0"},
		{"f32[2]=ones", "a buffer of 2 f32", "1 1"},
		{"b64[1]=ones", "a buffer of 1 b64", "0x0000000000000001"},
		{"f64[4]=ramp", "a buffer of 4 f64", "0 1 2 3"},
		{"s32[3]=-7", "a buffer of 3 s32", "-7 -7 -7"},
		{"f32[2]=2.5", "a buffer of 2 f32", "2.5 2.5"},
		{"f32x4[2]=ramp", "a buffer of 2 times 4 f32", "0 1 2 3 4 5 6 7"},
		{"i16x2[1]=-1", "a buffer of 1 times 2 s16", "-1 -1"},
		{"b64x3[9]", "a buffer of 9 times 3 b64", "uninitialised"},
		{"f64x2[0]=ones", "a buffer of 0 times 2 f64", ""},
	} {
		a, err := Parse(test.arg, npy.ReadFile)
		if err != nil {
			t.Errorf("%s: %v", test.arg, err)
			continue
		}
		if got := text(a); got != test.want || describe(a) != test.describe {
			t.Errorf("%s: %s: %s; want %s: %s", test.arg, describe(a), got, test.describe, test.want)
		}
	}
}

func TestRampWraps(t *testing.T) {
	t.Parallel()
	a, err := Parse("s8[260]=ramp", npy.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	data := a.Data()
	if got := fmt.Sprint(a.Elem.Format(data, 127), a.Elem.Format(data, 128),
		a.Elem.Format(data, 259)); got != "127-1283" {
		t.Errorf("elements 127, 128 and 259 are %s", got)
	}
}

func TestRandom(t *testing.T) {
	t.Parallel()
	for _, e := range elems {
		first, err := Parse(e.Name+"[100]=random:7", npy.ReadFile)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := Parse(e.Name+"[100]=random:7", npy.ReadFile)
		other, _ := Parse(e.Name+"[100]=random:8", npy.ReadFile)
		if once := text(first); text(first) != once || text(again) != once {
			t.Errorf("%s: the same seed gives other elements", e.Name)
		}
		if text(first) == text(other) {
			t.Errorf("%s: two seeds give the same elements", e.Name)
		}
		if e.kind != float {
			continue
		}
		data := first.Data()
		for i := range first.Len {
			if s := e.Format(data, i); s >= "1" || s[0] == '-' {
				t.Errorf("%s: element %d is %s, not in [0, 1)", e.Name, i, s)
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{
		"":                                  `"" is no type: want TYPE=VALUE, TYPE[N], TYPE[N]=CONTENTS or FILE.npy, where TYPE is one of u8 `,
		"f33[4]":                            `"f33" is no type`,
		"float32=1":                         `"float32" is no type`,
		"1024":                              `"1024" is no type`,
		"x.np":                              `"x.np" is no type`,
		"f32":                               "want f32=VALUE for a scalar, f32[N] for a buffer of N elements",
		"f32=":                              `"" is not a value of type f32`,
		"f32=one":                           `"one" is not a value of type f32`,
		"f32=1e39":                          "1e39 does not fit f32",
		"u8=256":                            "256 does not fit u8",
		"u32=-1":                            `"-1" is not a value of type u32`,
		"u32=1.5":                           `"1.5" is not a value of type u32`,
		"s8=128":                            "128 does not fit s8",
		"u32=ramp":                          `"ramp" is not a value of type u32`,
		"f32[4":                             "want f32[N], and after it nothing or =CONTENTS",
		"f32[4]x":                           "want f32[N], and after it nothing or =CONTENTS",
		"f32[]":                             `"" is not a number of elements`,
		"f32[n]":                            `"n" is not a number of elements`,
		"f32[-1]":                           "the number of elements is negative: -1",
		"f32[99999999999999999999]":         "99999999999999999999 elements are more than any memory holds",
		"f64[9223372036854775807]":          "9223372036854775807 elements are more than any memory holds",
		"f32[4]=":                           `"" is not a value of type f32; contents are zeros, ones, ramp, random:SEED, a number, N numbers with commas between or FILE.npy`,
		"f32x5[4]":                          `"f32x5" is no type`,
		"x4[4]":                             `"x4" is no type`,
		"f32x4=1":                           "want f32x4[N] for a buffer of N elements; a value of several is f32[4]=CONTENTS",
		"f32x4":                             "want f32x4[N] for a buffer of N elements",
		"f32x4[2":                           "want f32x4[N], and after it nothing or =CONTENTS",
		"f64x2[576460752303423488]":         "576460752303423488 elements are more than any memory holds",
		"f32[4]=1,2,3":                      "3 values are given for a buffer of 4",
		"f32[2]=1,":                         `"" is not a value of type f32`,
		"f32[0]=1,2":                        "2 values are given for a buffer of 0",
		"u32=1,2":                           `"1,2" is not a value of type u32`,
		"f32[4]=ramp@4x4":                   "the tensor is 4 and its box 4x4; want as many sizes in both",
		"f32[4x4]@4":                        "the tensor is 4x4 and its box 4; want as many sizes in both",
		"f32[4x]@4x4":                       `"4x" are no sizes of a tensor`,
		"f32[4x4@4x4":                       "want TYPE[N] or TYPE[ROWSxCOLUMNS]",
		"f32[4x4]@":                         `"" are no sizes of a tensor`,
		"f32[4x4]@4x4~x":                    `"x" is no swizzle`,
		"f32[0x4]@4x4":                      `"0x4" are no sizes of a tensor`,
		"f32[1x1x1x1x1x1]@1":                `"1x1x1x1x1x1" are no sizes of a tensor`,
		"f32=1@4":                           "only a buffer of single values has a tensor map",
		"f32x2[4x4]@4x4":                    "only a buffer of single values has a tensor map",
		"u8[1048576x1048576x1048576]@1x1x1": "1048576x1048576x1048576 elements are more than any memory holds",
		"f32[4x4]=ramp":                     `"4x4" is not a number of elements`,
		"f32[4]=a,b@c.npy":                  "open a,b@c.npy: ",
		"f32[4]=missing.npy":                "open missing.npy: ",
		"f32[4]=noise":                      `"noise" is not a value of type f32; contents are`,
		"f32[4]=random":                     `"random" is not a value of type f32; contents are`,
		"f32[4]=random:":                    `"" is not a seed`,
		"f32[4]=random:x":                   `"x" is not a seed: want random:SEED`,
		"missing.npy":                       "open missing.npy: ",
	} {
		a, err := Parse(arg, npy.ReadFile)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Parse(%q) = %v, %v; want error %q", arg, a, err, want)
		}
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "x.npy")
	for _, test := range []struct {
		array    npy.Array
		describe string
	}{
		{npy.Array{Dtype: "<f4", Shape: []int{2, 1}, Data: make([]byte, 8)}, "a buffer of 2 f32"},
		{npy.Array{Dtype: "|b1", Shape: []int{3}, Data: []byte{1, 0, 1}}, "a buffer of 3 b8"},
		{npy.Array{Dtype: "<f2", Shape: []int{1}, Data: []byte{0, 0x3c}}, "a buffer of 1 f16"},
		{npy.Array{Dtype: "<V2", Shape: []int{1}, Data: []byte{0x80, 0x3f}}, "a buffer of 1 bf16"},
		{npy.Array{Dtype: "<i8", Shape: nil, Data: make([]byte, 8)}, "a buffer of 1 s64"},
		{npy.Array{Dtype: "|u1", Shape: []int{0}, Data: []byte{}}, "a buffer of 0 u8"},
	} {
		if err := npy.WriteFile(name, &test.array); err != nil {
			t.Fatal(err)
		}
		a, err := Parse(name, npy.ReadFile)
		if err != nil {
			t.Fatal(err)
		}
		if describe(a) != test.describe {
			t.Errorf("%v: %s, want %s", test.array, describe(a), test.describe)
		}
		if diff := cmp.Diff(&test.array, a.Array(a.Data())); diff != "" {
			t.Errorf("type, shape or data are lost (-want +got)\n%s", diff)
		}
	}
}

// TestContentsOfFile fills buffers from a file, which must fit.
func TestContentsOfFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "x.npy")
	array := &npy.Array{Dtype: "<f4", Shape: []int{2, 4}, Data: make([]byte, 32)}
	array.Data[31] = 0x40
	if err := npy.WriteFile(name, array); err != nil {
		t.Fatal(err)
	}
	for arg, want := range map[string]string{
		"f32[8]=":   "a buffer of 8 f32",
		"f32x4[2]=": "a buffer of 2 times 4 f32",
		"b32x2[4]=": "a buffer of 4 times 2 b32",
	} {
		a, err := Parse(arg+name, npy.ReadFile)
		if err != nil {
			t.Errorf("%s: %v", arg, err)
		} else if diff := cmp.Diff(array, a.Array(a.Data())); describe(a) != want || diff != "" {
			t.Errorf("%s: %s, want %s; the array differs:\n%s", arg, describe(a), want, diff)
		}
	}
	for arg, want := range map[string]string{
		"f32[9]=":   name + ": holds 8 values, the buffer takes 9",
		"f32x2[8]=": name + ": holds 8 values, the buffer takes 16",
		"u32[8]=":   name + ": holds float32, not u32",
		"b64[4]=":   name + ": holds float32, not b64",
	} {
		if _, err := Parse(arg+name, npy.ReadFile); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", arg, err, want)
		}
	}
	if a, err := Parse("f32x4[3]", npy.ReadFile); err != nil || !cmp.Equal(a.Array(nil).Shape, []int{3, 4}) {
		t.Errorf("an array of vectors is written as %v (%v), want a row for each", a.Array(nil).Shape, err)
	}
}

func TestArrayOfPattern(t *testing.T) {
	t.Parallel()
	a, err := Parse("f64[2]=ramp", npy.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	got, err := npy.Vector[float64](a.Array(a.Data()))
	if err != nil || !cmp.Equal(got, []float64{0, 1}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestFormat(t *testing.T) {
	t.Parallel()
	f64, _ := elemNamed("f64")
	b := make([]byte, 16)
	f64.put(b, 1, math.Float64bits(math.Copysign(0, -1)))
	if got := f64.Format(b, 1); got != "-0" {
		t.Errorf("minus zero prints as %s", got)
	}
}

func TestParseOut(t *testing.T) {
	t.Parallel()
	var args []*Arg
	for _, text := range []string{"f32[4]", "u32=4"} {
		a, err := Parse(text, npy.ReadFile)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, a)
	}
	for text, want := range map[string]Out{
		"0":          {0, ""},
		"0:y.npy":    {0, "y.npy"},
		`0:C:\y.npy`: {0, `C:\y.npy`},
	} {
		if got, err := ParseOut(text, args); err != nil || got != want {
			t.Errorf("ParseOut(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":        `"" is not the number of an argument`,
		"y.npy":   `"y.npy" is not the number of an argument: want N to print`,
		"2":       "there is no argument 2: they are 0 to 1",
		"-1":      "there is no argument -1",
		"1":       "argument 1 (u32=4) is a scalar, which a kernel cannot change",
		"0:":      `"" is not the name of a .npy file`,
		"0:y.txt": `"y.txt" is not the name of a .npy file`,
	} {
		if got, err := ParseOut(text, args); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("ParseOut(%q) = %v, %v; want error %q", text, got, err, want)
		}
	}
	if _, err := ParseOut("0", nil); err == nil || !strings.HasSuffix(err.Error(), "the kernel is given none") {
		t.Errorf("no arguments: %v", err)
	}
}
