package similar

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"

	"github.com/gridstride/gridstride/similar/internal/segment"
)

// A file of a table is tableMagic, the fingerprint of the options, three totals, the number of
// streams and their lengths, the number of terms, and each term: how many bytes its name has in
// common with the name before, how many more there are, these bytes, and the frequency. A CRC-32C
// of all bytes ends the file, in 4 bytes, the lowest first. Numbers are uvarints.

const tableMagic = "gridstride similar table 1\n"

// maxTableName is the most bytes of a term's name.
const maxTableName = 1 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// WriteTo writes the table as ReadTable reads it, and returns how many bytes it wrote. One table gives
// the same bytes each time.
func (t *Table) WriteTo(w io.Writer) (int64, error) {
	sum := crc32.New(castagnoli)
	counted := &countingWriter{w: w}
	b := bufio.NewWriter(io.MultiWriter(counted, sum))
	b.WriteString(tableMagic)
	b.Write(t.options[:])
	var scratch []byte
	number := func(n uint64) {
		scratch = binary.AppendUvarint(scratch[:0], n)
		b.Write(scratch)
	}
	for _, n := range []int64{t.collection.Documents, t.collection.Terms, t.collection.Postings, int64(len(t.lengths))} {
		number(uint64(n))
	}
	for _, n := range t.lengths {
		number(uint64(n))
	}
	number(uint64(t.Len()))
	before := ""
	for name, df := range t.Terms("") {
		same := segment.CommonPrefix(before, name)
		number(uint64(same))
		number(uint64(len(name) - same))
		b.WriteString(name[same:])
		number(uint64(df))
		before = name
	}
	err := b.Flush() // and with it the first error of the writes
	if err == nil {
		_, err = counted.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32()))
	}
	return counted.n, err
}

type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// ReadTable reads a table that WriteTo wrote, up to its end. What is no whole table is an error that
// wraps ErrDamaged. It takes memory as the bytes come.
func ReadTable(r io.Reader) (*Table, error) {
	in := &tableReader{r: bufio.NewReader(r), sum: crc32.New(castagnoli)}
	t := in.table()
	if sum := in.sum.Sum32(); in.err == nil {
		var want [4]byte
		if _, err := io.ReadFull(in.r, want[:]); err != nil {
			in.fail(err)
		} else if binary.LittleEndian.Uint32(want[:]) != sum {
			in.fail(errors.New("its checksum is another"))
		}
	}
	if in.err != nil {
		return nil, fmt.Errorf("similar: a table: %w: %w", ErrDamaged, in.err)
	}
	return t, nil
}

// A tableReader reads the file of a table up to the first error.
type tableReader struct {
	r   *bufio.Reader
	sum hash.Hash32
	err error
}

func (in *tableReader) fail(err error) {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if in.err == nil {
		in.err = err
	}
}

// ReadByte implements io.ByteReader, for the numbers.
func (in *tableReader) ReadByte() (byte, error) {
	b, err := in.r.ReadByte()
	if err == nil {
		in.sum.Write([]byte{b})
	}
	return b, err
}

// number reads a number of low to high.
func (in *tableReader) number(what string, low, high uint64) int64 {
	if in.err != nil {
		return 0
	}
	n, err := binary.ReadUvarint(in)
	if err != nil {
		in.fail(err)
	} else if n < low || n > high {
		in.fail(fmt.Errorf("%s is %d; want %d to %d", what, n, low, high))
	}
	return int64(n)
}

// bytes appends n bytes.
func (in *tableReader) bytes(dst []byte, n int) []byte {
	if in.err != nil {
		return dst
	}
	from := len(dst)
	for ; n > 0; n-- {
		b, err := in.r.ReadByte()
		if err != nil {
			in.fail(err)
			return dst
		}
		dst = append(dst, b)
	}
	in.sum.Write(dst[from:])
	return dst
}

func (in *tableReader) table() *Table {
	var b tableBuilder
	if head := in.bytes(nil, len(tableMagic)); in.err == nil && string(head) != tableMagic {
		in.fail(errors.New("it does not begin as a table does"))
	}
	copy(b.options[:], in.bytes(nil, len(b.options)))
	c := &b.collection
	c.Documents = in.number("the number of documents", 0, math.MaxInt64)
	c.Terms = in.number("the number of words", 0, math.MaxInt64)
	c.Postings = in.number("the number of postings", 0, math.MaxInt64)
	for range in.number("the number of fields with a b", 0, maxStreams+1) {
		b.lengths = append(b.lengths, in.number("the length of a field", 0, math.MaxInt64))
	}
	var before, name []byte
	for i := in.number("the number of terms", 0, math.MaxInt64); i > 0 && in.err == nil; i-- {
		same := in.number("what a term has in common with the one before", 0, uint64(len(before)))
		more := in.number("the rest of a term", 0, uint64(maxTableName-same))
		if in.err != nil {
			break
		}
		name = in.bytes(append(name[:0], before[:same]...), int(more))
		df := in.number("how many documents have a term", 1, uint64(max(1, c.Documents)))
		if len(b.dfs) > 0 && bytes.Compare(before, name) >= 0 {
			in.fail(fmt.Errorf("the term %q follows %q", name, before))
		}
		b.add(string(name), df)
		before, name = name, before
	}
	return b.table()
}
