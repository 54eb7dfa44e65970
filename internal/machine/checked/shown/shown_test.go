package shown

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/gridstride/gridstride/internal/machine/sim"
)

// sample has something in each field.
func sample() *Launch {
	return &Launch{
		Kernel: "a.B[int]", From: "x.go:3", Why: "", Missing: []Range{{1 << 63, 7}, {3, 4}},
		Image: &sim.Image{
			Name: "a.ptx", PTX: ".version 8.0", Entry: "b", SM: 90, Device: 2, Grid: [3]int{1, 2, 3}, Block: [3]int{4, 5, 6},
			Cluster: [3]int{7, 8, 9}, Shared: 10, Params: []byte{1, 2},
			Memory: []sim.ImageMemory{{Addr: 1<<64 - 1, Bytes: []byte{9}, Name: "v", ReadOnly: true, Owner: sim.OfModule}, {Addr: 5, Bytes: []byte{}}},
		},
	}
}

func bytesOf(s *Launch) []byte {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	s.write(w)
	w.Flush()
	return b.Bytes()
}

// TestCode writes a launch and reads it back, and refuses all of its beginnings. What is changed is another
// launch, or refused.
func TestCode(t *testing.T) {
	t.Parallel()
	b := bytesOf(sample())
	if got, err := read(b); err != nil || !reflect.DeepEqual(got, sample()) {
		t.Errorf("read back: %+v (%v)", got, err)
	}
	for n := range b {
		if _, err := read(b[:n]); err == nil {
			t.Errorf("%d of %d bytes are a launch", n, len(b))
		}
	}
	for i := range b {
		for _, x := range []byte{0, 0x7f, 0x80, 0xff} {
			bad := bytes.Clone(b)
			bad[i] = x
			if l, err := read(bad); err == nil && l.Image == nil {
				t.Errorf("byte %d as %#x: half a launch", i, x)
			}
		}
	}
}

// TestShow shows a launch: the program goes on when the launch was done with, and the next one is found.
func TestShow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	shown := make(chan error)
	go func() { shown <- sample().Show(t.Context(), dir) }()
	l, done, err := Next(t.Context(), dir, nil)
	if err != nil || l.Kernel != "a.B[int]" {
		t.Fatalf("%+v, %v", l, err)
	}
	select {
	case err := <-shown:
		t.Fatalf("the program goes on before the launch is done with (%v)", err)
	case <-time.After(3 * lookEvery):
	}
	if err := done(); err != nil {
		t.Fatal(err)
	}
	if err := <-shown; err != nil {
		t.Error(err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) > 0 {
		t.Errorf("left are %v", files)
	}
}

// TestGone ends the waiting of both sides: by a context, by the program's end, by a folder that is gone.
func TestGone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	shown := make(chan error)
	go func() { shown <- sample().Show(ctx, dir) }()
	if _, _, err := Next(t.Context(), dir, nil); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-shown; err == nil {
		t.Error("the launch goes on after the context has ended")
	}
	gone := make(chan struct{})
	close(gone)
	if l, _, err := Next(t.Context(), dir, gone); l != nil || err != nil {
		t.Errorf("a program that has gone shows %v (%v)", l, err)
	}
	if l, _, err := Next(ctx, dir, nil); l != nil || err != nil {
		t.Errorf("after the end of the context there is %v (%v)", l, err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := sample().Show(t.Context(), dir); err == nil {
		t.Error("shown in a folder that is gone")
	}
}

// TestCommandGone waits for a command that is killed: as long as it says that it lives, and not for ever.
func TestCommandGone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	leave, err := Attend(dir)
	if err != nil {
		t.Fatal(err)
	}
	leave()
	file, alive := filepath.Join(dir, "launch"), filepath.Join(dir, aliveFile)
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- wait(t.Context(), file, alive, 20*lookEvery) }()
	for i := range 60 {
		now := time.Unix(int64(i), 0)
		if err := os.Chtimes(alive, now, now); err != nil {
			t.Fatal(err)
		}
		time.Sleep(lookEvery)
	}
	select {
	case err := <-ended:
		t.Fatalf("the program goes on while the command lives: %v", err)
	default:
	}
	if err := <-ended; !errors.Is(err, ErrGone) {
		t.Errorf("after the command was killed: %v", err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the launch is still shown")
	}
}
