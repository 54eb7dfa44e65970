package compile_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
	"github.com/gridstride/gridstride/internal/language/compile/testdata/lang"
)

// hostFuncs are the kernels of package lang as Go functions, by the name of their entry.
var hostFuncs = map[string]func(in, out []int64){
	"Arith_int8": lang.Arith[int8], "Arith_int16": lang.Arith[int16], "Arith_int32": lang.Arith[int32],
	"Arith_int64": lang.Arith[int64], "Arith_int": lang.Arith[int], "Arith_uint8": lang.Arith[uint8],
	"Arith_uint16": lang.Arith[uint16], "Arith_uint32": lang.Arith[uint32], "Arith_uint64": lang.Arith[uint64],
	"Arith_uint":  lang.Arith[uint],
	"Shifts_int8": lang.Shifts[int8], "Shifts_int16": lang.Shifts[int16], "Shifts_int32": lang.Shifts[int32],
	"Shifts_int64": lang.Shifts[int64],
	"Shifts_uint8": lang.Shifts[uint8], "Shifts_uint16": lang.Shifts[uint16], "Shifts_uint32": lang.Shifts[uint32],
	"Shifts_uint64": lang.Shifts[uint64],
	"Convert_int8":  lang.Convert[int8], "Convert_int16": lang.Convert[int16], "Convert_int32": lang.Convert[int32],
	"Convert_int64": lang.Convert[int64],
	"Convert_uint8": lang.Convert[uint8], "Convert_uint16": lang.Convert[uint16],
	"Convert_uint32": lang.Convert[uint32],
	"Convert_uint64": lang.Convert[uint64], "Convert_float32": lang.Convert[float32],
	"Convert_float64": lang.Convert[float64],
	"Integers_int8":   lang.Integers[int8], "Integers_int16": lang.Integers[int16],
	"Integers_int32": lang.Integers[int32],
	"Integers_int64": lang.Integers[int64], "Integers_uint8": lang.Integers[uint8],
	"Integers_uint16": lang.Integers[uint16],
	"Integers_uint32": lang.Integers[uint32], "Integers_uint64": lang.Integers[uint64],
	"Floats_float32": lang.Floats[float32], "Floats_float64": lang.Floats[float64],
	"Constants": lang.Constants, "Bools": lang.Bools, "Loops": lang.Loops, "Switches": lang.Switches,
	"Gotos":   lang.Gotos,
	"Results": lang.Results, "Shadow": lang.Shadow, "Structs": lang.Structs, "Arrays": lang.Arrays,
	"Slices":   lang.Slices,
	"Pointers": lang.Pointers, "Closures": lang.Closures, "Iterators": lang.Iterators,
	"Generics_int32": lang.Generics[int32], "Generics_float64": lang.Generics[float64],
	"Generics_uint8": lang.Generics[uint8],
	"Math":           lang.Math,
	"Index":          lang.Index, "IndexArray": lang.IndexArray, "SliceBounds": lang.SliceBounds, "Divide": lang.Divide,
	"ShiftCount":  lang.ShiftCount,
	"Bounds_int8": lang.Bounds[int8], "Bounds_int16": lang.Bounds[int16], "Bounds_int32": lang.Bounds[int32],
	"Bounds_int64": lang.Bounds[int64], "Bounds_int": lang.Bounds[int], "Bounds_uint8": lang.Bounds[uint8],
	"Bounds_uint16": lang.Bounds[uint16], "Bounds_uint32": lang.Bounds[uint32],
	"Bounds_uint64": lang.Bounds[uint64], "Bounds_uint": lang.Bounds[uint],
	"TypeSwitch_int8": lang.TypeSwitch[int8], "TypeSwitch_uint8": lang.TypeSwitch[uint8],
	"TypeSwitch_int32": lang.TypeSwitch[int32], "TypeSwitch_uint64": lang.TypeSwitch[uint64],
	"TypeSwitch_float32": lang.TypeSwitch[float32], "TypeSwitch_float64": lang.TypeSwitch[float64],
	"Tables": lang.Tables, "Complex": lang.Complex, "Divisions": lang.Divisions, "Literals": lang.Literals, "Text": lang.Text, "Computed": lang.Computed,
	"NilPointer": lang.NilPointer, "Panics": lang.Panics, "NoBounds": lang.NoBounds,
}

