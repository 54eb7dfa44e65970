package ptx

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// FuzzParse checks that no text makes the parser, the verifier or the printer panic, and that
// whatever parses goes through the printer and back unchanged.
func FuzzParse(f *testing.F) {
	for _, text := range corpus(f) {
		if len(text) < 20_000 {
			f.Add(text)
		}
	}
	for _, c := range parseErrors {
		f.Add(header + c.text)
	}
	for _, c := range moduleCases {
		f.Add(header + c.text)
	}
	f.Add("\xff\xfe.\x00v\x00") // UTF-16
	f.Add("\ufeff" + header)
	f.Add(header + "\x1b[31m .global .u32 \x07 x = \"\x1b\";")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse("fuzz.ptx", text)
		if err != nil {
			if list, ok := err.(ErrorList); !ok || len(list) == 0 || list.Error() == "" {
				t.Fatalf("not a list of errors: %#v", err)
			}
			if strings.ContainsFunc(err.Error(),
				func(r rune) bool { return !unicode.IsPrint(r) && r != '\t' && r != '\n' }) {
				t.Fatalf("the error is no text for a terminal: %q", err)
			}
			return
		}
		printed := m.String()
		again, err := Parse("printed.ptx", printed)
		if err != nil {
			t.Fatalf("printed text does not parse: %v\n%s", err, printed)
		}
		if diff := cmp.Diff(m, again, same); diff != "" {
			t.Fatalf("round trip (-first +second):\n%s\n%s", diff, printed)
		}
		_ = Verify(m)
		MinVersion(m)
	})
}

const header = ".version 7.0\n.target sm_70\n.address_size 64\n"

// parseErrors are texts that do not parse, after the header. want is "line:col: message" of each
// error, the line counted from 4.
var parseErrors = []struct{ text, want string }{
	{"garbage", "4:1: expected a directive, found garbage"},
	{".frob x;", "4:1: unknown directive .frob"},
	{".version 7.0", "4:1: .version must be given once, at the start of a module"},
	{".global .u32;", "4:13: expected a variable name, found ;"},
	{".global x;", "4:9: expected a type such as .u32, found x"},
	{".global .u33 x;", "4:9: unexpected .u33 in a declaration"},
	{".global .u32 .f32 x;", "4:14: unexpected .f32 in a declaration"},
	{".global .shared .u32 x;", "4:9: both .global and .shared"},
	{".extern .visible .func f;", "4:9: both .extern and .visible"},
	{".global .align 3 .u32 x;", "4:16: an alignment is a power of two, not 3"},
	{".global .u32 x[-1];", "4:16: array dimension -1 out of range"},
	{".global .u32 x[2][];", "4:19: only the first dimension of x may be left out"},
	{".global .u32 x[65536][65536];", "4:23: array x is larger than any memory"},
	{".global .u32 x = {1, 2;", "4:23: expected ',' or '}', found ;"},
	{".global .u32 x = 0xFF(y);", "4:18: mask operators in initialisers are not supported"},
	{".global .u32 x = 1 / 0;", "4:20: constant expression divides by zero"},
	{".global .f32 x = 1.5 + 2;", "4:22: + takes two integers or two double precision constants"},
	{".global .f32 x = 1.5 % 2.0;", "4:22: % takes integer constants"},
	{".global .f32 x = 0f3F800000 + 0f3F800000;", "4:29: + takes two integers or two double precision constants"},
	{".global .f32 x = 1.5 ? 2 : 3;", "4:18: ?: chooses by an integer constant"},
	{".global .f32 x = 1 ? 1.5 : 2.5;", "4:22: expected an integer constant"},
	{".global .u32 x = 1 ? 2;", "4:23: expected ':', found ;"},
	{".global .u32 x = !1.5;", "4:19: ! applies to an integer constant"},
	{".global .u32 x = (.f32)1;", "4:19: a constant is cast to .s64 or .u64, not to .f32"},
	{".global .u32 x = (.s64)1.5;", "4:24: a cast applies to an integer constant"},
	{".global .f32 x = 0f12;", "4:18: 0f12 is not a single precision constant: 0f and 8 hexadecimal digits"},
	{".global .u32 x = 08;", "4:18: 08 is not a number"},
	{".global .u32 x = 99999999999999999999;", "4:18: 99999999999999999999 is not a number"},
	{".file 1 a.cu", "4:9: expected a file name in quotes, found a"},
	{".file 1 \"a.cu", "4:9: string without a closing quote"},
	{".section debug {}", "4:10: expected a section name such as .debug_info, found debug"},
	{".section .debug_str {\n a", "4:21: section .debug_str has no closing brace"},
	{".entry k(.shared .u32 x) { ret; }", "4:10: a parameter is in .param or .reg space, not .shared"},
	{".entry k() .frob { ret; }", "4:12: unknown function directive .frob"},
	{".entry k() { ret; ", "4:12: this brace is never closed"},
	{".entry k() { .reg .u32 r<0>; ret; }", "4:26: r<0> declares no register"},
	{".entry k() { .reg .u32 r<2000000>; ret; }", "4:26: r<2000000> declares more registers than a function can use"},
	{".entry k() { .reg .align 4 .u32 r; ret; }", "4:14: a register has a type and nothing else"},
	{".entry k() { mov.u32 r, ; ret; }", "4:25: expected an operand, found ;"},
	{".entry k() { mov.u32 r s; ret; }", "4:24: expected ',' or ';', found s"},
	{".entry k() { mov.u32 r, 5x; ret; }", "4:25: 5x is not a number"},
	{".entry k() { mov.u32 r, ?; ret; }", "4:25: expected an operand, found ?"},
	{".entry k() { mov.u32 r, \x80; ret; }", `4:25: unexpected character "\x80"`},
	{".entry k() { ld.u32 r, [a+4, {b}]; ret; }", "4:28: expected ']', found ,"},
	{".entry k() { ld.u32 r, [a+b]; ret; }", "4:27: expected an operand, found b"},
	{".entry k() { ld.u32 r, [1.5]; ret; }", "4:25: expected an integer constant"},
	{".entry k() { @5 ret; }", "4:15: expected a predicate register, found 5"},
	{".entry k() { P: .callprototype (.param .b32 _) f (); ret; }",
		"4:48: a prototype stands for any function: its name is _, not f"},
	{".entry k() { .loc 1 2; ret; }", "4:22: expected a column number, found ;"},
	{".entry k() { .loc 1 2 3, inlined 1; ret; }", "4:26: expected function_name or inlined_at, found inlined"},
	// A forgotten semicolon is reported where it is missing, and the next line is read as usual.
	{".entry k() {\n\tmov.u32 a, b\n\tadd.u32 c, d, e;\n\tmov.u32 f g;\n}",
		"5:13: expected ',' or ';' after b\n7:12: expected ',' or ';', found g"},
	// Errors do not hide each other across functions.
	{".entry k() { mov a b; }\n.entry l() { mov c d; }\n.entry m( { ret; }\n.entry n() { mov e f; }",
		"4:20: expected ',' or ';', found b\n5:20: expected ',' or ';', found d\n6:11: expected a state space such as .shared, found {\n7:20: expected ',' or ';', found f"},
	{".entry k() { " + strings.Repeat("{", 200) + "}",
		"4:113: nested more than 100 levels deep\n4:12: this brace is never closed"},
}
