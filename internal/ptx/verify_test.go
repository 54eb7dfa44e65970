package ptx

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// instrModule is a module in which one line of PTX can be tried: registers r, rd, f, fd, h of the
// bit and float types, ur, sr and so on of the integer types, p of predicates; variables gv, sv,
// cv, lv; parameters pp and pv; a label L before and M after; a function fn.
func instrModule(version, target, line string) string {
	return fmt.Sprintf(`.version %s
.target %s
.address_size 64
.global .align 16 .u32 gv[64];
.shared .align 16 .b8 sv[1024];
.const .align 16 .u32 cv[16];
.func (.reg .b32 r) fn (.reg .b32 a) { mov.b32 r, a; ret; }
.visible .entry k(.param .u64 pp, .param .align 16 .b8 pv[64])
{
.local .align 16 .b8 lv[64];
.reg .pred p<8>;
.reg .f16 hf<4>; .reg .f16x2 hx<4>;
.reg .b16 h<8>; .reg .u16 uh<4>;
.reg .b32 r<8>; .reg .u32 ur<4>; .reg .s32 sr<4>;
.reg .b64 rd<8>; .reg .u64 urd<4>;
.reg .f32 f<8>; .reg .f64 fd<8>; .reg .v4 .f32 V;
L:
%s
M: ret;
}
`, version, target, line)
}

// lines returns the lines of a file of testdata that are neither empty nor comments.
func lines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	return all
}

// check parses and verifies text.
func check(text string) (*Module, error) {
	m, err := Parse("t.ptx", text)
	if err != nil {
		return nil, err
	}
	return m, Verify(m)
}

// TestInstructions verifies each line of testdata/accepted.txt and takes it through the printer.
func TestInstructions(t *testing.T) {
	for _, line := range lines(t, "testdata/accepted.txt") {
		m, err := check(instrModule("8.4", "sm_90", line+";"))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		roundTrip(t, m)
	}
}

// refusal is a line of testdata/refused.txt: "instruction # the start of the message". Where ptxas
// does not mind, the message starts with a "~".
type refusal struct {
	line, want string
	ptxasToo   bool
}

func refusals(t *testing.T) []refusal {
	var all []refusal
	for _, s := range lines(t, "testdata/refused.txt") {
		line, want, ok := strings.Cut(s, " # ")
		if !ok {
			t.Fatalf("no message in %q", s)
		}
		want, ours := strings.CutPrefix(want, "~")
		all = append(all, refusal{line, want, !ours})
	}
	return all
}

func TestRefusals(t *testing.T) {
	for _, r := range refusals(t) {
		_, err := check(instrModule("8.4", "sm_90", r.line+";"))
		var list ErrorList
		if !errors.As(err, &list) {
			t.Errorf("%s is accepted, want: %s", r.line, r.want)
			continue
		}
		if e := list[0]; !strings.HasPrefix(e.Msg, r.want) {
			t.Errorf("%s\n got: %s\nwant: %s", r.line, e.Msg, r.want)
		} else if e.File != "t.ptx" || e.Line != 18 || !strings.HasPrefix(e.Text, strings.Split(r.line, ";")[0]) {
			t.Errorf("%s is reported at %s:%d: %s", r.line, e.File, e.Line, e.Text)
		}
	}
}

// TestCorpusVerifies verifies what nvcc made, and that raising nothing but the needs of the module
// is enough.
func TestCorpusVerifies(t *testing.T) {
	for path, text := range corpus(t) {
		if filepath.Base(path) == "syntax.ptx" {
			continue // every form of syntax, with names that mean nothing
		}
		m, err := check(text)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		version, target := MinVersion(m)
		m.Version, m.Target = version, []string{target}
		if err := Verify(m); err != nil {
			t.Errorf("%s does not verify at its least version %s and target %s: %v", path, version, target, err)
		}
	}
}

// ptxas assembles text with the real assembler, for the target the text names.
type ptxas struct{ path, dir string }

func findPtxas(t *testing.T) ptxas {
	path, err := exec.LookPath("ptxas")
	if err != nil {
		t.Skip("no ptxas in PATH")
	}
	return ptxas{path, t.TempDir()}
}