// inputs are the arguments of every kernel's runs. The kernels of panics.go look at the first
// number.
var inputs = [][]int64{
	{3, 5, 1, 8, 7, -2, 100, 64},
	{0, 1, 2, 3, 4, 5, 6, 7},
	{-1, -128, 127, 255, 256, -32768, 65535, 1 << 31},
	{2, math.MaxInt64, math.MinInt64, 1 << 40, -(1 << 40), 0x7ff0000000000000, -1, 63},
	{6, 4, 0, -7, 12345678, -987654321, 0x3ff8000000000000, 31},
	{5, 9, -3, 33, 1, 0x7ff8000000000001, 2, -64},
	{4, -9, 3, 32, 1000001, 77, -77, 1},
	{math.MinInt64, 0, 0, 0, 0, 0, 0, 0},
}

// TestLanguage runs the kernels of testdata/lang on the simulator and on the host: the output must
// be the same, and so must a panic.
func TestLanguage(t *testing.T) {
	r, err := compile.Compile(folder(t, "testdata/lang"), compiletest.Importer(t), compile.Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	d := newDevice(t, r)
	for _, k := range r.Kernels {
		for _, inst := range k.Instances {
			host := hostFuncs[inst.PTXName]
			if host == nil {
				t.Errorf("%s is in no test: add it to hostFuncs", inst.PTXName)
				continue
			}
			t.Run(inst.PTXName, func(t *testing.T) {
				for _, in := range inputs {
					compareRuns(t, d, inst, host, in)
				}
			})
		}
	}
}

// TestBoundsOfEveryType compares the message of each check of bounds with Go's, for indices of each
// integer type that are negative, small, and above the range of int64.
func TestBoundsOfEveryType(t *testing.T) {
	r, err := compile.Compile(folder(t, "testdata/lang"), compiletest.Importer(t), compile.Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	d := newDevice(t, r)
	for _, k := range r.Kernels {
		if k.Name != "Bounds" {
			continue
		}
		for _, inst := range k.Instances {
			for form := range int64(10) {
				for _, i := range []int64{-1, math.MinInt64, math.MinInt64 + 7, -128, 0, 2, 3, 4, 6, 200, 1 << 31, math.MaxInt64} {
					compareRuns(t, d, inst, hostFuncs[inst.PTXName], []int64{i, form, 1, 2, 3, 4})
				}
			}
		}
	}
}

// outLen is the length of the output that kernels get.
const outLen = 4096

func compareRuns(t *testing.T, d *device, inst compile.Instance, host func(in, out []int64), in []int64) {
	t.Helper()
	hostIn, hostOut := slices.Clone(in), make([]int64, outLen)
	want := callHost(host, hostIn, hostOut)
	devIn, devOut := slices.Clone(in), make([]int64, outLen)
	got := d.launch(t, inst, config{}, devIn, devOut)
	if got != want {
		t.Errorf("input %d: the device says %q, the host %q", in, got, want)
		return
	}
	for i := range hostOut {
		if hostOut[i] != devOut[i] {
			t.Errorf("input %d: out[%d] is %d (%#x) on the device, %d (%#x) on the host", in, i, devOut[i], devOut[i],
				hostOut[i], hostOut[i])
			return
		}
	}
	if !slices.Equal(hostIn, devIn) {
		t.Errorf("input %d: is %d after the device, %d after the host", in, devIn, hostIn)
	}
}

// callHost runs a kernel as a Go function and gives the message of its panic.
func callHost(f func(in, out []int64), in, out []int64) (failure string) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case runtime.Error:
			failure = strings.TrimPrefix(e.Error(), "runtime error: ")
		default:
			failure = fmt.Sprintf("panic: %v", e)
		}
	}()
	f(in, out)
	return ""
}
