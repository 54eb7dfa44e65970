package similarcmd

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar"
)

var kills = flag.Int("kills", 10, "`number` of syncs that TestKilledSync kills, and of versions whose jobs TestKilledJobs kills")

// write writes files with a text.
func write(t *testing.T, dir, text string, n int) {
	t.Helper()
	for i := range n {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.txt", i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func sync(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("similar", append([]string{"sync"}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd
}

// TestKilledSync kills a sync at a random time: the index is the old one or the new one.
func TestKilledSync(t *testing.T) {
	t.Parallel()
	const files = 60
	dir, r := t.TempDir(), rand.New(rand.NewPCG(1, 23))
	docs, idx := filepath.Join(dir, "docs"), filepath.Join(dir, "idx")
	if err := os.Mkdir(docs, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, docs, "version0", files)
	began := time.Now()
	if err := sync(t, docs, "-o", idx).Run(); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	had, killed, whole := "version0", 0, 0
	for i := 1; i <= *kills; i++ {
		next := fmt.Sprint("version", i)
		write(t, docs, next, files)
		cmd := sync(t, "-o", idx)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.Int64N(int64(took) + int64(took)/4)))
		_ = cmd.Process.Kill() // it may have ended
		if cmd.Wait() != nil {
			killed++
		}
		x, err := similar.Open(t.Context(), idx)
		if err != nil {
			t.Fatalf("kill %d: %v", i, err)
		}
		for n := range files {
			d, err := x.Document(fmt.Sprintf("docs/%03d.txt", n))
			if n == 0 && d.Text == next {
				had = next
				whole++
			}
			if err != nil || d.Text != had {
				t.Fatalf("kill %d: document %d is %q, %v; want %q", i, n, d.Text, err, had)
			}
		}
		if x.Len() != files {
			t.Fatalf("kill %d: %d documents", i, x.Len())
		}
		x.Close()
	}
	t.Logf("%d of %d were killed, %d had saved the new index", killed, *kills, whole)
	if err := sync(t, "-o", idx).Run(); err != nil {
		t.Fatal(err)
	}
}

// TestSecondWriter has two commands write one index: the second one ends at once.
func TestSecondWriter(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("it makes a pipe")
	}
	dir := t.TempDir()
	write(t, dir, "text", 1)
	idx := filepath.Join(dir, "idx")
	first := exec.Command("similar", "index", "-", "-form", "txt", "-o", idx)
	in, err := first.StdinPipe()
	if err := errors.Join(err, first.Start()); err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(idx, "lock")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the first writer does not lock the index")
		}
	}
	time.Sleep(50 * time.Millisecond) // the file is there before it is locked
	var said strings.Builder
	if status := run(nil, []string{"index", filepath.Join(dir, "000.txt"), "-o", idx}, &said, &said); status != 1 || !strings.Contains(said.String(), "another writer has this folder") {
		t.Errorf("the second writer ends with status %d: %s", status, &said)
	}
	if err := errors.Join(in.Close(), first.Wait()); err != nil {
		t.Errorf("the first writer: %v", err)
	}
}