func (p ptxas) assemble(t *testing.T, text, target string) error {
	t.Helper()
	file := filepath.Join(p.dir, "t.ptx")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), p.path, "-arch="+target, file, "-o", os.DevNull).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// TestAgainstPtxas compares the verifier with the real assembler: ptxas must accept what the
// verifier accepts, and refuse what it refuses. It is skipped without ptxas.
func TestAgainstPtxas(t *testing.T) {
	p := findPtxas(t)
	var all strings.Builder
	for _, line := range lines(t, "testdata/accepted.txt") {
		all.WriteString("{ " + line + "; }\n")
	}
	if err := p.assemble(t, instrModule("8.4", "sm_90", all.String()), "sm_90"); err != nil {
		t.Errorf("not all of accepted.txt assembles: %v", err)
	}
	for _, r := range refusals(t) {
		if r.ptxasToo && p.assemble(t, instrModule("8.4", "sm_90", r.line+";"), "sm_90") == nil {
			t.Errorf("%s assembles, though it is refused: %s", r.line, r.want)
		}
	}
}

// TestMinVersionAgainstPtxas checks the versions and targets of the instruction table: each
// accepted line assembles at its least version and target, and no longer one below.
func TestMinVersionAgainstPtxas(t *testing.T) {
	p := findPtxas(t)
	lenient := func(line string) bool { // ptxas asks less than the manual
		return strings.HasPrefix(line, "nanosleep") || strings.Contains(line, "shared::cta") &&
			strings.HasPrefix(line, "cp.async")
	}
	together := map[string][]string{} // by version and target
	for _, line := range lines(t, "testdata/accepted.txt") {
		m, err := Parse("t.ptx", instrModule("8.4", "sm_90", line+";"))
		if err != nil {
			t.Fatal(err)
		}
		version, target := MinVersion(m)
		key := version.String() + " " + target
		together[key] = append(together[key], "{ "+line+"; }")
		if lower, ok := lowerTarget(target); ok && p.assemble(t, instrModule("8.4", lower, line+";"), lower) == nil {
			t.Errorf("%s: said to need %s, assembles for %s", line, target, lower)
		}
		if lower, ok := lowerVersion(version, target); ok && !lenient(line) &&
			p.assemble(t, instrModule(lower, target, line+";"), target) == nil {
			t.Errorf("%s: said to need %s, assembles as %s for %s", line, version, lower, target)
		}
	}
	for key, list := range together {
		version, target, _ := strings.Cut(key, " ")
		if err := p.assemble(t, instrModule(version, target, strings.Join(list, "\n")), target); err != nil {
			t.Errorf("said to need no more than %s: %v\n%s", key, err, strings.Join(list, "\n"))
		}
	}
}

// lowerTarget returns the target before one, down to the floor.
func lowerTarget(target string) (string, bool) {
	all := []string{"sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90"}
	for i, t := range all {
		if t == target && i > 0 {
			return all[i-1], true
		}
	}
	return "", false
}

// lowerVersion returns the version before one that still has the target.
func lowerVersion(v Version, target string) (string, bool) {
	all := []string{"6.0", "6.1", "6.2", "6.3", "6.4", "6.5", "7.0", "7.1", "7.2", "7.3", "7.4", "7.5", "7.6",
		"7.7", "7.8",
		"8.0", "8.1", "8.2", "8.3", "8.4"}
	for i, s := range all {
		if s != v.String() || i == 0 {
			continue
		}
		lower := Version{int(all[i-1][0] - '0'), int(all[i-1][2] - '0')}
		return all[i-1], !lower.Less(Needs{Target: (&Module{Target: []string{target}}).MainTarget()}.version())
	}
	return "", false
}

// TestPrintedCorpusAssembles assembles what the printer makes of nvcc's texts, at their least
// version.
func TestPrintedCorpusAssembles(t *testing.T) {
	p := findPtxas(t)
	for path, text := range corpus(t) {
		if filepath.Base(path) == "syntax.ptx" {
			continue
		}
		m, err := Parse(path, text)
		if err != nil {
			t.Fatal(err)
		}
		version, target := MinVersion(m)
		m.Version, m.Target[0] = version, target
		if err := p.assemble(t, m.String(), target); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}
