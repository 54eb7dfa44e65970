package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/gridstride/gridstride/similar/text"
)

// jsonFile reads an object as a record, or a list of objects as a record each.
func jsonFile(r *reader, name string, in io.Reader) {
	data, err := readAll(byteOrder(in), r.MaxFile)
	if err != nil {
		r.bad(name, 0, err)
		return
	}
	d := json.NewDecoder(bytes.NewReader(data))
	list := bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("["))
	if list {
		_, _ = d.Token() // the bracket
	}
	lines := lineCounter{data: data, line: 1}
	for n := 1; !r.stopped && (list && d.More() || !list && n == 1); n++ {
		var raw json.RawMessage
		if err := d.Decode(&raw); errors.Is(err, io.EOF) {
			r.bad(name, lines.at(int64(len(data))), errors.New("not JSON: it ends early"))
			return
		} else if err != nil {
			r.bad(name, lines.at(d.InputOffset()), fmt.Errorf("not JSON: %w", err))
			return
		}
		line := lines.at(d.InputOffset() - int64(len(raw)))
		if members, err := object(raw); err != nil {
			r.bad(name, line, err)
		} else {
			r.record(name, line, n, members)
		}
	}
	if r.stopped {
		return
	}
	if list {
		_, err = d.Token()
	}
	if _, more := d.Token(); err != nil || more != io.EOF {
		r.bad(name, lines.at(d.InputOffset()), errors.New("not JSON of one value; want an object, or a list of objects"))
	}
}

// A lineCounter counts the lines up to places of a text, which come in their order.
type lineCounter struct {
	data []byte
	from int64
	line int
}

func (l *lineCounter) at(offset int64) int {
	offset = max(l.from, min(offset, int64(len(l.data))))
	l.line += bytes.Count(l.data[l.from:offset], []byte("\n"))
	l.from = offset
	return l.line
}

// notebook reads the cells of a Jupyter notebook, of nbformat 4, without what they have put out
// (https://nbformat.readthedocs.io). The first heading of level 1 is the title.
func notebook(_ context.Context, data []byte, _ int64) (title, s string, err error) {
	if !utf8.Valid(data) {
		return "", "", text.Valid(string(data))
	}
	if half := loneSurrogate(data); half != "" {
		return "", "", fmt.Errorf("%s is half a surrogate pair: this is no text", half)
	}
	var book struct {
		Cells *[]struct {
			Type   string   `json:"cell_type"`
			Source cellText `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(data, &book); err != nil {
		return "", "", fmt.Errorf("not a notebook: %w", err)
	}
	if book.Cells == nil {
		return "", "", errors.New("no cells are in it; want a notebook of nbformat 4")
	}
	var b strings.Builder
	for _, c := range *book.Cells {
		for line := range strings.Lines(string(c.Source)) {
			if head, ok := strings.CutPrefix(line, "# "); ok && title == "" && c.Type == "markdown" {
				title = strings.TrimSpace(head)
				continue
			}
			b.WriteString(line)
		}
		b.WriteString("\n\n")
	}
	s = strings.TrimSpace(b.String())
	return title, s, checkText(title + s)
}

// cellText is a text in JSON: a string, or a list of lines with their ends.
type cellText string

// UnmarshalJSON implements json.Unmarshaler.
func (c *cellText) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(c))
	}
	var list []string
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	*c = cellText(strings.Join(list, ""))
	return nil
}
