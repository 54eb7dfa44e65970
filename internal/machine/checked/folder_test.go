package checked

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// count counts the files of a pattern in a folder.
func count(t *testing.T, dir, pattern string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// TestLaunches begins and ends launches of two devices: one file is there while any is under way.
func TestLaunches(t *testing.T) {
	t.Parallel()
	f := &Folder{dir: t.TempDir()}
	for range 2 {
		_, one, err := f.begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, two, err := f.begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n := count(t, f.dir, LaunchFiles); n != 1 {
			t.Errorf("%d files of launches, want 1", n)
		}
		one()
		if n := count(t, f.dir, LaunchFiles); n != 1 {
			t.Errorf("%d files of launches with one under way, want 1", n)
		}
		two()
		if n := count(t, f.dir, LaunchFiles); n != 0 {
			t.Errorf("%d files of launches with none under way", n)
		}
	}
}

// TestAnnounced announces a launch: the file is there from then on until the launch has ended.
func TestAnnounced(t *testing.T) {
	t.Parallel()
	f := &Folder{dir: t.TempDir()}
	ended := f.announce()
	for _, want := range []int{1, 1} {
		if n := count(t, f.dir, LaunchFiles); n != want {
			t.Errorf("%d files of launches with one announced, want %d", n, want)
		}
		_, done, err := f.begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		done()
	}
	ended()
	if n := count(t, f.dir, LaunchFiles); n != 0 {
		t.Errorf("%d files of launches with none announced", n)
	}
}

// TestInterrupt ends a launch under way, and lets none begin after that.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	f := &Folder{dir: t.TempDir()}
	ctx, done, err := f.begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(f.dir, InterruptFile), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(30 * time.Second):
		t.Fatal("the launch goes on")
	}
	if err := f.write(&report.Report{Launches: 1}); err != nil {
		t.Error(err)
	}
	done()
	if n := count(t, f.dir, LaunchFiles); n != 0 {
		t.Errorf("%d files of launches, though all have been reported", n)
	}
	if _, _, err := f.begin(t.Context()); !errors.Is(err, context.Canceled) {
		t.Errorf("a launch begins after the interrupt: %v", err)
	}
}

// TestLostReport fails to write a report: the launch is seen not to have been reported.
func TestLostReport(t *testing.T) {
	t.Parallel()
	f := &Folder{dir: t.TempDir()}
	_, done, err := f.begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if f.reports, err = os.Open(f.dir); err != nil { // which cannot be written
		t.Fatal(err)
	}
	defer f.reports.Close()
	if err := f.write(&report.Report{Launches: 1}); err == nil {
		t.Error("no error")
	}
	done()
	if n := count(t, f.dir, LaunchFiles); n != 1 {
		t.Errorf("%d files of launches, want the one that was not reported", n)
	}
}
