package ptx

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// same compares what takes part in the equality of modules.
var same = cmpopts.IgnoreTypes(Pos{}, Source{})

// roundTrip checks that printing and parsing a module gives it back, and that the text is stable.
func roundTrip(t *testing.T, m *Module) {
	t.Helper()
	text := m.String()
	again, err := Parse("printed.ptx", text)
	if err != nil {
		t.Fatalf("printed text does not parse: %v\n%s", err, text)
	}
	if diff := cmp.Diff(m, again, same); diff != "" {
		t.Fatalf("round trip (-first +second):\n%s\n%s", diff, text)
	}
	if s := again.String(); s != text {
		t.Fatalf("printed twice:\n%s\nthen\n%s", text, s)
	}
}

// corpus are the PTX texts that must parse, verify and round-trip: our own, and those nvcc made for
// the simulator.
func corpus(t testing.TB) map[string]string {
	texts := map[string]string{}
	for _, pattern := range []string{"testdata/*.ptx", "../sim/testdata/nvcc/*.ptx", "../sim/testdata/nvcc/*/*.ptx"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			texts[path] = string(text)
		}
	}
	if len(texts) == 0 {
		t.Fatal("the corpus is empty")
	}
	return texts
}

func TestRoundTrip(t *testing.T) {
	for path, text := range corpus(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			m, err := Parse(path, text)
			if err != nil {
				t.Fatal(err)
			}
			roundTrip(t, m)
		})
	}
}

