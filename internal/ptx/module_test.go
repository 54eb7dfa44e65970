package ptx

import (
	"errors"
	"strings"
	"testing"
)

// moduleCases are declarations of module scope, each line a module after its header. want is the
// start of the first error's message, or "".
var moduleCases = []struct{ text, want string }{
	// Prototypes, definitions, order.
	{".func f(); .func f() { ret; }", ""},
	{".func f(.param .b32 a); .func f(.param .b64 a) { ret; }", "f is declared with other parameters"},
	{".visible .entry k() { ret; } .visible .entry k() { ret; }", "k is declared twice"},
	{".visible .entry k() { call f, (); ret; } .func f() { ret; }", "f is used before its declaration"},
	{".visible .entry k() { .reg .b64 a; mov.u64 a, later; ret; } .global .u32 later;",
		"later is used before its declaration"},
	{".func f() { call f, (); ret; }", ""},
	{".extern .global .u32 e; .visible .global .u32 e;", ""},
	{".global .u32 e; .global .u32 e;", "e is declared twice"},
	// Variables.
	{".extern .shared .b8 sm[];", ""},
	{".shared .b8 sm[];", "array sm needs a size"},
	{".visible .entry x() { .shared .b8 s[]; ret; }", "array s needs a size"},
	{".visible .entry k() { .reg .bf16 h; ret; }", "unexpected .bf16 in a declaration"},
	{".global .pred p;", "predicate p must be a register"},
	{".global .texref t;", "variables of type .texref are not supported"},
	{".local .u32 v;", "variable v of a module is in .global, .const or .shared space, not .local"},
	{".param .u32 v;", "variable v of a module is in .global, .const or .shared space, not .param"},
	// Initial values.
	{".global .align 4 .b8 a[4] = {1, 2};", ""},
	{".global .b8 a[2] = {1, 2, 3};", "3 initial values for 2 elements of a"},
	{".global .b8 a[2][2] = {{1, 2}, {3}};", ""},
	{".global .b8 a[2][2] = {1, 2};", "array a needs a list"},
	{".global .b8 a[2] = 1;", "array a needs a list"},
	{".global .b8 a = {1};", "initial value of a has more braces than dimensions"},
	{".global .v2 .f32 a = {0f3F800000, 0f00000000};", ""},
	{".global .u8 a[2] = {-1, 255};", ""},
	{".global .u32 a = 1.5;", "0d3FF8000000000000 is no initial value of a .u32"},
	{".global .f32 a = 1;", "1 is no initial value of a .f32"},
	{".global .b32 a = 0f3F800000;", ""},
	{".shared .u32 s = 3;", "variable s in .shared space cannot have an initial value"},
	{".global .b8 x; .global .u64 p = generic(x)+4;", ""},
	{".global .u64 p = x; .global .b8 x;", "x is used before its declaration"},
	{".global .u64 p = nothing;", "nothing is not declared"},
	{".global .b8 x; .global .b8 p[1] = {x};", "a .b8 cannot hold the address of x"},
	{".func f() { ret; } .global .u64 p = f;", ""},
	// Parameters and directives.
	{".visible .entry k(.param .u32 x, .param .u32 x) { ret; }", "x is declared twice"},
	{".visible .entry k(.param .u64 a) { .reg .b32 a; ret; }", "a is declared twice"},
	{".visible .entry k(.reg .u32 x) { ret; }", "parameter x of a kernel is in .param space, not .reg"},
	{".visible .entry k(.param .pred x) { ret; }", "predicate x must be a register"},
	{".visible .entry k() .noreturn { ret; }", "kernel k cannot return anything or be .noreturn"},
	{".visible .entry k() .maxntid 256,1,1 .minnctapersm 2 { ret; }", ""},
	{".visible .entry k() .maxntid 256 .reqntid 128 { ret; }", "k has both .maxntid and .reqntid"},
	{".visible .entry k() .maxntid 0 { ret; }", ".maxntid has 1 to 3 numbers above 0"},
	{".visible .entry k() .maxntid 1,2,3,4 { ret; }", ".maxntid has 1 to 3 numbers above 0"},
	{".visible .func f() .maxntid 256 { ret; }", ".maxntid is a directive of kernels; f is a .func"},
	{".visible .func f() .noreturn { trap; }", ""},
	// Bodies.
	{".visible .entry k() { }", "k has no instructions"},
	{".visible .entry k() { .reg .pred p; @p exit; }", "k ends without ret, exit, bra or trap"},
	{".visible .entry k() { bra L; { L: ret; } }", "there is no label L here"},
	{".visible .entry k() { { bra L; } L: ret; }", ""},
	{".visible .entry k() { .reg .b32 a<4>; .reg .b32 a2; ret; }", "a2 is declared twice"},
	{".global .u32 a; .visible .entry k() { .reg .b32 a; mov.u32 a, 1; ret; }", ""},
	{".visible .entry k() { .loc 3 1 1 ret; }", "file 3 of .loc has no .file"},
	{".file 1 \"a.cu\"\n.visible .entry k() {\n.loc 1 2 3\nret;\n}", ""},
	{".visible .entry k() { .reg .v4 .f32 V; .reg .b64 rd; ld.global.v4.f32 V, [rd]; add.f32 V.x, V.y, V.z; ret; }", ""},
	{".visible .entry k() { .reg .v2 .f32 V; .reg .b64 rd; ld.global.v4.f32 V, [rd]; ret; }",
		"V is a .v2 .f32 register, ld.global.v4.f32 needs 4"},
	// Parameters of functions, and calls.
	{".func (.param .b32 r) f(.param .b32 a) { st.param.b32 [a], 1; ret; }", "parameter a cannot be written here"},
	{".func (.param .b32 r) f(.param .b32 a) { .reg .b32 x; ld.param.b32 x, [r]; ret; }",
		"parameter r cannot be read here"},
	{".func (.param .b32 r) f(.param .b32 a) { .param .f32 q, w; call (q), f, (w); ret; }", ""},
	{".func (.param .b32 r) f(.param .b32 a) { .param .b64 q, w; call (q), f, (w); ret; }",
		"q has 8 bytes, parameter r 4"},
	{".func (.param .b32 r) f(.param .u32 a) { .param .f32 q, w; call (q), f, (w); ret; }",
		"w is .f32, parameter a .u32"},
	{".func f(.param .align 8 .b8 a[16]) { .param .align 8 .b8 p[16]; call f, (p); ret; }", ""},
	{".func f(.param .align 8 .b8 a[16]) { .param .align 4 .b8 p[16]; call f, (p); ret; }",
		"p is aligned to 4, parameter a to 8"},
	{".func f(.param .b8 a[16]) { .reg .b32 x; call f, (x); ret; }", "x is no .param array, which parameter a needs"},
	{".func f(.param .b32 a) { call f, (0f3F800000); ret; }", ""},
	{".func f(.param .u32 a) { .reg .f32 x; call f, (x); ret; }", "x is a .f32 register, call needs .u32 here"},
	{".visible .entry k() { .reg .b64 a; .reg .b32 r; p: .callprototype (.param .b32 _) _ (.param .b32 _); call (r), a, (r), p; ret; }", ""},
	{".visible .entry k() { .reg .b64 a; .reg .b32 r; p: .callprototype (.param .b32 _) _ (.param .b32 _); call (r), a, (r, r), p; ret; }", "a takes 1 arguments, not 2"},
	{".visible .entry k() { .reg .b64 a; call a, (); ret; }", "a call through a register ends with"},
	{".func f() { ret; } .visible .entry k() { .reg .b64 a; t: .calltargets f; call a, (), t; ret; }", ""},
	{".visible .entry k() { .reg .b64 a; t: .calltargets g; call a, (), t; ret; }", "call target g is not a function"},
	{".visible .entry k() { .reg .u32 a; ts: .branchtargets L; brx.idx a, ts; L: ret; }", ""},
	{".visible .entry k() { .reg .f32 a; ts: .branchtargets L; brx.idx a, ts; L: ret; }",
		"a is a .f32 register, brx.idx needs .u32"},
}

