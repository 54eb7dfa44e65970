package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTourCheck checks a folder with an exercise that is right and with some that are not.
func TestTourCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	own := "../../internal/tour/course/_exercises/01-add-one"
	if err := os.CopyFS(filepath.Join(dir, "good"), os.DirFS(own)); err != nil {
		t.Fatal(err)
	}
	change := func(name, file, old, new string) {
		t.Helper()
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(own)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name, file)
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), old) {
			t.Fatalf("%s has no %q: %v", path, old, err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), old, new)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	change("wrong", "solution.go", "x[i]++", "x[i] += 2")
	change("solved", "start.go", "i := gpu.ThreadIdx.X\n\tx[i]++", "for i := range gpu.GridStride(len(x)) {\n\t\tx[i]++\n\t}")
	change("dear", "want.go", "instructions=", "instructions=1 sectors=")
	var out, errs bytes.Buffer
	status := run([]string{"tour", "check", dir}, &out, &errs)
	want := `dear: the solution has 590 instructions, and the par is 1
good: ok
solved: start.go passes already
wrong: the solution fails: four full blocks: x[0] is 2; want 1
`
	if status != 1 || out.String() != want || errs.Len() > 0 {
		t.Errorf("status %d, %s\n%swant\n%s", status, errs.String(), out.String(), want)
	}
}

// TestTourRefused refuses folders that are no exercises, and command lines that make no sense.
func TestTourRefused(t *testing.T) {
	t.Parallel()
	empty, bad := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"start.go": "// Title\npackage main\n", "solution.go": "package main\n", "want.go": "package main\n\n//tour:limit speed=3\n",
	} {
		if err := os.MkdirAll(filepath.Join(bad, "x"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(bad, "x", name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"tour", "check", empty}, 1, "there are no exercises: want a folder for each"},
		{[]string{"tour", "check", bad}, 1, `x/want.go: line 3: "speed" is no count; want one of instructions, sectors`},
		{[]string{"tour", "check"}, 2, "tour check takes one folder of exercises"},
		{[]string{"tour", "check", filepath.Join(empty, "none")}, 1, "no such file"},
		{[]string{"tour", "more"}, 2, ""},
	} {
		var out, errs bytes.Buffer
		if status := run(c.args, &out, &errs); status != c.status || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%q: status %d, %s; want %d, %s", c.args, status, errs.String(), c.status, c.want)
		}
	}
}
