package atomicfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txt")
	for _, text := range []string{"first", "second, longer", ""} {
		if err := Write(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if err != nil || string(got) != text {
			t.Errorf("read %q, %v; want %q", got, err, text)
		}
	}
	if entries, _ := os.ReadDir(filepath.Dir(name)); len(entries) != 1 {
		t.Errorf("the folder holds %v, want the file alone", entries)
	}
}

func TestWriteLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "missing", "a.txt")
	if err := Write(name, nil); err == nil || !strings.HasPrefix(err.Error(), "write "+name+": ") {
		t.Errorf("writing into a folder that does not exist: %v", err)
	}
	if err := Write(dir, []byte("x")); err == nil {
		t.Error("no error for a folder in place of a file")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("the folder holds %v, want nothing", entries)
	}
}

func TestWriteFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := Write(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(target); string(got) != "new" {
		t.Errorf("target holds %q, want %q", got, "new")
	}
	if info, _ := os.Lstat(link); info.Mode().IsRegular() {
		t.Error("the link was replaced by a file")
	}
}

func TestReady(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txt")
	for range 2 {
		if err := Ready(file); err != nil {
			t.Error(err)
		}
		if err := Write(file, nil); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		dir:                               "is a folder",
		filepath.Join(dir, "no", "a.txt"): "there is no folder " + filepath.Join(dir, "no"),
		filepath.Join(file, "a.txt"):      "there is no folder " + file,
	} {
		if err := Ready(name); err == nil || err.Error() != "write "+name+": "+want {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
