// Package extsort sorts more records than memory holds, in a file: runs that fit into memory are
// sorted and written one after the other, and merged when they are read (D. E. Knuth, The Art of
// Computer Programming, volume 3, section 5.4).
package extsort

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"os"
	"slices"
)

// A Record is a key and what belongs to it.
type Record struct {
	Key   uint64
	Value uint32
}

func compare(a, b Record) int {
	return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Value, b.Value))
}

const (
	recordBytes = 12 // of a record in the file
	memoryBytes = 16 // and in memory
	leastBuffer = 16 << 10

	// MinMemory is the least memory of a sorter.
	MinMemory = 4 * leastBuffer
)

// A Sorter sorts records. One goroutine may use it.
type Sorter struct {
	dir    string
	memory int64
	list   []Record // not written yet
	file   *os.File // nil until the records do not fit into memory
	size   int64    // of the file
	runs   []run
}

// A run is sorted records in the file.
type run struct {
	from, to int64
	sum      uint32 // the CRC-32 of its bytes, by Castagnoli's polynomial
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// New returns a sorter that uses memory bytes, MinMemory at least, and a file in a folder for what
// does not fit. The folder is os.TempDir if dir is empty. The file takes 12 bytes a record,
// and more only if there are more runs than buffers: memory/16384. Where the system removes open
// files (not Windows), it has no name, and a process that is killed leaves nothing.
func New(dir string, memory int64) *Sorter { return &Sorter{dir: dir, memory: max(memory, MinMemory)} }

// Add adds records. The errors are the file's.
func (s *Sorter) Add(records ...Record) error {
	limit := int(s.memory / memoryBytes)
	for len(records) > 0 {
		if len(s.list) == limit {
			if err := s.spill(); err != nil {
				return err
			}
		}
		n := min(limit-len(s.list), len(records))
		s.list, records = append(s.list, records[:n]...), records[n:]
	}
	return nil
}

// spill writes the records in memory as a run.
func (s *Sorter) spill() error {
	slices.SortFunc(s.list, compare)
	if err := s.create(); err != nil {
		return err
	}
	err := s.write(func(put func(Record) error) error {
		for _, r := range s.list {
			if err := put(r); err != nil {
				return err
			}
		}
		return nil
	})
	s.list = s.list[:0]
	return err
}

// create makes the file.
func (s *Sorter) create() (err error) {
	if s.file != nil {
		return nil
	}
	if s.file, err = os.CreateTemp(s.dir, "similar-sort-*"); err != nil {
		return err
	}
	_ = os.Remove(s.file.Name()) // Close tries again
	return nil
}

// write appends a run to the file.
func (s *Sorter) write(records func(put func(Record) error) error) error {
	w := bufio.NewWriterSize(io.NewOffsetWriter(s.file, s.size), leastBuffer)
	from, sum := s.size, uint32(0)
	err := records(func(r Record) error {
		b := w.AvailableBuffer()
		b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(b, r.Key), r.Value)
		sum = crc32.Update(sum, castagnoli, b)
		n, err := w.Write(b)
		s.size += int64(n)
		return err
	})
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		return fmt.Errorf("sorting in a temporary file: %w", err)
	}
	s.runs = append(s.runs, run{from, s.size, sum})
	return nil
}

// Sorted yields the records by key, and records of one key by value. It is called once, after the
// last Add. An error is the last result: of the file, or of ctx.
func (s *Sorter) Sorted(ctx context.Context) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if s.file == nil {
			slices.SortFunc(s.list, compare)
			for i, r := range s.list {
				if err := ctxErr(ctx, i); err != nil {
					yield(Record{}, err)
					return
				}
				if !yield(r, nil) {
					return
				}
			}
			return
		}
		err := s.reduce(ctx)
		if err == nil {
			err = s.merge(ctx, s.runs, int(s.memory)/len(s.runs), func(r Record) error {
				if !yield(r, nil) {
					return errStopped
				}
				return nil
			})
		}
		if err != nil && err != errStopped {
			yield(Record{}, err)
		}
	}
}

var errStopped = errors.New("stopped")

// ctxErr is ctx's error, asked for now and then.
func ctxErr(ctx context.Context, i int) error {
	if i%1024 != 0 {
		return nil
	}
	return ctx.Err()
}

// reduce writes what is in memory, and merges runs until there is a buffer for each.
func (s *Sorter) reduce(ctx context.Context) error {
	if len(s.list) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.list = nil
	for most := int(s.memory / leastBuffer); len(s.runs) > most; {
		first := s.runs[:most-1]
		s.runs = s.runs[most-1:]
		err := s.write(func(put func(Record) error) error { return s.merge(ctx, first, leastBuffer, put) })
		if err != nil {
			return err
		}
	}
	return nil
}

// A head is the next record of a run.
type head struct {
	Record
	rest *bufio.Reader
	sum  uint32 // of what was read
	run  run
}

// next reads the record after the head, or reports that the run has ended.
func (h *head) next() (more bool, err error) {
	var b [recordBytes]byte
	switch _, err := io.ReadFull(h.rest, b[:]); {
	case err == io.EOF && h.sum == h.run.sum:
		return false, nil
	case err == io.EOF:
		return false, errors.New("a temporary file has other bytes than were written")
	case err != nil:
		return false, fmt.Errorf("reading a temporary file again: %w", err)
	}
	h.sum = crc32.Update(h.sum, castagnoli, b[:])
	h.Record = Record{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint32(b[8:])}
	return true, nil
}

// merge calls put with the records of runs in order, until it returns an error.
func (s *Sorter) merge(ctx context.Context, runs []run, buffer int, put func(Record) error) error {
	heap := make([]head, 0, len(runs)) // the least record is first
	for _, r := range runs {
		h := head{run: r, rest: bufio.NewReaderSize(io.NewSectionReader(s.file, r.from, r.to-r.from), buffer)}
		more, err := h.next()
		if err == nil && !more {
			err = errors.New("BUG: an empty run")
		}
		if err != nil {
			return err
		}
		heap = append(heap, h)
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		sink(heap, i)
	}
	for i := 0; len(heap) > 0; i++ {
		if err := ctxErr(ctx, i); err != nil {
			return err
		}
		if err := put(heap[0].Record); err != nil {
			return err
		}
		more, err := heap[0].next()
		if err != nil {
			return err
		}
		if !more {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		sink(heap, 0)
	}
	return nil
}

// sink moves a head down, until no head below it is less. container/heap would call a method for each step.
func sink(heap []head, i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(heap); child++ {
			if compare(heap[child].Record, heap[least].Record) < 0 {
				least = child
			}
		}
		if least == i {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}

// Close removes the file. Sorted yields nothing more.
func (s *Sorter) Close() error {
	s.list, s.runs = nil, nil
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if removed := os.Remove(s.file.Name()); err == nil && !errors.Is(removed, os.ErrNotExist) {
		err = removed
	}
	s.file = nil
	return err
}
