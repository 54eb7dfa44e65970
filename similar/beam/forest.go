package beam

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/gridstride/gridstride/similar/duplicates"
)

// A forest goes between workers in chunks, which are elements. A chunk is the number of documents of
// the version and links, each of a document and the first one of its group. All are 32 bits.
const (
	linkBytes  = 8
	chunkBytes = 4 + 1<<15*linkBytes
)

// emitForest emits a forest in one chunk or more.
func emitForest(groups *duplicates.Groups, emit func([]byte)) {
	begin := func() []byte {
		return binary.LittleEndian.AppendUint32(make([]byte, 0, chunkBytes), uint32(groups.Documents))
	}
	b := begin()
	for document, first := range groups.Links() {
		if len(b) == chunkBytes {
			emit(b)
			b = begin()
		}
		b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, uint32(document)), uint32(first))
	}
	emit(b)
}

// merged merges forests of a version.
func merged(ctx context.Context, chunks func(*[]byte) bool, o duplicates.Options) (*duplicates.Groups, error) {
	var b []byte
	if !chunks(&b) || len(b) < 4 {
		return nil, errors.New("BUG: a forest without a chunk")
	}
	documents := binary.LittleEndian.Uint32(b)
	return duplicates.Merge(ctx, int(documents), func(yield func([]int, error) bool) {
		for more := true; more; more = chunks(&b) {
			if len(b)%linkBytes != 4 || binary.LittleEndian.Uint32(b) != documents {
				yield(nil, fmt.Errorf("BUG: a chunk of %d bytes in a forest of %d documents", len(b), documents))
				return
			}
			for link := b[4:]; len(link) > 0; link = link[linkBytes:] {
				if !yield([]int{int(binary.LittleEndian.Uint32(link)), int(binary.LittleEndian.Uint32(link[4:]))}, nil) {
					return
				}
			}
		}
	}, o)
}

// mergeFn merges some forests to one.
type mergeFn struct{}

// ProcessElement emits the forest for the last merge.
func (*mergeFn) ProcessElement(ctx context.Context, _ int, chunks func(*[]byte) bool, emit func(int, []byte)) error {
	groups, err := merged(ctx, chunks, duplicates.Options{})
	if err != nil {
		return err
	}
	emitForest(groups, func(b []byte) { emit(0, b) })
	return nil
}

// writeFn merges the last forests, and writes the groups.
type writeFn struct{ Options DuplicateOptions }

// ProcessElement writes the file.
func (f *writeFn) ProcessElement(ctx context.Context, _ int, chunks func(*[]byte) bool) (err error) {
	groups, err := merged(ctx, chunks, f.Options.find(0))
	if err != nil {
		return err
	}
	list, done, err := f.Options.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	if list.Len() != groups.Documents {
		return fmt.Errorf("BUG: groups of %d documents of a version of %d", groups.Documents, list.Len())
	}
	var n, documents int
	err = createFile(ctx, f.Options.Output, func(w io.Writer) (err error) {
		n, documents, err = groups.Write(ctx, w, list.ID)
		return err
	})
	if err != nil {
		return err
	}
	counters.groups.Inc(ctx, int64(n))
	counters.grouped.Inc(ctx, int64(documents))
	return nil
}
