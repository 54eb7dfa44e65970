package similar

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/similar/text"
)

// maxSchemaFile is the most bytes of a file of a schema.
const maxSchemaFile = 1 << 20

// ReadFields reads a schema: a JSON object with a member for each field, which is its weight, or an
// object with what there is to say of it:
//
//	{"title": 3, "url": 0, "tag": {"type": "keyword"}, "note": {"type": "text", "weight": 2}}
//
// The members of such an object are
//
//	type      "text" if there is none, "keyword", "number", "date" or "stored"
//	weight    how much the words count, 0 to MaxWeight; 1 if there is none
//	b         how far the field's own length counts, 0 to 1; see Field.B
//	language  "de" or "german", for one, or "auto"; see Field.Language
//	search    whether the words count at all: true for text, and false for other types, if there is none
//
// An error names the field and the member, and says what is allowed.
func ReadFields(r io.Reader) ([]Field, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxSchemaFile+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxSchemaFile {
		return nil, fmt.Errorf("similar: a schema of more than %d bytes", maxSchemaFile)
	}
	all, err := members(b)
	if err != nil {
		return nil, fmt.Errorf(`similar: the schema: %w; want an object such as {"title": 3, "url": 0, "year": {"type": "number"}}`, err)
	}
	var list []Field
	for _, m := range all {
		f, err := readField(m)
		if err != nil {
			return nil, fmt.Errorf("similar: the schema: %q: %w", m.name, err)
		}
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	_, err = newSchema(list)
	return list, err
}

// A member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// shown is the value as errors show it.
func (m member) shown() string {
	if len(m.value) > maxShownValue {
		return strings.ToValidUTF8(string(m.value[:maxShownValue]), "") + "…"
	}
	return string(m.value)
}

// members returns the members of an object, in order. One that comes twice is an error.
func members(b []byte) (list []member, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.Join(errors.New("it is no JSON object"), unless(err, io.EOF))
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: t.(string)} // Token returns no other key
		if seen[m.name] {
			return nil, fmt.Errorf("the member %q comes twice", m.name)
		}
		seen[m.name] = true
		if err := d.Decode(&m.value); err != nil {
			return nil, fmt.Errorf("%q: %w", m.name, err)
		}
		list = append(list, m)
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("there is more after the object")
	}
	return list, nil
}

// unless returns err, and nil if it is the other error.
func unless(err, other error) error {
	if errors.Is(err, other) {
		return nil
	}
	return err
}

// readField reads what a member of a schema says.
func readField(m member) (f Field, err error) {
	f = Field{Name: m.name}
	if m.value[0] != '{' {
		if f.Weight, err = readWeight(m); err != nil {
			return f, fmt.Errorf(`%w, or an object such as {"type": "number"}`, err)
		}
		return f, nil
	}
	list, err := members(m.value)
	if err != nil {
		return f, err
	}
	weight, search := -1, -1 // where the member is not there
	for _, m := range list {
		switch m.name {
		case "type":
			err = f.readType(m)
		case "weight":
			weight, err = readWeight(m)
		case "search":
			search, err = readBool(m)
		case "b":
			f.B, err = readB(m)
		case "language":
			f.Language, err = readLanguage(m)
		default:
			err = fmt.Errorf("there is no such member; want type, weight, b, language and search")
		}
		if err != nil {
			return f, fmt.Errorf("%q: %w", m.name, err)
		}
	}
	f.Weight, err = f.weightOf(weight, search)
	return f, err
}

// readType reads the type.
func (f *Field) readType(m member) error {
	var name string
	if err := json.Unmarshal(m.value, &name); err != nil || !slices.Contains(fieldTypes, FieldType(name)) {
		if name == "vector" {
			return errors.New(`"vector": a document has one vector, which is no field: Document.Vector, of Options.Vectors`)
		}
		return fmt.Errorf("%s is no type; want one of %s", m.shown(), typeNames())
	}
	if f.Type = FieldType(name); f.Type == TextField {
		f.Type = "" // two schemas that say the same are the same
	}
	return nil
}

func readWeight(m member) (int, error) {
	n, err := strconv.Atoi(string(m.value))
	if err != nil || n < 0 || n > MaxWeight {
		return 0, fmt.Errorf("%s is no weight; want a whole number of 0 to %d", m.shown(), MaxWeight)
	}
	return n, nil
}

func readB(m member) (*float64, error) {
	b, err := strconv.ParseFloat(string(m.value), 64)
	if err != nil || !(b >= 0 && b <= 1) {
		return nil, fmt.Errorf("%s; want a number of 0 to 1", m.shown())
	}
	return &b, nil
}

// readLanguage reads a language, and returns its name.
func readLanguage(m member) (string, error) {
	var name string
	if err := json.Unmarshal(m.value, &name); err != nil {
		return "", fmt.Errorf("%s is no language; want one such as \"de\", or \"auto\"", m.shown())
	}
	if name == AutoLanguage {
		return name, nil
	}
	name, err := text.LanguageNamed(name)
	if err != nil {
		return "", fmt.Errorf("%w, or \"auto\"", err)
	}
	return name, nil
}

// readBool reads true as 1 and false as 0.
func readBool(m member) (int, error) {
	switch string(m.value) {
	case "true":
		return 1, nil
	case "false":
		return 0, nil
	}
	return 0, fmt.Errorf("%s; want true or false", m.shown())
}

// weightOf returns the weight that the members say. An absent member is negative.
func (f *Field) weightOf(weight, search int) (int, error) {
	switch {
	case f.Type == StoredField && (weight > 0 || search > 0):
		return 0, errors.New(`a field of the type stored is not searched; want no "weight" and no "search", or another type`)
	case search == 0 && weight > 0:
		return 0, fmt.Errorf(`"search" is false and "weight" is %d; want one of them`, weight)
	case search > 0 && weight == 0:
		return 0, errors.New(`"search" is true and "weight" is 0; want one of them`)
	case weight >= 0:
		return weight, nil
	case search == 0 || f.Type != "" && search < 0:
		return 0, nil
	}
	return 1, nil
}

// WriteFields writes a schema as ReadFields reads it, a line for each field.
func WriteFields(w io.Writer, list []Field) error {
	var b bytes.Buffer
	for i, f := range list {
		name, err := json.Marshal(f.Name)
		if err != nil {
			return err
		}
		says, err := json.Marshal(f.says())
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s\n  %s: %s", comma(i), name, says)
	}
	_, err := fmt.Fprintf(w, "{%s\n}\n", b.Bytes())
	return err
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

// says returns the value of a field's member.
func (f *Field) says() any {
	plain := f.Type == "" || f.Type == TextField
	if plain && f.B == nil && f.Language == "" {
		return f.Weight
	}
	said := map[string]any{}
	if f.Type != "" {
		said["type"] = f.Type
	}
	if f.Weight > 0 != plain || f.Weight > 1 {
		said["weight"] = f.Weight
	}
	if f.B != nil {
		said["b"] = *f.B
	}
	if f.Language != "" {
		said["language"] = f.Language
	}
	return said
}
