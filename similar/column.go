package similar

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/gridstride/gridstride/similar/internal/segment"
)

// A bitset has a bit for each document of a part.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i uint32) bool { return b[i/64]>>(i%64)&1 != 0 }
func (b bitset) add(i uint32)      { b[i/64] |= 1 << (i % 64) }

// len returns how many bits are set.
func (b bitset) len() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// A column is the values of one field in the documents of a part: an inverted file.
type column struct {
	values []string // in byte order, each once
	starts []uint32 // of each value where its documents begin in docs, and the end
	docs   []uint32 // for each value the documents that have it, in order
	has    bitset   // the documents that have the field

	rangesOnce sync.Once
	numbers    []numbered // by number
	dates      []dateOfAt // by date

	order ordered
}

type numbered struct {
	number float64
	value  int
}

type dateOfAt struct {
	date  time.Time
	value int
}

// of returns the documents that have a value.
func (c *column) of(value int) []uint32 { return c.docs[c.starts[value]:c.starts[value+1]] }

// ranges finds the values that are numbers and dates.
func (c *column) ranges() {
	c.rangesOnce.Do(func() {
		for i, v := range c.values {
			if x, ok := numberOf(v); ok {
				c.numbers = append(c.numbers, numbered{x, i})
			}
			if t, ok := dateOf(v); ok {
				c.dates = append(c.dates, dateOfAt{t, i})
			}
		}
		slices.SortFunc(c.numbers, func(a, b numbered) int { return cmp.Compare(a.number, b.number) })
		slices.SortFunc(c.dates, func(a, b dateOfAt) int { return a.date.Compare(b.date) })
	})
}

// columns has the columns of a segment that were used lately, and the sets of the conditions that
// were used lately. Parts of one segment share them.
type columns struct {
	mu     sync.Mutex
	list   []*namedColumn // the last used at the end
	recent []recentSet    // the last used at the end

	fields  fieldNames
	streams streamLengths
	readers sync.Pool // of *segment.Reader, of the segment's documents
}

type namedColumn struct {
	name   string
	once   sync.Once
	column *column
	err    error
}

type recentSet struct {
	condition string
	set       *docSet
}

// The most columns and sets of a segment that are remembered.
const (
	maxColumns = 64
	maxSets    = 64
)

// columnOf returns the column of a field.
func (p *part) columnOf(field string) (*column, error) {
	k := p.columns
	k.mu.Lock()
	i := slices.IndexFunc(k.list, func(c *namedColumn) bool { return c.name == field })
	c := &namedColumn{name: strings.Clone(field)}
	if i >= 0 {
		c = k.list[i]
		k.list = slices.Delete(k.list, i, i+1)
	}
	k.list = append(k.list, c)
	k.list = k.list[max(0, len(k.list)-maxColumns):]
	k.mu.Unlock()
	c.once.Do(func() { c.column, c.err = p.readColumn(field) })
	return c.column, c.err
}

// readColumn makes the column of a field from the stored documents.
func (p *part) readColumn(field string) (*column, error) {
	type pair struct{ value, doc uint32 }
	var pairs []pair
	var names []string
	numbers := map[string]uint32{}
	c := &column{has: newBitset(p.Len())}
	r := p.reader()
	defer p.columns.readers.Put(r)
	for ord := range p.Len() {
		head, err := p.head(r, ord)
		if err != nil {
			return nil, err
		}
		stored, there, ok := storedField(textOf(head), field)
		if !ok {
			return nil, p.Damaged("the title or the fields of document %q are broken", p.ID(ord))
		}
		if !there {
			continue
		}
		c.has.add(uint32(ord))
		first := len(pairs)
		for v := range valuesOf(stored) {
			n, known := numbers[v]
			if !known {
				n, v = uint32(len(names)), strings.Clone(v)
				numbers[v], names = n, append(names, v)
			}
			if !slices.ContainsFunc(pairs[first:], func(p pair) bool { return p.value == n }) {
				pairs = append(pairs, pair{n, uint32(ord)})
			}
		}
	}
	order := make([]uint32, len(names)) // the values in byte order
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(names[a], names[b]) })
	place := make([]uint32, len(names))
	for i, n := range order {
		place[n], c.values = uint32(i), append(c.values, names[n])
	}
	c.starts, c.docs = make([]uint32, len(names)+1), make([]uint32, len(pairs))
	for _, p := range pairs {
		c.starts[place[p.value]+1]++
	}
	for i := range names {
		c.starts[i+1] += c.starts[i]
	}
	next := slices.Clone(c.starts)
	for _, p := range pairs {
		at := &next[place[p.value]]
		c.docs[*at] = p.doc
		*at++
	}
	return c, nil
}

