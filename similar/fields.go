package similar

import (
	"fmt"
	"slices"
	"strings"
)

// Fields are values that the fields of documents shall have, by name.
type Fields map[string]string

// ParseFields reads conditions of the form NAME=VALUE. Of two for one name the last one holds.
func ParseFields(conditions ...string) (Fields, error) {
	f := Fields{}
	for _, c := range conditions {
		name, value, ok := strings.Cut(c, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("similar: condition %q; want NAME=VALUE", c)
		}
		f[name] = value
	}
	return f, nil
}

// Match reports whether a document's fields have all the values. A field that lists several, parted
// by "; ", has each of them and the whole. It is made for Query.Filter.
func (f Fields) Match(d *Document) bool {
	for name, want := range f {
		have, ok := d.Fields[name]
		if !ok || have != want && !slices.Contains(strings.Split(have, "; "), want) {
			return false
		}
	}
	return true
}
