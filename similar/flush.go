package similar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gridstride/gridstride/similar/internal/segment"
)

// An index with a budget holds segments in memory up to a share of it. What is more is merged into a
// file, which is mapped into memory and which the system may take out of memory again.
//
// The files are in the folder that Lock took, and have the names that Save would give them: Save
// need not write them. The next Save removes the files of a process that ended without one. Without
// Lock they are in a folder for temporary files.

// leastMemory is the least budget.
const leastMemory = 1 << 20

// The shares of a budget.
const (
	heldShare  = 4  // segments in memory are flushed when they have more than this part
	fullShare  = 2  // Add waits for that when they have more than this part
	smallShare = 64 // segments that have less together are merged in memory
	textShare  = 32 // texts that the processors analyse at once, all together
	wordBudget = 1 << 10
)

// SetMemory sets Options.Memory of an index that was opened.
func (x *Index) SetMemory(bytes int64) error {
	if err := checkMemory(bytes); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.memory.Store(bytes)
	x.mergeSoon()
	return nil
}

func checkMemory(bytes int64) error {
	if bytes != 0 && bytes < leastMemory {
		return fmt.Errorf("similar: a memory of %d bytes; want %d or more, or 0 for any", bytes, leastMemory)
	}
	return nil
}

// inMemory reports whether a segment has no file.
func inMemory(p *part) bool { return p.File() == "" }

// held returns how many bytes parts take that have no file.
func held(parts []*part) (n int64) {
	for _, p := range parts {
		if inMemory(p) {
			n += bytesOf(p)
		}
	}
	return n
}

func bytesOf(p *part) int64 {
	all, _ := p.Size()
	return all
}

// flushes reports whether the merge of parts goes into a file.
func (x *Index) flushes(parts []*part) bool {
	memory := x.memory.Load()
	n := int64(0)
	for _, p := range parts {
		n += bytesOf(p)
	}
	return memory > 0 && n >= memory/smallShare
}

// mergeParts makes one segment of the living documents of parts, in memory or in a file.
func (x *Index) mergeParts(ctx context.Context, parts []*part) (*segment.Segment, [][]uint32, error) {
	sources := make([]segment.Source, len(parts))
	for i, p := range parts {
		sources[i] = segment.Source{Segment: p.Segment, Dead: p.isDead, Whole: wholeHead, Split: splitBody}
	}
	if !x.flushes(parts) {
		return segment.Merge(ctx, sources)
	}
	name, kept, err := x.newFile()
	if err != nil {
		return nil, nil, err
	}
	ords, err := mergeInto(ctx, sources, name)
	var s *segment.Segment
	if err == nil {
		s, err = segment.Open(name)
	}
	if err != nil {
		x.dropFiles(name)
		_ = os.Remove(name) // the next Save tries again
		return nil, nil, err
	}
	if !kept {
		_ = os.Remove(name) // Close tries again where a file that is mapped cannot be removed
	}
	return s, ords, nil
}

// mergeInto merges segments into a file, which is on the disk then.
func mergeInto(ctx context.Context, sources []segment.Source, name string) ([][]uint32, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	ords, err := segment.MergeTo(ctx, sources, f)
	if err == nil {
		err = f.Sync()
	}
	return ords, cmp.Or(err, f.Close())
}

// newFile names a file for a merge, and says whether Save may keep it.
func (x *Index) newFile() (name string, kept bool, err error) {
	x.saving.Lock()
	defer x.saving.Unlock()
	x.flushed++
	if x.locked != "" && (x.home.dir == x.locked || x.home.dir == "") {
		// Save counts the parts of a generation from 0 on.
		name = filepath.Join(x.locked, fmt.Sprintf("%08d-%d%s", x.home.generation+1, 1_000+x.flushed, segmentEnd))
		x.files[name] = true
		return name, true, nil
	}
	if x.temporary == "" {
		if x.temporary, err = os.MkdirTemp("", "similar-"); err != nil {
			return "", false, fmt.Errorf("similar: %w", err)
		}
	}
	return filepath.Join(x.temporary, fmt.Sprintf("%d%s", x.flushed, segmentEnd)), false, nil
}

// dropFiles removes files of merges which no save has kept.
func (x *Index) dropFiles(names ...string) {
	x.saving.Lock()
	defer x.saving.Unlock()
	for _, name := range names {
		if x.files[name] {
			delete(x.files, name)
			_ = os.Remove(name) // the next Save tries again
		}
	}
}

// filesIn returns the names of the files of merges in a folder. The caller has locked saving.
func (x *Index) filesIn(dir string) map[string]bool {
	names := map[string]bool{}
	for name := range x.files {
		if filepath.Dir(name) == dir {
			names[filepath.Base(name)] = true
		}
	}
	return names
}

// dropTemporary removes all files of merges that no save has kept. The caller has locked saving.
func (x *Index) dropTemporary() error {
	var first error
	for name := range x.files {
		if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
			first = cmp.Or(first, err)
		}
	}
	clear(x.files)
	if x.temporary != "" {
		first = cmp.Or(first, os.RemoveAll(x.temporary))
		x.temporary = ""
	}
	return first
}