// head returns the head of a document. It is good until the next call of the reader.
func (p *part) head(r *segment.Reader, ord int) ([]byte, error) {
	if !p.Old() {
		return r.Head(ord)
	}
	head, _, err := p.stored(r, ord, 0)
	return head, err
}

// textOf is bytes as a string, in the same memory.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// storedField returns a field of a head, whether the head has it, and whether the head is whole as
// far as it was read. See Document.appendHead.
func storedField(stored, field string) (value string, there, ok bool) {
	next := func() (s string, ok bool) {
		n, k := uvarint(stored)
		if k == 0 {
			return "", false
		}
		s, stored = stored[k:k+n], stored[k+n:]
		return s, true
	}
	if _, ok := next(); !ok { // the title
		return "", false, false
	}
	for stored != "" {
		name, ok := next()
		if !ok {
			return "", false, false
		}
		if value, ok = next(); !ok {
			return "", false, false
		}
		if name == field {
			there = true
			break
		}
		if name > field { // they are in order
			break
		}
	}
	if !there {
		value = ""
	}
	return value, there, true
}

// setOf returns the documents of a part that meet a condition, those that are deleted among them.
// The set is shared and must not be changed.
func (p *part) setOf(c Condition) (*docSet, error) {
	k, name := p.columns, c.String()
	k.mu.Lock()
	i := slices.IndexFunc(k.recent, func(r recentSet) bool { return r.condition == name })
	if i >= 0 {
		r := k.recent[i]
		k.recent = append(slices.Delete(k.recent, i, i+1), r)
		k.mu.Unlock()
		return r.set, nil
	}
	k.mu.Unlock()
	found, err := c.set(p)
	if err != nil {
		return nil, err
	}
	set := &docSet{found, found.len()}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.recent = append(k.recent, recentSet{name, set})
	k.recent = k.recent[max(0, len(k.recent)-maxSets):]
	return set, nil
}

func (c is) set(p *part) (bitset, error) {
	column, err := p.columnOf(c.field)
	if err != nil {
		return nil, err
	}
	set := newBitset(p.Len())
	if i, ok := slices.BinarySearch(column.values, c.value); ok {
		for _, doc := range column.of(i) {
			set.add(doc)
		}
	}
	return set, nil
}

func (c ids) set(p *part) (bitset, error) {
	set := newBitset(p.Len())
	for _, id := range c {
		if ord, ok := p.Find(id, 0); ok {
			set.add(uint32(ord))
		}
	}
	return set, nil
}

func (c has) set(p *part) (bitset, error) {
	column, err := p.columnOf(c.field)
	if err != nil {
		return nil, err
	}
	return column.has, nil
}

func (c between) set(p *part) (bitset, error) {
	column, err := p.columnOf(c.field)
	if err != nil {
		return nil, err
	}
	column.ranges()
	set := newBitset(p.Len())
	from, _ := slices.BinarySearchFunc(column.numbers, c.low, func(n numbered, low float64) int { return cmp.Compare(n.number, low) })
	for _, n := range column.numbers[from:] {
		if n.number > c.high {
			break
		}
		for _, doc := range column.of(n.value) {
			set.add(doc)
		}
	}
	return set, nil
}

func (c dated) set(p *part) (bitset, error) {
	column, err := p.columnOf(c.field)
	if err != nil {
		return nil, err
	}
	column.ranges()
	set := newBitset(p.Len())
	for _, d := range column.dates {
		if c.holds(d.date) {
			for _, doc := range column.of(d.value) {
				set.add(doc)
			}
		}
	}
	return set, nil
}

func (c all) set(p *part) (bitset, error) {
	set := newBitset(p.Len())
	for i := range set {
		set[i] = ^uint64(0)
	}
	return p.combine(set, c, func(a *uint64, b uint64) { *a &= b })
}

func (c anyOf) set(p *part) (bitset, error) {
	return p.combine(newBitset(p.Len()), c, func(a *uint64, b uint64) { *a |= b })
}

func (c not) set(p *part) (bitset, error) {
	return p.combine(newBitset(p.Len()), []Condition{c.of}, func(a *uint64, b uint64) { *a = ^b })
}

// combine changes a set by the sets of conditions.
func (p *part) combine(set bitset, list []Condition, change func(a *uint64, b uint64)) (bitset, error) {
	for _, c := range list {
		other, err := p.setOf(c)
		if err != nil {
			return nil, err
		}
		for i := range set {
			change(&set[i], other.bitset[i])
		}
	}
	if rest := p.Len() % 64; rest > 0 && len(set) > 0 {
		set[len(set)-1] &= 1<<rest - 1 // no bits beyond the documents
	}
	return set, nil
}
