package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gridstride/gridstride/internal/machine/check"
)

func TestProgress(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	start := time.Unix(1000, 0)
	now := start
	p := &progress{w: &out, start: start, now: func() time.Time { return now }}
	at := func(after time.Duration, blocks int) {
		now = start.Add(after)
		p.launch(check.Progress{Kernel: "k", Orders: 2, Blocks: blocks, Total: 9, FindingsSoFar: 1})
	}
	at(0, 1)
	at(900*time.Millisecond, 2)
	p.clear()
	if out.Len() > 0 {
		t.Errorf("written in the first second: %q", &out)
	}
	at(1200*time.Millisecond, 3)
	at(1210*time.Millisecond, 4)
	at(3*time.Second, 5)
	p.clear()
	p.clear()
	const want = "\r\x1b[Kk: order 1 of 2, block 3 of 9, 1 finding, 1 s" +
		"\r\x1b[Kk: order 1 of 2, block 5 of 9, 1 finding, 3 s\r\x1b[K"
	if out.String() != want {
		t.Errorf("written: %q\nwant:    %q", &out, want)
	}
}

// TestNoProgressInFiles: what is no terminal gets no such line.
func TestNoProgressInFiles(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := newProgress(f)
	p.start = time.Now().Add(-time.Hour)
	p.show("far")
	p.clear()
	if text, err := os.ReadFile(name); err != nil || len(text) > 0 {
		t.Errorf("the file has %q, %v", text, err)
	}
}
