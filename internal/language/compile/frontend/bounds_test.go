package frontend_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// nested is declarations of structs that hold each other twice, so that the last, T0 counted, has
// 2^(depth+1) integers.
func nested(depth int) string {
	text := "package p\n\nimport \"github.com/gridstride/gridstride/gpu\"\n\ntype T0 struct{ a, b int }\n"
	for i := 1; i <= depth; i++ {
		text += fmt.Sprintf("type T%d struct{ a, b T%d }\n", i, i-1)
	}
	return text + fmt.Sprintf("\n//gpu:kernel\nfunc K(x []T%d) {\n\tt := x[gpu.ThreadIdx.X]\n\tx[0] = t\n}\n", depth)
}

// TestNesting loads kernels that copy nested structs whole: in no time, or refused by name.
func TestNesting(t *testing.T) {
	t.Parallel()
	for depth, want := range map[int]string{
		13: "",
		14: "",
		15: "p.go:20:6: type T15 has more than 65536 fields, counting the fields of its fields: use an array, or a slice",
		60: "p.go:20:6: type T15 has more than 65536 fields",
	} {
		began := time.Now()
		_, err := load(t, nested(depth))
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%d deep: %v", depth, took)
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%d deep: %v, want %q", depth, err, want)
		}
	}
}

// TestDeepTypes loads types that hold one another one by one, which took go/types minutes.
func TestDeepTypes(t *testing.T) {
	t.Parallel()
	chain := func(n int) string {
		text := "package p\n\ntype T0 struct{ a int }\n"
		for i := 1; i <= n; i++ {
			text += fmt.Sprintf("type T%d struct{ t [1]T%d }\n", i, i-1)
		}
		return text + fmt.Sprintf("\n//gpu:kernel\nfunc K(x []T%d) {}\n", n)
	}
	arrays := func(n int) string {
		return "package p\n\n//gpu:kernel\nfunc K(x []int) {\n\tvar t " + strings.Repeat("[1]", n) + "int\n\t_ = t\n}\n"
	}
	for text, want := range map[string]string{
		chain(60):    "",
		chain(3000):  "p.go:67:6: type T64 nests structs and arrays more than 128 deep: hold the parts side by side",
		arrays(100):  "",
		arrays(3000): "p.go:5:8: arrays are nested more than 128 deep: compute the index into one",
	} {
		_, err := load(t, text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%.80v, want %q", err, want)
		}
	}
}

// TestManyInstances lists 65,536 combinations of types.
func TestManyInstances(t *testing.T) {
	t.Parallel()
	kernel := func(types string) string {
		return fmt.Sprintf("package p\n\n//gpu:kernel A=%[1]s B=%[1]s C=%[1]s D=%[1]s\nfunc K[A, B, C, D any](a []A, b []B, c []C, d []D) {}\n", types)
	}
	var own []string
	text := ""
	for i := range 16 {
		own = append(own, fmt.Sprintf("T%d", i))
		text += fmt.Sprintf("type T%d int\n", i)
	}
	_, err := load(t, kernel(strings.Join(own, ","))+text)
	want := "p.go:3:1: //gpu:kernel: K would have 65536 instances, more than 1024: list fewer types, or those that belong together as T:V=float32:gpu.Float32x4"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := load(t, kernel("T0,T1,T2")+text); err != nil {
		t.Error(err)
	}
}
