package npy

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What numpy.lib.format.write_array of NumPy 1.24 wrote, byte for byte.
var (
	float32V1 = "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }" +
		strings.Repeat(" ", 60) +
		"\n\x00\x00\x80?\x00\x00 @\x00\x00@\xc0"
	float64V2 = "\x93NUMPY\x02\x00t\x00\x00\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }" +
		strings.Repeat(" ", 58) +
		"\n\x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00\x00\x00\x00\x04@"
	bigEndian = "\x93NUMPY\x01\x00v\x00{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }" +
		strings.Repeat(" ", 60) +
		"\n?\x80\x00\x00@ \x00\x00"
	twoRows = "\x93NUMPY\x01\x00v\x00{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }" +
		strings.Repeat(" ", 58) +
		"\n\x00\x00\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00"
	fortran = "\x93NUMPY\x01\x00v\x00{'descr': '<u2', 'fortran_order': True, 'shape': (2, 3), }" +
		strings.Repeat(" ", 59) +
		"\n\x00\x00\x03\x00\x01\x00\x04\x00\x02\x00\x05\x00"
	scalar = "\x93NUMPY\x01\x00v\x00{'descr': '<i4', 'fortran_order': False, 'shape': (), }" + strings.Repeat(" ", 62) +
		"\n\x07\x00\x00\x00"
	empty = "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }" +
		strings.Repeat(" ", 60) + "\n"
	bools = "\x93NUMPY\x01\x00v\x00{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }" +
		strings.Repeat(" ", 60) + "\n\x01\x00"
	record = "\x93NUMPY\x01\x00v\x00{'descr': [('a', '<f4'), ('b', '<i4')], 'fortran_order': False, 'shape': (1,), }" +
		strings.Repeat(" ", 37) + "\n\x00\x00\x00\x00\x00\x00\x00\x00"
)

func read(text string) (*Array, error) { return Read(strings.NewReader(text), int64(len(text))) }

func TestRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file string
		want Array
	}{
		"float32, version 1": {float32V1, Array{"<f4", []int{3}, []byte("\x00\x00\x80?\x00\x00 @\x00\x00@\xc0")}},
		"float64, version 2": {float64V2,
			Array{"<f8", []int{2}, []byte("\x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00\x00\x00\x00\x04@")}},
		"big endian": {bigEndian, Array{"<f4", []int{2}, []byte("\x00\x00\x80?\x00\x00 @")}},
		"two-dimensional": {twoRows, Array{"<u2", []int{2, 3},
			[]byte("\x00\x00\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00")}},
		"scalar":            {scalar, Array{"<i4", nil, []byte("\x07\x00\x00\x00")}},
		"empty":             {empty, Array{"<f4", []int{0}, []byte{}}},
		"bool":              {bools, Array{"|b1", []int{2}, []byte{1, 0}}},
		"something follows": {bools + "more", Array{"|b1", []int{2}, []byte{1, 0}}},
	} {
		got, err := read(test.file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(&test.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file, want string
	}{
		"nothing":       {"", "is not a .npy file"},
		"text":          {"1.0, 2.0, 3.0, 4.0\n", "is not a .npy file"},
		"magic alone":   {float32V1[:6], "is not a .npy file"},
		"half a header": {float32V1[:60], "is truncated in its header"},
		"half a length": {float64V2[:11], "is truncated in its header"},
		"version 3": {strings.Replace(float64V2, "\x02", "\x03", 1),
			"is of .npy version 3, which is not 1 or 2"},
		"no data": {float32V1[:128],
			"is truncated: the header promises 3 elements of 4 bytes, and 0 of those 12 bytes are there"},
		"one byte short": {float32V1[:139],
			"is truncated: the header promises 3 elements of 4 bytes, and 11 of those 12 bytes are there"},
		"Fortran order": {fortran, "is in Fortran order (column by column); save numpy.ascontiguousarray(x)"},
		"complex": {strings.Replace(float32V1, "<f4", "<c8", 1),
			"holds elements of type complex64, which is none of bool,"},
		"strings": {strings.Replace(float32V1, "<f4", "<U2", 1),
			`holds elements of type "<U2", which is none of bool,`},
		"records": {record, "holds records, not numbers"},
		"negative length": {strings.Replace(float32V1, "(3,), ", "(-3,),", 1),
			"has a header that NumPy would not write"},
		"negative shape": {strings.Replace(float32V1, "(3,), }  ", "(-3,), } ", 1), "has an impossible shape (-3,)"},
		"too large a shape": {strings.Replace(twoRows, "(2, 3), }"+strings.Repeat(" ", 36),
			"(4611686018427387904, 4611686018427387904), }", 1), "has an impossible shape"},
		// Both had 0 elements of a shape that nobody could count, and ended gridstride metric.
		"too large a shape without elements": {strings.Replace(float32V1, "(3,), }"+strings.Repeat(" ", 22),
			"(9223372036854775807, 0), }  ", 1), "has an impossible shape (9223372036854775807, 0)"},
		"beyond the file": {strings.Replace(float32V1, "(3,), }"+strings.Repeat(" ", 12), "(3000000000000,), }", 1),
			"is truncated: the header promises 3000000000000 elements"},
		"no closing brace": {strings.Replace(float32V1, "}", " ", 1), "has a header that NumPy would not write"},
		"no newline":       {strings.Replace(float32V1, "\n", " ", 1), "has a header that NumPy would not write"},
		"other spelling": {strings.Replace(float32V1, "(3,), }", "(3,)}  ", 1),
			"has a header that NumPy would not write"},
		"huge header": {strings.Replace(float64V2, "t\x00\x00\x00", "t\x00\x00\x7f", 1),
			"has a header of 2130706548 bytes, more than 65536"},
	} {
		_, err := read(test.file)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
	}
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := ReadFile(dir); err == nil || !strings.Contains(err.Error(), dir+": not a file") {
		t.Errorf("reading a folder: %v", err)
	}
	if _, err := ReadFile(filepath.Join(dir, "x.npy")); !os.IsNotExist(err) {
		t.Errorf("reading a missing file: %v", err)
	}
	name := filepath.Join(dir, "y.npy")
	if err := os.WriteFile(name, []byte(float32V1[:100]), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(name); err == nil || err.Error() != name+": is truncated in its header" {
		t.Errorf("reading a truncated file: %v", err)
	}
}

func TestWrittenIsWhatNumPyWrites(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "x.npy")
	if err := WriteFile(name, FromVector([]float32{1, 2.5, -3})); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(float32V1, string(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, text := range []string{float64V2, twoRows, scalar, empty, bools} {
		a, err := read(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(name, a); err != nil {
			t.Fatal(err)
		}
		again, err := ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a, again); diff != "" {
			t.Errorf("written and read (-want +got)\n%s", diff)
		}
	}
}

func TestVector(t *testing.T) {
	t.Parallel()
	roundTrip(t, []int8{-128, 0, 127})
	roundTrip(t, []uint8{0, 255})
	roundTrip(t, []int16{-32768, 1})
	roundTrip(t, []uint16{65535})
	roundTrip(t, []int32{math.MinInt32})
	roundTrip(t, []uint32{math.MaxUint32})
	roundTrip(t, []int64{math.MinInt64})
	roundTrip(t, []uint64{math.MaxUint64})
	roundTrip(t, []float32{0.1, float32(math.Inf(1))})
	roundTrip(t, []float64{0.1, math.Copysign(0, -1)})
	roundTrip(t, []float64{})

	rows, err := read(twoRows)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Vector[uint16](rows); err == nil || err.Error() != "has 2 dimensions (2, 3), not one" {
		t.Errorf("two dimensions: %v", err)
	}
	if _, err := Vector[float64](rows); err == nil || err.Error() != "holds uint16, not float64" {
		t.Errorf("wrong type: %v", err)
	}
}

func roundTrip[T Element](t *testing.T, want []T) {
	t.Helper()
	a := FromVector(want)
	if a.Len() != len(want) || len(a.Data) != len(want)*binary.Size(*new(T)) {
		t.Errorf("%T: %d elements in %d bytes", want, a.Len(), len(a.Data))
	}
	got, err := Vector[T](a)
	if err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// FuzzRead finds files that make Read panic, or claim elements that are not there.
func FuzzRead(f *testing.F) {
	for _, text := range []string{float32V1, float64V2, bigEndian, twoRows, fortran, scalar, empty, bools, record} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := Read(bytes.NewReader(b), int64(len(b)))
		if err == nil && len(a.Data) > len(b) {
			t.Errorf("%d bytes of data from a file of %d", len(a.Data), len(b))
		}
	})
}
