package sourcetext

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLine(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"m/go.mod":        "// a module\nmodule example.com/m\n\ngo 1.26\n",
		"m/dot/kernel.go": "package dot\r\n\nfunc K() {}",
		"cuda/k.cu":       "first\nsecond\n",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f := New(filepath.Join(dir, "cuda"), filepath.Join(dir, "m", "dot"))
	for _, tt := range []struct {
		file string
		line int
		want string
	}{
		{"example.com/m/dot/kernel.go", 1, "package dot"},
		{"example.com/m/dot/kernel.go", 3, "func K() {}"},
		{"example.com/m/dot/kernel.go", 4, ""},
		{"example.com/m/dot/kernel.go", 0, ""},
		{"example.com/m/none.go", 1, ""},
		{"example.com/other/dot/x.go", 1, ""},
		{"k.cu", 2, "second"},
		{filepath.ToSlash(filepath.Join(dir, "cuda", "k.cu")), 1, "first"},
		{"/another/machine/k.cu", 1, "first"}, // moved here beside its PTX
		{"github.com/gridstride/gridstride/internal/sourcetext/sourcetext.go", 2, "package sourcetext"},
		{"example.com/other/k.cu", 1, ""},
		{"", 1, ""},
	} {
		if got := f.Line(tt.file, tt.line); got != tt.want {
			t.Errorf("%s:%d is %q, want %q", tt.file, tt.line, got, tt.want)
		}
	}
}
