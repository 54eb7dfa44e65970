package directive

import (
	"reflect"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
)

func TestParseKernel(t *testing.T) {
	t.Parallel()
	const comment = "//gpu:kernel T=float32,gpu.Float32x4  block=16x8 minblocks=2 fast target=sm_70,sm_90a"
	got, errs := ParseKernel(comment)
	want := &Kernel{
		Types: []TypeList{{[]Name{{"T", strings.Index(comment, "T=")}}, [][]Name{
			{{"float32", strings.Index(comment, "float32")}}, {{"gpu.Float32x4", strings.Index(comment, "gpu.Float32x4")}},
		}}},
		Block: [3]int{16, 8, 1}, MinBlocks: 2,
		Targets: []abi.Target{{SM: 70}, {SM: 90, Suffix: 'a'}},
		Fast:    true,
	}
	if len(errs) > 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, errs, want)
	}
	if got, errs := ParseKernel(KernelName); len(errs) > 0 || !reflect.DeepEqual(got, &Kernel{}) {
		t.Errorf("a directive without arguments: %+v, %v", got, errs)
	}
}

// TestTogether reads type parameters that change together.
func TestTogether(t *testing.T) {
	t.Parallel()
	const comment = "//gpu:kernel T:V=int8:v.A,int I=int8"
	_, errs := ParseKernel(comment)
	if len(errs) != 1 || errs[0].Offset != strings.Index(comment, "int I") {
		t.Errorf("one type for two parameters: %v", errs)
	}
	got, errs := ParseKernel("//gpu:kernel T:V=int:v.A,int8:v.C I=int8")
	want := []TypeList{
		{[]Name{{"T", 13}, {"V", 15}}, [][]Name{{{"int", 17}, {"v.A", 21}}, {{"int8", 25}, {"v.C", 30}}}},
		{[]Name{{"I", 34}}, [][]Name{{{"int8", 36}}}},
	}
	if len(errs) > 0 || !reflect.DeepEqual(got.Types, want) {
		t.Errorf("%+v, %v; want %+v", got.Types, errs, want)
	}
	if types := got.TypesOf("V"); !reflect.DeepEqual(types, []string{"v.A", "v.C"}) {
		t.Errorf("the types of V are %q", types)
	}
}

// TestBrackets reads type arguments that are instances and arrays themselves.
func TestBrackets(t *testing.T) {
	t.Parallel()
	got, errs := ParseKernel("//gpu:kernel T:V=Pair[int8, v.A]:v.B[[2]P[int, int]],[4]int:int block=32")
	want := []TypeList{{[]Name{{"T", 13}, {"V", 15}}, [][]Name{
		{{"Pair[int8, v.A]", 17}, {"v.B[[2]P[int, int]]", 33}}, {{"[4]int", 53}, {"int", 60}},
	}}}
	if len(errs) > 0 || !reflect.DeepEqual(got.Types, want) || got.Block != [3]int{32, 1, 1} {
		t.Errorf("%+v, %v; want %+v", got, errs, want)
	}
	if _, errs := ParseKernel("//gpu:kernel T=int,"); len(errs) != 0 {
		t.Errorf("%v", errs) // the front end says that the last is not the name of a type
	}
}

// TestErrors gives each error at the first byte of what is wrong. The frontend's own tests have the
// others.
func TestErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ comment, at, msg string }{
		{"//gpu:kernel target=sm_60", "sm_60", `//gpu:kernel: cannot read target "sm_60": write sm_70 or a newer one, such as sm_80 or sm_90a`},
		{"//gpu:kernel target=sm_70,,sm_80", ",sm_80", `//gpu:kernel: cannot read target "": write sm_70 or a newer one, such as sm_80 or sm_90a`},
		{"//gpu:kernel target=sm_80,sm_90,sm_80", "sm_80$", "//gpu:kernel: target sm_80 is listed twice"},
		{"//gpu:kernel target=sm_80 target=sm_90", "target=sm_90", "//gpu:kernel: target is given twice: write all in one list"},
		{"//gpu:kernel block=3 quick", "quick", `//gpu:kernel: cannot read "quick": write T=float32,float64, block=256, fast or open`},
		{"//gpu:kernel fast block=3 fast", "fast$", "//gpu:kernel: fast is given twice"},
	} {
		_, errs := ParseKernel(tt.comment)
		at := strings.LastIndex(tt.comment+"$", tt.at)
		if want := []Error{{at, tt.msg}}; !reflect.DeepEqual(errs, want) {
			t.Errorf("%s:\n%v, want\n%v", tt.comment, errs, want)
		}
	}
}

func TestParseAllow(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][3]string{
		"//gpu:allow race all write the same": {"race", "all write the same", "ok"},
		"//gpu:allow vet":                     {"vet", "", "ok"},
		"//gpu:allow vet  ":                   {"vet", "", "ok"},
		"//gpu:allow":                         {"", "", "ok"},
		"//gpu:allowed race x":                {},
		"// gpu:allow race x":                 {},
	} {
		what, reason, ok := ParseAllow(text)
		if what != want[0] || reason != want[1] || ok != (want[2] != "") {
			t.Errorf("%q: %q %q %v", text, what, reason, ok)
		}
	}
}