// TestElements: the element of an array is its address in bytes, whatever else the array has.
func TestElements(t *testing.T) {
	t.Parallel()
	m, err := check(instrModule("8.4", "sm_90",
		".shared .align 8 .v2 .f32 pairs[9]; .shared .b16 rows[4][8]; mov.u32 r1, pairs[3]; ld.shared.u16 h1, rows[9];"))
	if err != nil {
		t.Fatal(err)
	}
	text := m.String()
	for _, want := range []string{"mov.u32 r1, pairs+12;", "ld.shared.u16 h1, [rows+18];"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestConstantExpressions holds constant expressions to the values that ptxas 13 gives them: each
// was the first element of an initialised variable, read from the object file.
func TestConstantExpressions(t *testing.T) {
	for _, c := range []struct {
		text string
		want uint64
	}{
		{"3<5", 0x1},
		{"3<2==0", 0x1},
		{"1<2<3", 0x1},
		{"-1>1U", 0x1},
		{"-1>1", 0x0},
		{"-1<1U", 0x0},
		{"-1==0xFFFFFFFFFFFFFFFF", 0x1},
		{"0-1U>=0", 0x1},
		{"1!=1", 0x0},
		{"!5", 0x0},
		{"!0", 0x1},
		{"-!0", 0xffffffffffffffff},
		{"~!0", 0xfffffffffffffffe},
		{"1?2:3", 0x2},
		{"1?2:0?3:4", 0x2},
		{"0?1:0?3:4", 0x4},
		{"!1?2:3", 0x3},
		{"(1<2)?2:3", 0x2},
		{"(1?1U:-1)-2>>60", 0xf},
		{"(0?1U:-1)>>60", 0xffffffffffffffff},
		{"(0?-1:1U)-2>>60", 0xf},
		{"1&&0", 0x0},
		{"2||0", 0x1},
		{"(1U&&1U)-2>>60", 0xffffffffffffffff},
		{"1|2==2", 0x1},
		{"2&3==3", 0x0},
		{"2.0>1.0&&1", 0x1},
		{"(1.5+2.5)<4.5", 0x1},
		{"-(1.5)<0.0", 0x1},
		{"1.5-2.0*3.0/4.0==0.0", 0x1},
		{"(.s64)5", 0x5},
		{"(.u64)-5>>60", 0xf},
		{"(.u64)5-6>>60", 0xf},
		{"(.s64)-1U>>60", 0xffffffffffffffff},
		{"(.s64)0x8000000000000000>>63", 0xffffffffffffffff},
		{"-7 / (.s64)2U", 0xfffffffffffffffd},
		{"0x8000000000000000>>63", 0x1},
		{"-7 % 2", 0x1},
		{"-7 % -2>>60", 0xf},
		{"(0 % 1)-1>>60", 0xf},
		{"-7/2", 0xfffffffffffffffd},
		{"-7/2U", 0x7ffffffffffffffc},
		{"7/-2", 0xfffffffffffffffd},
		{"WARP_SZ", 0x20},
		{"WARP_SZ*2", 0x40},
		{"-WARP_SZ/2", 0xfffffffffffffff0},
		{"WARP_SZ-33>>60", 0xffffffffffffffff},
		{"1+2<<3", 0x18},
		{"(~0)-1>>60", 0xf},
		{"5>>-1", 0x0},
		{"1<<65", 0x2},
		{"-1>>65", 0xffffffffffffffff},
		{"(-1<<1U)>>60", 0xffffffffffffffff},
		{"(-1U<<1)>>60", 0xf},
		{"(-1&1U)-2>>60", 0xf},
		{"(0^0)-1>>60", 0xffffffffffffffff},
		{"--5", 0x5},
	} {
		m, err := Parse("c.ptx", ".version 7.0\n.target sm_70\n.global .b64 x = "+c.text+";")
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		} else if got, ok := m.Decls[0].(*Var).Init.(Int); !ok || got.Bits != c.want {
			t.Errorf("%s is %#x, want %#x", c.text, got.Bits, c.want)
		}
	}
}

// TestConstants checks the value of each form of constant.
func TestConstants(t *testing.T) {
	for _, c := range []struct {
		text string
		want Operand
	}{
		{"12", Int{Bits: 12}},
		{"0x1F", Int{Bits: 31}},
		{"017", Int{Bits: 15}},
		{"0b101", Int{Bits: 5}},
		{"7U", Int{Bits: 7, Unsigned: true}},
		{"-1", Int{Bits: 1<<64 - 1}},
		{"18446744073709551615", Int{Bits: 1<<64 - 1, Unsigned: true}},
		{"-9223372036854775808", Int{Bits: 1 << 63}},
		{"9223372036854775808", Int{Bits: 1 << 63, Unsigned: true}},
		{"-5U", Int{Bits: 1<<64 - 5, Unsigned: true}},
		{"0f3f800000", Float{Bits: 0x3F800000, Single: true}},
		{"-0F3F800000", Float{Bits: 0xBF800000, Single: true}},
		{"0d3FF0000000000000", Float{Bits: 0x3FF0000000000000}},
		{"0.5", Float{Bits: 0x3FE0000000000000}},
		{"-1e+1", Float{Bits: 0xC024000000000000}},
		{"(1+2)*3-10/3", Int{Bits: 6}},
		{"1 << 4 | 3", Int{Bits: 19}},
		{"-8 >> 1", Int{Bits: 1<<64 - 4}},
		{"~0", Int{Bits: 1<<64 - 1, Unsigned: true}},
	} {
		m, err := Parse("c.ptx", ".version 7.0\n.target sm_70\n.global .b64 x = "+c.text+";")
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := m.Decls[0].(*Var).Init; got != c.want {
			t.Errorf("%s is %v, want %v", c.text, got, c.want)
		}
		roundTrip(t, m)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range parseErrors {
		_, err := Parse("e.ptx", header+c.text)
		var list ErrorList
		if !errors.As(err, &list) {
			t.Errorf("%s parses", c.text)
			continue
		}
		var got []string
		for _, e := range list {
			got = append(got, fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Msg))
			want := strings.ReplaceAll(strings.TrimSpace(strings.Split(header+c.text, "\n")[e.Line-1]), "\x80",
				"\ufffd")
			if len(want) < 100 && e.Text != want {
				t.Errorf("%s: error quotes %q, want %q", c.text, e.Text, want)
			}
		}
		if s := strings.Join(got, "\n"); s != c.want {
			t.Errorf("%s\n got: %s\nwant: %s", c.text, s, c.want)
		}
	}
}

// TestParseHeaderErrors checks texts that are no PTX at all.
func TestParseHeaderErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "h.ptx:1:1: PTX starts with .version, found end of file"},
		{"\x7fELF\x02\x01\x01", "h.ptx:1:1: PTX starts with .version, found \"\\x7f\"\n\t\ufffdELF\ufffd\ufffd\ufffd"},
		{"\ufeff.version 7.0\n", `h.ptx:1:1: PTX starts with .version, found "\ufeff"`},
		{"package main\n", "h.ptx:1:1: PTX starts with .version, found package"},
		{".version x\n.target sm_70\n", "h.ptx:1:10: expected a version such as 7.0, found x"},
		{".version 7.0\n.address_size 64\n", "h.ptx:1:10: expected .target after 7.0"},
		{".version 7.0\n.target sm_70\n.address_size 16\n", "h.ptx:3:15: an address has 32 or 64 bits, not 16"},
	} {
		_, err := Parse("h.ptx", c.text)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestErrorCap checks that a text full of errors is given up, and that the message stays readable.
func TestErrorCap(t *testing.T) {
	_, err := Parse("many.ptx", header+".entry k() {\n"+strings.Repeat("mov a b;\n", 10_000)+"}\n")
	var list ErrorList
	if !errors.As(err, &list) || len(list) != maxErrors {
		t.Fatalf("%d errors, want %d", len(list), maxErrors)
	}
	if s := err.Error(); !strings.HasSuffix(s, "and 90 more errors") || strings.Count(s, "\n") != 20 {
		t.Errorf("message is\n%s", s)
	}
}

// BenchmarkParse reads nvcc's largest text again and again.
func BenchmarkParse(b *testing.B) {
	text := ""
	for _, s := range corpus(b) {
		if len(s) > len(text) {
			text = s
		}
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Parse("bench.ptx", text); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkVerify checks the same text.
func BenchmarkVerify(b *testing.B) {
	m, text := (*Module)(nil), ""
	for path, s := range corpus(b) {
		if len(s) > len(text) && filepath.Base(path) != "syntax.ptx" {
			text = s
		}
	}
	m, err := Parse("bench.ptx", text)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := Verify(m); err != nil {
			b.Fatal(err)
		}
	}
}

// TestErrorsUnwrap checks that a caller finds the single errors.
func TestErrorsUnwrap(t *testing.T) {
	_, err := Parse("u.ptx", header+".frob;")
	var one *Error
	if !errors.As(err, &one) || one.Line != 4 || one.File != "u.ptx" || one.Text != ".frob;" {
		t.Errorf("got %+v of %v", one, err)
	}
}

// TestParseEmbedded checks that the NUL of a C string does no harm.
func TestParseEmbedded(t *testing.T) {
	if _, err := Parse("c.ptx", header+".func f() { ret; }\n\x00"); err != nil {
		t.Error(err)
	}
}
