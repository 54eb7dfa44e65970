package abi

import (
	"reflect"
	"testing"
)

// TestIntrinsicSignature takes signatures apart.
func TestIntrinsicSignature(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, constraint, result string
		params                   []Param
	}{
		{"SyncThreads", "", "", nil},
		{"Shared", "any", "*T", nil},
		{"ShflSync", "any", "T", []Param{{"mask", "uint32"}, {"v", "T"}, {"srcLane", "int"}}},
		{"FMA", "Float", "T", []Param{{"x", "T"}, {"y", "T"}, {"z", "T"}}},
		{"AtomicCAS", "Bitwise", "T", []Param{{"addr", "*T"}, {"old", "T"}, {"new", "T"}, {"how", "...Ordering"}}},
		{"MMA16x8x32F32", "E4M3 | E5M2", "C16x8[float32]", []Param{{"a", "A16x32[T]"}, {"b", "B32x8[U]"}, {"c", "C16x8[float32]"}}},
		{"GridStride", "", "func(yield func(i int) bool)", []Param{{"n", "int"}}},
	}
	for _, test := range tests {
		in := FindIntrinsic(test.name)
		if in == nil {
			t.Fatalf("there is no %s", test.name)
		}
		if in.Constraint() != test.constraint || in.ResultType() != test.result || !reflect.DeepEqual(in.Params(), test.params) {
			t.Errorf("%s: got [%s] %q %q", test.name, in.Constraint(), in.Params(), in.ResultType())
		}
	}
	if in := FindIntrinsic("Cosine"); in != nil {
		t.Errorf("found %v, which there is not", in)
	}
}

// TestIntrinsicsOnce looks for rows with one name, and for unsigned operations without a signed
// one.
func TestIntrinsicsOnce(t *testing.T) {
	t.Parallel()
	for i := range Intrinsics {
		in := &Intrinsics[i]
		if FindIntrinsic(in.Name) != in {
			t.Errorf("%s has two rows", in.Name)
		}
		if in.Op == "" && in.OpUnsigned != "" || in.Group == "" {
			t.Errorf("%s is incomplete: %+v", in.Name, in)
		}
	}
}
