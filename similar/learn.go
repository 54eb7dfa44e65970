package similar

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The bounds of what is learnt of a field: values of a keyword are no longer than learntBytes, come
// learntRepeats times in the mean, and are no more different ones than learntValues.
const (
	learntBytes   = 64
	learntRepeats = 2
	learntValues  = 1 << 12
)

// Learn returns a schema for the documents of the index, the fields by name: a field is of numbers
// if all its values are, of dates if all are dates, and not all numbers as years are, and of
// keywords if its values are no longer than 64 bytes, each comes twice in the mean, and there are
// at most 4,096. Other fields are text, and not in the list. Fields that the index's own schema
// names stay as they are there. The schema is for [New]: an index does not change its own. Learn
// reads the fields of all documents.
//
// Errors: ErrClosed, ErrDamaged, the error of ctx, and one where the documents have more than 1,024
// fields.
func (x *Searcher) Learn(ctx context.Context) (list []Field, err error) {
	v, err := x.state()
	if err != nil {
		return nil, err
	}
	defer v.end(&err)
	learnt := map[string]*learntField{}
	for _, p := range v.parts {
		if err := x.learnPart(ctx, p, learnt); err != nil {
			return nil, fmt.Errorf("similar: %w", err)
		}
	}
	list = slices.Clone(x.options.Fields)
	for _, name := range slices.Sorted(maps.Keys(learnt)) {
		if kind := learnt[name].kind(); kind != TextField {
			list = append(list, Field{Name: name, Type: kind})
		}
	}
	slices.SortFunc(list, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// learnPart learns of the fields of a part's documents.
func (x *Searcher) learnPart(ctx context.Context, p *part, learnt map[string]*learntField) error {
	r := p.reader()
	defer p.columns.readers.Put(r)
	for ord := range p.Len() {
		if ord%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if p.isDead(ord) {
			continue
		}
		head, err := p.head(r, ord)
		if err != nil {
			return err
		}
		if !wholeHead(head) {
			return p.Damaged("the title or the fields of document %q are broken", p.ID(ord))
		}
		n, k := uvarint(head)
		for rest := textOf(head[k+n:]); rest != ""; {
			n, k := uvarint(rest)
			name := rest[k : k+n]
			rest = rest[k+n:]
			n, k = uvarint(rest)
			value := rest[k : k+n]
			if rest = rest[k+n:]; x.schema.has(name) || value == "" {
				continue
			}
			f := learnt[name]
			if f == nil {
				if len(learnt) == maxFields {
					return fmt.Errorf("the documents have more than %d fields; name some in the schema", maxFields)
				}
				f = &learntField{distinct: map[string]bool{}}
				learnt[strings.Clone(name)] = f
			}
			f.add(value)
		}
	}
	return nil
}

// A learntField describes the values of a field.
type learntField struct {
	values             int
	noNumbers, noDates bool // there is a value that is no number, no date
	distinct           map[string]bool
	long               bool // there is a long value, or there are many different ones
}

// add adds a value, and each that it lists.
func (f *learntField) add(value string) {
	for v := range strings.SplitSeq(value, listed) {
		f.values++
		if _, ok := numberOf(v); !ok {
			f.noNumbers = true
		}
		if _, ok := dateOf(v); !ok {
			f.noDates = true
		}
		if f.long = f.long || len(v) > learntBytes || len(f.distinct) > learntValues; !f.long && !f.distinct[v] {
			f.distinct[strings.Clone(v)] = true
		}
	}
}

func (f *learntField) kind() FieldType {
	switch {
	case !f.noNumbers:
		return NumberField
	case !f.noDates:
		return DateField
	case !f.long && len(f.distinct) <= learntValues && f.values >= learntRepeats*len(f.distinct):
		return KeywordField
	}
	return TextField
}
