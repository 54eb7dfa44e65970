package similar

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
)

// A FieldWeight says how much the words of a field count. Documents are then scored by BM25 extended
// to fields (Robertson, Zaragoza and Taylor, Simple BM25 extension to multiple weighted fields, CIKM
// 2004): a word counts Weight times for each time that it is in the field, before its weight is
// computed. The length of a document is the sum of its fields' lengths, each Weight times. The same
// counts go into other schemes.
//
// The mean of the counts grows with the weights, and the authors advise to let BM25's K1 grow by the
// same factor.
type FieldWeight struct {
	Name   string // "title", "text", the name of a field, or "*" for all fields that have none
	Weight int    // 1 where none is given; 0: stored only, and not searched; MaxWeight at most
}

// MaxWeight is the greatest weight of a field.
const MaxWeight = 100

// maxWeights is the most fields that may have a separate weight, and maxWeightsFile the most bytes of
// a file of weights.
const (
	maxWeights     = 1024
	maxWeightsFile = 1 << 20
	otherFields    = "*"
)

// ReadFields reads a file of weights: a JSON object of names and weights, such as {"title": 3, "url": 0}.
func ReadFields(r io.Reader) ([]FieldWeight, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxWeightsFile+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxWeightsFile {
		return nil, fmt.Errorf("similar: weights of fields of more than %d bytes", maxWeightsFile)
	}
	weights := map[string]int{}
	if err := json.Unmarshal(b, &weights); err != nil {
		return nil, fmt.Errorf(`similar: weights of fields: %w; want such as {"title": 3, "url": 0}`, err)
	}
	var list []FieldWeight
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		list = append(list, FieldWeight{name, weights[name]})
	}
	_, err = newFieldWeights(list)
	return list, err
}

// fieldWeights are the weights of all fields.
type fieldWeights struct {
	title, text, others uint32
	named               map[string]uint32
}

func newFieldWeights(list []FieldWeight) (fieldWeights, error) {
	w := fieldWeights{1, 1, 1, map[string]uint32{}}
	if len(list) > maxWeights {
		return w, fmt.Errorf("similar: %d fields with weights; want %d at most", len(list), maxWeights)
	}
	seen := map[string]bool{}
	for _, f := range list {
		if f.Name == "" || f.Weight < 0 || f.Weight > MaxWeight || seen[f.Name] {
			return w, fmt.Errorf("similar: the field %q with the weight %d; want each name once, and 0 to %d", f.Name, f.Weight, MaxWeight)
		}
		seen[f.Name] = true
		switch weight := uint32(f.Weight); f.Name {
		case titleField:
			w.title = weight
		case textField:
			w.text = weight
		case otherFields:
			w.others = weight
		default:
			w.named[f.Name] = weight
		}
	}
	return w, nil
}

// of returns the weight of a field that is neither title nor text.
func (w *fieldWeights) of(name string) uint32 {
	if weight, ok := w.named[name]; ok {
		return weight
	}
	return w.others
}

// ofAny returns the weight of a field, the title or the text.
func (w *fieldWeights) ofAny(name string) uint32 {
	switch name {
	case titleField:
		return w.title
	case textField:
		return w.text
	}
	return w.of(name)
}

// texts yields the texts of a document that are searched, with their weights.
func (w *fieldWeights) texts(d *Document, yield func(s string, weight uint32)) {
	some := func(s string, weight uint32) {
		if weight > 0 {
			yield(s, weight)
		}
	}
	some(d.Title, w.title)
	some(d.Text, w.text)
	for name, v := range d.Fields {
		some(v, w.of(name))
	}
}

// size returns how many bytes of text are searched, each as often as it counts.
func (w *fieldWeights) size(d *Document) (n int) {
	w.texts(d, func(s string, weight uint32) { n += len(s) * int(weight) })
	return n
}
