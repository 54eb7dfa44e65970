package fatbin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// entry is an entry of a fat binary for a test.
func entry(kind uint16, sm uint32, flags uint64, data []byte, plain int) []byte {
	le := binary.LittleEndian
	h := make([]byte, entryLeast)
	le.PutUint16(h[entryKind:], kind)
	le.PutUint32(h[entryHeader:], entryLeast)
	padded := (len(data) + 7) &^ 7
	le.PutUint64(h[entryPadded:], uint64(padded))
	le.PutUint32(h[entrySize:], uint32(len(data)))
	le.PutUint32(h[entrySM:], sm)
	le.PutUint64(h[entryFlags:], flags)
	le.PutUint64(h[entryPlain:], uint64(plain))
	return append(append(h, data...), make([]byte, padded-len(data))...)
}

func image(entries ...[]byte) []byte {
	body := bytes.Join(entries, nil)
	h := make([]byte, HeaderSize)
	binary.LittleEndian.PutUint32(h, Magic)
	binary.LittleEndian.PutUint16(h[4:], 1)
	binary.LittleEndian.PutUint16(h[6:], HeaderSize)
	binary.LittleEndian.PutUint64(h[8:], uint64(len(body)))
	return append(h, body...)
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll([]byte(text), nil)
}

// TestBest takes the newest PTX that the device runs, however it is compressed.
func TestBest(t *testing.T) {
	t.Parallel()
	text := ".version 8.0 " + strings.Repeat("abcabc ", 9)
	// A literal run with a length of two bytes, a match that overlaps itself, a last literal.
	lz4 := append([]byte{0xf0 | 4, 0}, "abcdefghijklmno"...)
	lz4 = append(lz4, 1, 0, 0x10, 'z')
	img := image(
		entry(2, 90, 0, []byte("machine code"), 0),
		entry(kindPTX, 70, 0, []byte("old\x00\x00"), 0),
		entry(kindPTX, 80, flagZstd, packed(t, text+"\x00"), len(text)+1),
		entry(kindPTX, 86, flagLZ4, lz4, 24),
		entry(kindPTX, 120, 0, []byte("too new"), 0),
	)
	for sm, want := range map[int]string{70: "old", 75: "old", 80: text, 90: "abcdefghijklmnooooooooz"[:15] + "oooooooo" + "z", 120: "too new"} {
		if got, err := Best(img, sm); got != want || err != nil {
			t.Errorf("sm_%d: %q (%v), want %q", sm, got, err, want)
		}
	}
	if _, err := Best(img, 60); !errors.Is(err, ErrNoPTX) || !strings.Contains(err.Error(), "machine code for sm_90 PTX for sm_70") {
		t.Errorf("PTX for sm_60: %v", err)
	}
}

// TestHostile reads damaged images: an error or a text, within bounds.
func TestHostile(t *testing.T) {
	t.Parallel()
	whole := image(entry(kindPTX, 80, flagZstd, packed(t, strings.Repeat("x", 500)), 500), entry(kindPTX, 80, flagLZ4, []byte{0x1f, 'a', 1, 0, 255, 10, 0}, 300))
	r := rand.New(rand.NewPCG(1, 2))
	failed := 0
	for range 20000 {
		b := bytes.Clone(whole)
		for range 1 + r.IntN(4) {
			b[r.IntN(len(b))] = byte(r.Uint32())
		}
		b = b[:len(b)-r.IntN(2)*r.IntN(len(b))]
		list, err := Entries(b)
		for i := range list {
			if text, bad := list[i].Text(); bad != nil {
				err = bad
			} else if len(text) > MaxText {
				t.Fatalf("a text of %d bytes", len(text))
			}
		}
		if err != nil {
			failed++
			if !errors.Is(err, ErrDamaged) {
				t.Fatalf("an error of another kind: %v", err)
			}
		}
	}
	if failed < 1000 {
		t.Errorf("only %d of 20000 damaged images were refused", failed)
	}
}
