package similar_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/internal/segment"
)

// TestNoFile puts something else in the place of each file of an index: a folder, a device, a pipe
// and a file of 30 GB. Open refuses it at once.
func TestNoFile(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("it makes devices and pipes")
	}
	for _, name := range []string{"manifest", ".segment", ".deleted"} {
		for what, put := range map[string]func(name string) error{
			"a folder": func(name string) error { return os.Mkdir(name, 0o755) },
			"a device": func(name string) error { return os.Symlink("/dev/zero", name) },
			"a pipe":   makePipe,
			"30 GB": func(name string) error {
				return errors.Join(os.WriteFile(name, nil, 0o644), os.Truncate(name, 30<<30))
			},
		} {
			dir := t.TempDir()
			_, names := saved(t, dir)
			for _, n := range names {
				if strings.HasSuffix(n, name) {
					name = n
				}
			}
			place := filepath.Join(dir, name)
			if err := errors.Join(os.Remove(place), put(place)); err != nil {
				t.Fatal(err)
			}
			done := make(chan error)
			go func() {
				x, err := similar.Open(t.Context(), dir)
				if err == nil {
					x.Close()
				}
				done <- err
			}()
			select {
			case err := <-done:
				if !errors.Is(err, similar.ErrDamaged) || !strings.Contains(err.Error(), place) {
					t.Errorf("%s is %s: %v", name, what, err)
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("%s is %s: Open waits", name, what)
			}
		}
	}
}

// TestForgedManifest names files in a manifest that Save would not name.
func TestForgedManifest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	saved(t, dir)
	place := filepath.Join(dir, "manifest")
	whole, err := os.ReadFile(place)
	if err != nil {
		t.Fatal(err)
	}
	magic := segment.Magic(whole[:8])
	sections, err := segment.ReadContainer(whole, magic)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []func(m map[string]any, parts []any){
		func(_ map[string]any, parts []any) { parts[0].(map[string]any)["Segment"] = "../00000001-000.segment" },
		func(_ map[string]any, parts []any) { parts[0].(map[string]any)["Segment"] = "/etc/passwd" },
		func(_ map[string]any, parts []any) { parts[0].(map[string]any)["Segment"] = "" },
		func(_ map[string]any, parts []any) { parts[0].(map[string]any)["Segment"] = "00000002-000.segment" },
		func(_ map[string]any, parts []any) { parts[0] = parts[1] },
		func(m map[string]any, _ []any) { m["Generation"] = 0 },
		func(m map[string]any, _ []any) { m["Generation"] = uint64(1<<64 - 1) },
		func(m map[string]any, _ []any) { m["Generation"] = -1 },
		func(m map[string]any, _ []any) { m["Parts"] = "none" },
	} {
		var m map[string]any
		if err := json.Unmarshal(sections[0], &m); err != nil {
			t.Fatal(err)
		}
		change(m, m["Parts"].([]any))
		forged, err := json.Marshal(m)
		var b bytes.Buffer
		if err := errors.Join(err, segment.WriteContainer(&b, magic, [][]byte{forged}), os.WriteFile(place, b.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
		if _, err := similar.Open(t.Context(), dir); !errors.Is(err, similar.ErrDamaged) || !strings.Contains(err.Error(), place) {
			t.Errorf("%s: %v", forged, err)
		}
	}
}
