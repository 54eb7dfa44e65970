package version

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar"
)

// memory is a store in memory, with faults.
type memory struct {
	mu    sync.Mutex
	files map[string][]byte
	times map[string]time.Time
	skew  time.Duration // of the store's clock
	fault *rand.Rand    // nil: none
	ended int           // bodies and calls that failed
}

func newMemory() *memory { return &memory{files: map[string][]byte{}, times: map[string]time.Time{}} }

var errDown = errors.New("503 Service Unavailable")

// fails reports whether a call is to fail. The caller has locked the store.
func (m *memory) fails() bool {
	if m.fault == nil || m.fault.IntN(8) > 0 {
		return false
	}
	m.ended++
	return true
}

func (m *memory) String() string { return "mem://test" }

func (m *memory) Read(_ context.Context, name string, offset, length int64) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails() {
		return nil, errDown
	}
	b, ok := m.files[name]
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	b = b[min(offset, int64(len(b))):]
	b = b[:min(length, int64(len(b)))]
	if m.fails() {
		cut := b[:m.fault.IntN(len(b)+1)]
		if m.fault.IntN(2) == 0 {
			return io.NopCloser(bytes.NewReader(cut)), nil // it ends early, without an error
		}
		return io.NopCloser(io.MultiReader(bytes.NewReader(cut), broken{})), nil
	}
	return io.NopCloser(bytes.NewReader(b)), nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("connection reset by peer") }

func (m *memory) Create(_ context.Context, name string, content func(io.Writer) error) error {
	var b bytes.Buffer
	m.mu.Lock()
	_, ok := m.files[name]
	down := m.fails()
	m.mu.Unlock()
	if down {
		return errDown
	}
	if ok {
		return fmt.Errorf("%s: %w", name, fs.ErrExist)
	}
	if err := content(&b); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.files[name]; ok {
		return fmt.Errorf("%s: %w", name, fs.ErrExist)
	}
	if m.fails() {
		return errDown
	}
	m.files[name], m.times[name] = b.Bytes(), time.Now().Add(m.skew)
	if m.fails() {
		return errDown // the answer is lost, and the file is there
	}
	return nil
}

func (m *memory) List(_ context.Context, prefix string) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		m.mu.Lock()
		names, end := slices.Sorted(maps.Keys(m.files)), -1
		if m.fails() {
			end = m.fault.IntN(len(names) + 1)
		}
		m.mu.Unlock()
		for i, name := range names {
			m.mu.Lock()
			b, ok := m.files[name]
			f := File{name, int64(len(b)), m.times[name]}
			m.mu.Unlock()
			if i == end {
				yield(File{}, errDown)
				return
			}
			if ok && strings.HasPrefix(name, prefix) && !yield(f, nil) {
				return
			}
		}
	}
}

func (m *memory) Delete(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails() {
		return errDown
	}
	if _, ok := m.files[name]; !ok {
		return fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	delete(m.files, name)
	return nil
}

// copied is a store with the same files.
func (m *memory) copied() *memory {
	n := newMemory()
	maps.Copy(n.files, m.files)
	maps.Copy(n.times, m.times)
	return n
}

// same reports whether two stores have the same files.
func (m *memory) same(n *memory) bool { return maps.EqualFunc(m.files, n.files, bytes.Equal) }

// documents are some documents, with words that depend on seed.
func documents(n int, seed uint64) (docs []similar.Document) {
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		var text strings.Builder
		for range 5 + r.IntN(30) {
			fmt.Fprintf(&text, "w%d ", int(200*r.Float64()*r.Float64()))
		}
		docs = append(docs, similar.Document{ID: fmt.Sprint("d", i), Title: fmt.Sprint("t", i%7), Text: text.String()})
	}
	return docs
}

// write builds and writes one shard.
func write(ctx context.Context, store Store, docs []similar.Document, shard, of int, o similar.Options) error {
	x, err := similar.New(o)
	if err != nil {
		return err
	}
	defer x.Close()
	docs = slices.DeleteFunc(slices.Clone(docs), func(d similar.Document) bool { return similar.ShardOf(d.ID, of) != shard })
	if err := x.Add(ctx, docs...); err != nil {
		return err
	}
	return WriteShard(ctx, store, x, ShardOptions{Shard: shard, Of: of})
}

// built is a version.
func built(t testing.TB, docs []similar.Document, of int) *memory {
	t.Helper()
	m := newMemory()
	for i := range of {
		if err := write(t.Context(), m, docs, i, of, similar.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := Seal(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	return m
}

func newCache(t testing.TB) *Cache {
	t.Helper()
	c, err := NewCache(t.TempDir(), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// answers are some searches' answers.
func answers(t testing.TB, search func(context.Context, similar.Query) ([]similar.Hit, error)) (all []similar.Hit) {
	t.Helper()
	for _, words := range []string{"w1 w3", "w0", "w17 w40 t3", "absent"} {
		hits, err := search(t.Context(), similar.Query{Text: words, K: 30})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, hits...)
	}
	return all
}
