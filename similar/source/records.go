package source

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/text"
)

// record hands on a record of a file as a document. n is its number in the file, from 1.
func (r *reader) record(name string, line, n int, members map[string]string) bool {
	d := documentOf(members)
	if d.ID == "" {
		d.ID = fmt.Sprintf("%s#%d", name, n)
	}
	return r.document(name, line, d)
}

// documentOf returns the document of a record, which may have no id. It takes the members.
func documentOf(members map[string]string) similar.Document {
	arXivMembers(members)
	d := similar.Document{ID: members["id"], Title: members["title"], Text: members["text"]}
	delete(members, "title")
	delete(members, "text")
	for _, name := range idNames {
		if id, ok := members[name]; ok {
			d.ID = id
			delete(members, name)
			break
		}
	}
	if len(members) > 0 {
		d.Fields = members
	}
	return d
}

// idNames are the members that may hold a record's id, the first that is there. MongoDB, Elasticsearch
// and BEIR write _id, and ir_datasets writes doc_id.
var idNames = []string{"id", "_id", "doc_id"}

// jsonLines reads a JSON object a line.
func jsonLines(r *reader, name string, in io.Reader) {
	b := bufio.NewReaderSize(byteOrder(in), 1<<16)
	n := 0
	var ids recordID
	var data []byte
	for line := 1; !r.stopped; line++ {
		var err error
		data, err = readLine(b, r.MaxFile, data)
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil && len(bytes.TrimSpace(data)) == 0 {
			continue
		}
		n++
		if r.Omit != nil && err == nil {
			if id, ok := ids.idOf(data, name, n); ok && r.Omit(id) {
				if err := r.ctx.Err(); err != nil {
					r.end(err)
				}
				continue
			}
		}
		var members map[string]string
		var broken *lineError
		if err == nil {
			members, err = object(data)
		} else if !errors.As(err, &broken) {
			r.bad(name, line, err) // the file cannot be read further
			return
		}
		if err != nil {
			r.bad(name, line, err)
		} else {
			r.record(name, line, n, members)
		}
	}
}

// keptLine is the most bytes of memory of a line that the next one uses again.
const keptLine = 1 << 20

// lineError is the error of a line after which the next one can be read.
type lineError struct{ error }

// readLine reads a line without its end, in the memory of the line before if there is room. Of one
// that is longer than limit it reads no more than that into memory, and its error is a lineError.
func readLine(b *bufio.Reader, limit int64, before []byte) (line []byte, err error) {
	line = before[:0]
	if cap(line) > keptLine {
		line = nil
	}
	long := false
	for {
		piece, err := b.ReadSlice('\n')
		if long = long || int64(len(line)+len(piece)) > limit+1; !long {
			line = append(line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (len(line) == 0 && !long || !errors.Is(err, io.EOF)):
			return nil, err
		case long:
			return nil, &lineError{tooLarge(limit)}
		}
		return bytes.TrimSuffix(line, []byte("\n")), nil
	}
}

// object reads a JSON object as names and texts. What JSON leaves to its readers is refused: a name
// that comes twice, half a surrogate pair, which is no character, and U+0000, which is no text.
func object(data []byte) (map[string]string, error) {
	if !utf8.Valid(data) { // encoding/json would replace it
		return nil, text.Valid(string(data))
	}
	if half := loneSurrogate(data); half != "" {
		return nil, fmt.Errorf("%s is half a surrogate pair: this is no text", half)
	}
	if err := checkObject(data); err != nil {
		return nil, fmt.Errorf("not a JSON object: %w", err)
	}
	members := map[string]string{}
	seen := map[string]bool{}
	d := json.NewDecoder(bytes.NewReader(data))
	token := func() json.Token {
		t, err := d.Token()
		if err != nil {
			panic("BUG: " + err.Error()) // checkObject has read it
		}
		return t
	}
	for token(); d.More(); { // after the brace
		name := token().(string)
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			panic("BUG: " + err.Error())
		}
		if seen[name] {
			return nil, fmt.Errorf("two members are named %q", name)
		}
		seen[name] = true
		s, ok := memberText(value)
		if err := cmp.Or(checkText(name), checkText(s)); err != nil {
			return nil, fmt.Errorf("member %.40q: %w", name, err)
		}
		if ok {
			members[name] = s
		}
	}
	return members, nil
}

// checkObject says where data is not one JSON object.
func checkObject(data []byte) error {
	var raw json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	if head := bytes.TrimLeft(data, " \t\r\n"); head[0] != '{' {
		return fmt.Errorf("it begins with %q", head[0])
	}
	return nil
}

