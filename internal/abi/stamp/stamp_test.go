package stamp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/abi/stamp"
)

const vec = "package vec\n\nfunc host() {}\n\nfunc K() {\n\tx()\n}\n\nfunc x() {}\n"

func vecStamp() stamp.Stamp {
	return stamp.Stamp{Package: "example.com/m/vec", ABI: abi.Version, Files: []stamp.File{
		stamp.NewFile("example.com/m/vec/vec.go", []byte(vec), []stamp.Lines{{First: 9, Last: 9}, {First: 5, Last: 6}, {First: 6, Last: 7}}),
		stamp.NewFile("example.com/m/tool/a, b.go", []byte("one\n"), []stamp.Lines{{First: 1, Last: 1}}),
	}}
}

func TestRead(t *testing.T) {
	t.Parallel()
	want := vecStamp()
	if lines := []stamp.Lines{{First: 5, Last: 7}, {First: 9, Last: 9}}; !slices.Equal(want.Files[0].Lines, lines) {
		t.Errorf("lines %v, want %v", want.Files[0].Lines, lines)
	}
	for _, text := range []string{want.String() + ".version 6.0\n", strings.ReplaceAll(want.String(), "\n", "\r\n")} {
		got, ok := stamp.Read(text)
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("read %t from %q:\n%s", ok, text, diff)
		}
	}
	for _, text := range []string{"", ".version 6.0\n", "// a comment\n" + want.String(), abi.Generated, abi.Generated + "\n.version 6.0\n"} {
		if _, ok := stamp.Read(text); ok {
			t.Errorf("a stamp in %q", text)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const gone, absent = "gone", "absent"
	for _, tt := range []struct {
		name, vec, tool, want string
	}{
		{"as it was", vec, "one\n", ""},
		{"other line ends", strings.ReplaceAll(vec, "\n", "\r\n"), "one\r\n", ""},
		{"no last line end", strings.TrimSuffix(vec, "\n"), "one", ""},
		{"the host's lines", strings.Replace(vec, "func host() {}", "func other() { more() }", 1) + "\nfunc end() {}\n", "one\n", ""},
		{"a kernel's line", strings.Replace(vec, "x()", "y()", 1), "one\n", "vec.go"},
		{"a comment in a kernel", strings.Replace(vec, "x()", "x() // so", 1), "one\n", "vec.go"},
		{"lines that moved", "\n" + vec, "one\n", "vec.go"},
		{"cut", vec[:40], "one\n", "vec.go"},
		{"another package's", vec, "two\n", "tool/a, b.go"},
		{"another package's, not at hand", vec, absent, ""},
		{"a file that is no more", gone, "one\n", "vec.go"},
		{"not at hand", absent, "two\n", ""},
	} {
		err := stamp.Check(vecStamp().String(), abi.Version, func(name string) ([]byte, bool) {
			text := tt.vec
			if strings.Contains(name, "tool") {
				text = tt.tool
			}
			switch text {
			case gone:
				return nil, true
			case absent:
				return nil, false
			}
			return []byte(text), true
		})
		if got := message(err); tt.want == "" && got != "" || !strings.Contains(got, tt.want) ||
			tt.want != "" && !strings.HasSuffix(got, " has changed since the kernels of package example.com/m/vec were compiled; run gridstride build example.com/m/vec") {
			t.Errorf("%s: %q, want it to name %q", tt.name, got, tt.want)
		}
	}
}

// TestConstraint changes the build constraint of a file, which moves none of its lines.
func TestConstraint(t *testing.T) {
	t.Parallel()
	const plain, always, fast = "// vec\n\npackage vec\n\nfunc K() {}\n", "//go:build go1.18", "//go:build fast"
	with := func(line string) []byte { return []byte(strings.Replace(plain, "// vec", line, 1)) }
	for _, tt := range []struct {
		was, is string
		stale   bool
	}{
		{"// vec", "// vec", false}, {"// vec", "// other", false}, {always, always, false}, {always, always + "\r", false},
		{always, fast, true}, {always, "// vec", true}, {"// vec", fast, true},
	} {
		s := stamp.Stamp{Package: "m/vec", ABI: abi.Version, Files: []stamp.File{
			stamp.NewFile("m/vec/vec.go", with(tt.was), []stamp.Lines{{First: 5, Last: 5}}),
		}}
		err := stamp.Check(s.String(), abi.Version, func(string) ([]byte, bool) { return with(tt.is), true })
		if stale := err != nil; stale != tt.stale {
			t.Errorf("%q, then %q: stale %t, want %t", tt.was, tt.is, stale, tt.stale)
		}
	}
}

// TestFast changes the comment of a function, which moves none of its lines.
func TestFast(t *testing.T) {
	t.Parallel()
	const plain = "package vec\n\n// x is.\n//\nfunc x() {}\n"
	const fast = "package vec\n\n// x is.\n//gpu:fast\nfunc x() {}\n"
	const first = "package vec\n\n//gpu:fast\n// x is.\nfunc x() {}\r\n"
	const apart = "package vec\n//gpu:fast\n\n// x is.\nfunc x() {}\n"
	for _, tt := range []struct {
		was, is string
		stale   bool
	}{{plain, fast, true}, {fast, plain, true}, {fast, fast, false}, {fast, first, false}, {plain, apart, false}, {fast, "", true}} {
		s := stamp.Stamp{Package: "m/vec", ABI: abi.Version, Files: []stamp.File{
			stamp.NewFile("m/vec/vec.go", []byte(tt.was), []stamp.Lines{{First: 5, Last: 5}}),
		}}
		err := stamp.Check(s.String(), abi.Version, func(string) ([]byte, bool) { return []byte(tt.is), true })
		if stale := err != nil; stale != tt.stale {
			t.Errorf("%q, then %q: stale %t, want %t", tt.was, tt.is, stale, tt.stale)
		}
	}
}

// TestCheckABI looks at the PTX of another ABI, and of a compiler without stamps.
func TestCheckABI(t *testing.T) {
	t.Parallel()
	source := func(name string) ([]byte, bool) { return []byte(vec), strings.HasSuffix(name, "vec.go") }
	s := vecStamp()
	s.ABI = "other"
	if err := stamp.Check(s.String(), "", source); err != nil {
		t.Error(err)
	}
	older := strings.Replace(s.String(), ", ABI other", ", compiler 1f6c0e7d3a5b9c24", 1)
	for _, text := range []string{s.String(), older} {
		if got := message(stamp.Check(text, abi.Version, source)); !strings.Contains(got, "package example.com/m/vec were compiled by another version") {
			t.Errorf("another ABI: %q", got)
		}
	}
	if err := stamp.Check(".version 6.0\n", abi.Version, source); err != nil {
		t.Error(err)
	}
}

// TestCheckMalformed damages stamps: they are stale.
func TestCheckMalformed(t *testing.T) {
	t.Parallel()
	source := func(name string) ([]byte, bool) { return []byte(vec), true }
	for _, change := range [][2]string{{"5-7", "5-x"}, {"5-7", "0-7"}, {"5-7,9", ""}, {", ", " "}, {" of ", " "}} {
		text := vecStamp().String()
		i := strings.Index(text, "lines ")
		text = text[:i] + strings.Replace(text[i:], change[0], change[1], 1)
		if stamp.Check(text, abi.Version, source) == nil {
			t.Errorf("not stale:\n%s", text)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
