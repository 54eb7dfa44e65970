package compile_test

import (
	"os"
	"testing"

	"github.com/gridstride/gridstride/internal/compile"
	"github.com/gridstride/gridstride/internal/compile/compiletest"
)

// dot is the kernel of the design.
func dot(tb testing.TB) *compile.Source {
	tb.Helper()
	text, err := os.ReadFile("lower/testdata/dot.go")
	if err != nil {
		tb.Fatal(err)
	}
	return compiletest.Source("example.com/p", "p.go", string(text))
}

// TestDeterministic compiles twice: the text is the same.
func TestDeterministic(t *testing.T) {
	var texts [2]string
	for i := range texts {
		r, err := compile.Compile(dot(t), compiletest.Importer(t), compile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = r.PTX.String()
	}
	if texts[0] != texts[1] {
		t.Errorf("two compilations differ:\n%s\n%s", texts[0], texts[1])
	}
}

func BenchmarkCompile(b *testing.B) {
	src, imp := dot(b), compiletest.Importer(b)
	for b.Loop() {
		if _, err := compile.Compile(src, imp, compile.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
