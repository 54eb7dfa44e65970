package segment

import (
	"context"
	"testing"

	"github.com/gridstride/gridstride/internal/math/half"
)

// TestMaxHalf compares MaxHalf with the number before infinity.
func TestMaxHalf(t *testing.T) {
	t.Parallel()
	if largest := half.F16ToF32(half.F16Inf - 1); largest != MaxHalf || half.F16Nearest[float32](MaxHalf) != half.F16Inf-1 {
		t.Errorf("MaxHalf is %v, and the largest number is %v", float32(MaxHalf), largest)
	}
}

// TestMergeIsOfItsOwn merges a segment of a file, which may be unmapped as soon as the segment is no
// longer used: the merged segment keeps nothing of the file.
func TestMergeIsOfItsOwn(t *testing.T) {
	t.Parallel()
	b := NewBuilder(func(n uint32) string { return "w" + string(rune('a'+n)) })
	b.KeepPlaces()
	for _, id := range []string{"a", "b"} {
		b.Begin(id)
		b.Words([]uint32{0, 1, 0, 2}, 0, 99)
		b.Vector([]float32{1, 2, 3}, Float32)
		b.End(func(dst []byte) []byte { return append(dst, "head"...) }, func(dst []byte) []byte { return append(dst, "text"...) })
	}
	s, err := b.Segment()
	if err != nil {
		t.Fatal(err)
	}
	source := reopened(t, s)
	m, _, err := Merge(context.Background(), []Source{{Segment: source}})
	if err != nil {
		t.Fatal(err)
	}
	for kind, sec := range m.sections() {
		if b := sec.bytes(); len(b) > 0 && source.guard.holds(b) {
			t.Errorf("section %d of the merged segment is in the file of its source", kind)
		}
	}
}