// loneSurrogate returns the first escape of JSON text that is half a surrogate pair, or "". The
// replacement by which encoding/json would read it would hide it.
func loneSurrogate(data []byte) string {
	for i := 0; i+1 < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		first := escaped(data[i:])
		switch {
		case first < 0:
			i++ // another escape, such as a backslash
		case !utf16.IsSurrogate(first):
			i += 5
		case utf16.DecodeRune(first, escaped(data[i+6:])) == utf8.RuneError:
			return string(data[i : i+6])
		default:
			i += 11
		}
	}
	return ""
}

// escaped returns the code unit of the escape \uXXXX with which data begins, or -1.
func escaped(data []byte) rune {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(unit)
}

// memberText is the text of a JSON value: of a string itself, of an array of strings these joined,
// of another one its JSON; null has none.
func memberText(value json.RawMessage) (string, bool) {
	var s string
	var list []string
	switch {
	case bytes.Equal(value, []byte("null")):
		return "", false
	case value[0] == '"' && json.Unmarshal(value, &s) == nil:
		return s, true
	case value[0] == '[' && json.Unmarshal(value, &list) == nil:
		return strings.Join(list, "; "), true
	}
	var b bytes.Buffer
	if err := json.Compact(&b, value); err != nil {
		panic("BUG: " + err.Error()) // the decoder has read it
	}
	return b.String(), true
}

// table makes a form of rows whose columns a character parts. The first row names the columns.
func table(comma rune) form {
	return func(r *reader, name string, in io.Reader) {
		bound := &boundedReader{in: byteOrder(in), limit: r.MaxFile}
		c := csv.NewReader(bound)
		c.Comma, c.ReuseRecord = comma, true
		c.LazyQuotes = comma == '\t' // quotes mean nothing there
		head, err := c.Read()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				r.bad(name, 0, err)
			}
			return
		}
		err = decodeCells(head)
		var columns []string
		if err == nil {
			columns, err = columnNames(head)
		}
		if err != nil {
			r.bad(name, 1, err)
			return
		}
		next := 2 // the line where the next row begins
		for n := 1; !r.stopped; n++ {
			bound.read = 0
			row, err := c.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				parse, known := errors.AsType[*csv.ParseError](err)
				if !known {
					r.bad(name, next, err)
					return
				}
				next = parse.Line + 1
				r.bad(name, parse.Line, parse.Err)
				continue
			}
			line, _ := c.FieldPos(0)
			last, _ := c.FieldPos(len(row) - 1)
			next = last + strings.Count(row[len(row)-1], "\n") + 1
			if err := decodeCells(row); err != nil {
				r.bad(name, line, err)
				continue
			}
			members := make(map[string]string, len(row))
			for i, cell := range row {
				members[columns[i]] = strings.Clone(cell) // a row's cells share one string
			}
			r.record(name, line, n, members)
		}
	}
}

// decodeCells decodes a row: all cells have one encoding.
func decodeCells(row []string) error {
	joined := strings.Join(row, "\n")
	decoded, err := decodeNarrow(joined)
	if err != nil || decoded == joined {
		return err
	}
	for i, cell := range row {
		if row[i], err = charmap.Windows1252.NewDecoder().String(cell); err != nil {
			return err
		}
	}
	return nil
}

// maxColumn is the longest name of a column, in bytes: each row has it, however short the row is.
const maxColumn = 256

// columnNames returns the columns' names: those a document has itself in lower case.
func columnNames(head []string) ([]string, error) {
	names := make([]string, len(head))
	seen := map[string]bool{}
	for i, h := range head {
		names[i] = strings.TrimSpace(h)
		if len(names[i]) > maxColumn {
			return nil, fmt.Errorf("column %d has a name of %d bytes; want at most %d", i+1, len(names[i]), maxColumn)
		}
		if lower := strings.ToLower(names[i]); slices.Contains(idNames, lower) || lower == "title" || lower == "text" {
			names[i] = lower
		}
		if seen[names[i]] {
			return nil, fmt.Errorf("two columns are named %q", names[i])
		}
		seen[names[i]] = true
	}
	return names, nil
}

// boundedReader fails where more than limit bytes are read before read is set back to 0. A row may
// be read ahead of by the buffer of package csv.
type boundedReader struct {
	in          io.Reader
	read, limit int64
}

func (b *boundedReader) Read(p []byte) (int, error) {
	const ahead = 1 << 12
	if b.read > b.limit+ahead {
		return 0, tooLarge(b.limit)
	}
	n, err := b.in.Read(p)
	b.read += int64(n)
	return n, err
}
