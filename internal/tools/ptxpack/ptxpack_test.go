package ptxpack_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/gridstride/gridstride/internal/tools/ptxpack"
)

// text is n lines of PTX.
func text(n int) string { return strings.Repeat("\tadd.s32 %r1, %r2, %r3;\n", n) }

func TestPack(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 333, 99_991} {
		data := ptxpack.Pack(text(n))
		if again := ptxpack.Pack(text(n)); !bytes.Equal(data, again) {
			t.Errorf("%d lines are packed in two ways", n)
		}
		if got, err := ptxpack.Unpack(string(data)); err != nil || got != text(n) {
			t.Errorf("%d lines are unpacked as %d bytes, %v", n, len(got), err)
		}
	}
	if n := len(ptxpack.Pack(text(99_991))); n > 2000 {
		t.Errorf("99,991 equal lines take %d bytes", n)
	}
}

// TestDamaged unpacks data with one wrong byte, and data that is cut: the checksum finds all of it.
func TestDamaged(t *testing.T) {
	t.Parallel()
	data := ptxpack.Pack(text(77))
	for i := range data {
		wrong := bytes.Clone(data)
		wrong[i] ^= 0x41
		if got, err := ptxpack.Unpack(string(wrong)); err == nil && got != text(77) {
			t.Errorf("byte %d is wrong, and %d bytes are unpacked", i, len(got))
		}
		if got, err := ptxpack.Unpack(string(data[:i])); err == nil && i > 0 {
			t.Errorf("%d of %d bytes are unpacked as %d", i, len(data), len(got))
		}
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		t.Fatal(err)
	}
	large := w.EncodeAll(make([]byte, ptxpack.Largest+1), nil)
	if got, err := ptxpack.Unpack(string(large)); err == nil {
		t.Errorf("%d bytes are unpacked", len(got))
	}
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, data := range map[string][]byte{"k.ptx": []byte(text(3)), "k.ptx.zst": ptxpack.Pack(text(3))} {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := ptxpack.ReadFile(name); err != nil || got != text(3) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := ptxpack.ReadFile(filepath.Join(dir, "none.ptx")); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
}