func TestModules(t *testing.T) {
	for _, c := range moduleCases {
		m, err := check(".version 8.4\n.target sm_90\n.address_size 64\n" + c.text)
		if m != nil {
			roundTrip(t, m)
		}
		var list ErrorList
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.text, err)
		case c.want != "" && !errors.As(err, &list):
			t.Errorf("%s is accepted, want: %s", c.text, c.want)
		case c.want != "" && !strings.HasPrefix(list[0].Msg, c.want):
			t.Errorf("%s\n got: %s\nwant: %s", c.text, list[0].Msg, c.want)
		}
	}
}

// TestModulesAgainstPtxas assembles the modules that verify.
func TestModulesAgainstPtxas(t *testing.T) {
	p := findPtxas(t)
	for _, c := range moduleCases {
		if c.want != "" {
			continue
		}
		if err := p.assemble(t, ".version 8.4\n.target sm_90\n.address_size 64\n"+c.text, "sm_90"); err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}

// TestHeader checks the version and target of modules.
func TestHeader(t *testing.T) {
	wgmma := func(sum string) string {
		return ".version 8.0\n.target sm_90a\n.address_size 64\n.func f() { .reg .f32 f<5>; .reg .b32 r<5>; .reg .b64 d; .reg .pred p;\n" +
			"wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 " + sum + ", {r1, r2, r3, r4}, d, p, 1, -1; ret; }"
	}
	for _, c := range []struct{ text, want string }{
		{".version 7.0\n.target sm_70\n.address_size 64\n", ""},
		{".version 6.0\n.target sm_80\n", ".target sm_80 needs .version 7.0, the module has 6.0"},
		{".version 6.0\n.target texmode_independent\n", "module has no .target of the form sm_70"},
		{".version 7.8\n.target sm_90a, debug\n.func f() { ret; }",
			".target sm_90a needs .version 8.0, the module has 7.8"},
		{".version 7.8\n.target sm_90, debug\n.func f() { .reg .pred p; elect.sync _|p, -1; ret; }",
			"elect.sync needs .version 8.0, the module has 7.8"},
		{".version 8.0\n.target sm_80\n.func f() { .reg .pred p; elect.sync _|p, -1; ret; }",
			"elect.sync needs .target sm_90, the module has sm_80"},
		{wgmma("{f1, f2, f3, f4}"), ""},
		{wgmma("{f1, f2}"), "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 needs {…} with 4 registers here"},
		{".version 7.0\n.target sm_80\n.func f() { .reg .b32 r; mov.u32 r, %aggr_smem_size; ret; }",
			"%aggr_smem_size needs .version 8.1"},
	} {
		_, err := check(c.text)
		var list ErrorList
		if errors.As(err, &list); c.want == "" && err != nil || c.want != "" &&
			(list == nil || !strings.HasPrefix(list[0].Msg, c.want)) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestBuiltErrors checks that errors of a module that was built quote the statement.
func TestBuiltErrors(t *testing.T) {
	m := &Module{Version: Version{7, 0}, Target: []string{"sm_70"}, AddressSize: 64, Decls: []Decl{
		&Func{Name: "f", Entry: true, Body: &Block{Stmts: []Stmt{
			&Instr{Guard: &Guard{Reg: "%p1", Not: true}, Op: "ret"},
			&Instr{Op: "ret"},
		}}},
	}}
	err := Verify(m)
	if want := "%p1 is not declared\n\t@!%p1 ret"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestMinVersion checks what raises the version and target of a module.
func TestMinVersion(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{".func f() { ret; }", "6.0 sm_70"},
		{".func f() { .reg .b32 r; activemask.b32 r; ret; }", "6.2 sm_70"},
		{".func f() { .reg .b32 r; { redux.sync.add.s32 r, r, -1; } ret; }", "7.0 sm_80"},
		{".func f() { .reg .b32 r; mov.u32 r, %clusterid.x; ret; }", "7.8 sm_90"},
		{".file 1 \"a\"\n.func f() {\n.loc 1 2 3 // inlined_at 1 4 5\nret; }", "6.0 sm_70"},
		{".file 1 \"a\"\n.func f() {\n.loc 1 2 3, function_name L, inlined_at 1 4 5\nret; }", "7.2 sm_70"},
		{".func f() .noreturn { trap; }", "6.4 sm_70"},
		{".entry k(.param .b8 big[5000]) { ret; }", "8.1 sm_70"},
		{".entry k(.param .b8 big[4352]) { ret; }", "6.0 sm_70"},
		{".entry k() .reqnctapercluster 2 { ret; }", "7.8 sm_90"},
		{".func f() { .reg .b128 q; ret; }", "8.3 sm_70"},
	} {
		m, err := Parse("m.ptx", ".version 9.0\n.target sm_90\n"+c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		version, target := MinVersion(m)
		if got := version.String() + " " + target; got != c.want {
			t.Errorf("%s needs %s, want %s", c.text, got, c.want)
		}
	}
}
