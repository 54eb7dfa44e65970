package extsort

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestSorted sorts random records, in memory, in a few runs, and in more runs than there are
// buffers.
func TestSorted(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		dir := t.TempDir()
		s := New(dir, 1) // MinMemory: 4096 records, four buffers
		want := make([]Record, r.IntN([]int{1, 10, 4097, 60_000}[r.IntN(4)]))
		keys := 1 + r.Uint64N(1<<(1+r.IntN(60)))
		for i := range want {
			want[i] = Record{r.Uint64N(keys) << r.IntN(4), r.Uint32N(100)}
		}
		for rest := want; len(rest) > 0; {
			n := min(len(rest), r.IntN(9000))
			if err := s.Add(rest[:n]...); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		var got []Record
		for record, err := range s.Sorted(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, record)
		}
		slices.SortFunc(want, compare)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %d records, want %d, or another order", seed, len(got), len(want))
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v are left, %v", left, err)
		}
	}
}

// filled returns a sorter with several runs.
func filled(t *testing.T, dir string) *Sorter {
	t.Helper()
	s := New(dir, 1)
	for i := range uint32(50_000) {
		if err := s.Add(Record{uint64(i) * base % 1000, i}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

const base = 0x9e3779b97f4a7c15

func TestSortedEnds(t *testing.T) {
	t.Parallel()
	s := filled(t, t.TempDir())
	n := 0
	for range s.Sorted(t.Context()) {
		if n++; n == 100 {
			break
		}
	}
	if err := s.Close(); n != 100 || err != nil {
		t.Error(n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, s := range []*Sorter{filled(t, t.TempDir()), New("", 1<<20)} {
		if err := s.Add(Record{}); err != nil {
			t.Fatal(err)
		}
		var last error
		for _, err := range s.Sorted(ctx) {
			last = err
		}
		if err := s.Close(); !errors.Is(last, context.Canceled) || err != nil {
			t.Error(last, err)
		}
	}
}

// TestSortedFails takes the file away, or bytes of it: what is wrong is an error, not fewer records.
func TestSortedFails(t *testing.T) {
	t.Parallel()
	if err := New(filepath.Join(t.TempDir(), "none"), 1).Add(make([]Record, 5000)...); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	for what, damage := range map[string]func(s *Sorter) error{
		"cut":    func(s *Sorter) error { return s.file.Truncate(s.size - 5) },
		"empty":  func(s *Sorter) error { return s.file.Truncate(0) },
		"closed": func(s *Sorter) error { return s.file.Close() },
	} {
		s := filled(t, t.TempDir())
		if err := damage(s); err != nil {
			t.Fatal(err)
		}
		var last error
		n := 0
		for _, err := range s.Sorted(t.Context()) {
			last = err
			n++
		}
		if last == nil {
			t.Errorf("%s: %d records and no error", what, n)
		}
		_ = s.Close()
	}
}
