package source

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// maxMacro is how many bytes the text of a name of BibTeX's @string has, as each use repeats it.
const maxMacro = 128

// verbatim are fields of BibTeX that LaTeX does not read.
var verbatim = map[string]bool{"url": true, "doi": true, "eprint": true, "file": true, "crossref": true}

// bibTeX reads a document an entry (Patashnik, BibTeXing, 1988). The key is the id, and the abstract
// is the text. Names are parted by a semicolon, as in other lists. Of two fields with one name the
// first counts, as for BibTeX.
func bibTeX(r *reader, name string, in io.Reader) {
	data, err := readAll(in, r.MaxFile)
	if err != nil {
		r.bad(name, 0, err)
		return
	}
	s, err := decode(data)
	if err != nil {
		r.bad(name, 0, err)
		return
	}
	b := bibliography{s: s, macros: map[string]string{
		"jan": "January", "feb": "February", "mar": "March", "apr": "April", "may": "May", "jun": "June", "jul": "July",
		"aug": "August", "sep": "September", "oct": "October", "nov": "November", "dec": "December",
	}}
	for n, e := range b.entries() {
		if r.stopped {
			return
		}
		if e.err != nil {
			r.bad(name, e.line, e.err)
			continue
		}
		r.record(name, e.line, n+1, e.record())
	}
}

// A bibliography is a file of BibTeX that was read up to a place.
type bibliography struct {
	s      string
	at     int
	macros map[string]string
	byKey  map[string]*bibEntry // the first with each key, in small letters
}

// A bibEntry is one entry.
type bibEntry struct {
	line      int
	kind, key string
	members   map[string]string
	err       error // of an entry that cannot be read
}

// entries reads all entries. An entry inherits fields of a later one.
func (b *bibliography) entries() (list []*bibEntry) {
	lines := lineCounter{data: []byte(b.s), line: 1}
	b.byKey = map[string]*bibEntry{}
	for b.seek() {
		line := lines.at(int64(b.at))
		e, err := b.entry()
		if err != nil {
			e = &bibEntry{err: err}
		}
		if e == nil {
			continue
		}
		e.line = line
		list = append(list, e)
		if key := strings.ToLower(e.key); key != "" && b.byKey[key] == nil {
			b.byKey[key] = e
		}
	}
	inherited := make([]map[string]string, len(list))
	for i, e := range list {
		inherited[i] = b.inherited(e)
	}
	for i, e := range list {
		maps.Copy(e.members, inherited[i])
	}
	return list
}

// seek goes to the next entry. Text between entries is a comment.
func (b *bibliography) seek() bool {
	for {
		i := strings.IndexByte(b.s[b.at:], '@')
		if i < 0 {
			return false
		}
		b.at += i
		if head(b.s[b.at:]) > 0 {
			return true
		}
		b.at++
	}
}

// maxKind is how many bytes the kind of an entry has at most, with the space around it.
const maxKind = 64

// head is the length of what an entry begins with, such as "@article{", or 0.
func head(s string) int {
	s = s[:min(len(s), maxKind)]
	i := strings.IndexAny(s, "{(")
	if i < 0 || !strings.HasPrefix(s, "@") {
		return 0
	}
	kind := strings.TrimSpace(s[1:i])
	if kind == "" || strings.ContainsFunc(kind, func(r rune) bool { return !unicode.IsLetter(r) && r != '_' }) {
		return 0
	}
	return i + 1
}

var errOpen = errors.New("the entry has no end; want a closing brace before the next entry")

// entry reads an entry. What is no document gives nil.
func (b *bibliography) entry() (*bibEntry, error) {
	n := head(b.s[b.at:])
	kind := strings.ToLower(strings.TrimSpace(b.s[b.at+1 : b.at+n-1]))
	end := byte('}')
	if b.s[b.at+n-1] == '(' {
		end = ')'
	}
	b.at += n
	switch kind {
	case "comment", "preamble":
		_, _ = b.braced(end) // one without an end ends before the next entry
		return nil, nil
	case "string":
		return nil, b.fields(end, func(name, value string) error {
			if len(value) > maxMacro {
				return fmt.Errorf("the string %.40q has %d bytes; want at most %d", name, len(value), maxMacro)
			}
			b.macros[name] = value
			return nil
		})
	}
	members := map[string]string{}
	key := strings.TrimSpace(b.until(",\n" + string(end)))
	if strings.ContainsAny(key, "{}\"= \t") {
		return nil, fmt.Errorf("the key is %.40q; want one word, and a comma after it", key)
	}
	if b.skipped(',') {
		b.at++
	}
	err := b.fields(end, func(name, value string) error {
		if _, twice := members[name]; !twice {
			members[name] = fieldText(name, value)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &bibEntry{kind: kind, key: key, members: members}, nil
}

// ownFields are fields that say of an entry what is not true of its parts.
var ownFields = map[string]bool{
	"abstract": true, "annote": true, "crossref": true, "doi": true, "eprint": true, "file": true, "id": true,
	"isbn": true, "note": true, "pages": true, "text": true, "title": true, "type": true, "url": true,
}

// maxInherited is how many bytes an entry inherits, as any number of entries may inherit one field.
const maxInherited = 4 << 10

// inherited returns the fields that an entry lacks and that the entry has which its crossref names.
// The title of that entry is the booktitle. An entry inherits only what the other says itself, as
// in BibTeX.
func (b *bibliography) inherited(e *bibEntry) map[string]string {
	from := b.byKey[strings.ToLower(e.members["crossref"])]
	if from == nil || from == e {
		return nil
	}
	fields, left := map[string]string{}, maxInherited
	add := func(name, value string) {
		if _, has := e.members[name]; !has && value != "" && len(value) <= left {
			fields[name] = value
			left -= len(value)
		}
	}
	add("booktitle", cmp.Or(from.members["booktitle"], from.members["title"]))
	for _, name := range slices.Sorted(maps.Keys(from.members)) {
		if !ownFields[name] && name != "booktitle" {
			add(name, from.members[name])
		}
	}
	return fields
}

// record makes the members of a record: the key is the id, and the abstract the text.
func (e *bibEntry) record() map[string]string {
	members := e.members
	if abstract, ok := members["abstract"]; ok && members["text"] == "" {
		members["text"] = abstract
		delete(members, "abstract")
	}
	if members["type"] == "" {
		members["type"] = e.kind
	}
	delete(members, "_id")
	delete(members, "doc_id")
	members["id"] = e.key
	return members
}

// fieldText is the text of a field. In a list of names, "and" parts them.
func fieldText(name, value string) string {
	if verbatim[name] {
		return squeeze(strings.NewReplacer(`\_`, "_", `\%`, "%", `\&`, "&", `\#`, "#", "{", "", "}", "").Replace(value))
	}
	if name != "author" && name != "editor" {
		return latexText(value)
	}
	var names []string
	depth, from := 0, 0
	value = squeeze(value)
	for i := range len(value) {
		switch {
		case value[i] == '{':
			depth++
		case value[i] == '}':
			depth--
		case depth == 0 && strings.HasPrefix(value[i:], " and "):
			names = append(names, latexText(value[from:i]))
			from = i + len(" and ")
		}
	}
	return strings.Join(append(names, latexText(value[min(from, len(value)):])), "; ")
}

// fields reads the fields of an entry and its end.
func (b *bibliography) fields(end byte, do func(name, value string) error) error {
	for {
		for b.skipped(',') {
			b.at++
		}
		if b.skipped(end) {
			b.at++
			return nil
		}
		if b.at == len(b.s) || head(b.s[b.at:]) > 0 {
			return errOpen
		}
		name := strings.ToLower(strings.TrimSpace(b.until("=,@{}()\"\n")))
		if name == "" || len(name) > maxColumn || !b.skipped('=') {
			return fmt.Errorf("a field begins with %.40q; want a name and \"=\"", name+b.s[b.at:min(len(b.s), b.at+20)])
		}
		b.at++
		value, err := b.value(name, end)
		if err == nil {
			err = do(name, value)
		}
		if err != nil {
			return err
		}
	}
}

// value reads a value: pieces joined by "#", each in braces or quotes, a number or a name of @string.
func (b *bibliography) value(field string, end byte) (string, error) {
	var value strings.Builder
	for {
		switch {
		case b.skipped('{'):
			b.at++
			piece, err := b.braced('}')
			if err != nil {
				return "", err
			}
			value.WriteString(piece)
		case b.skipped('"'):
			b.at++
			piece, err := b.braced('"')
			if err != nil {
				return "", err
			}
			value.WriteString(piece)
		default:
			word := strings.TrimSpace(b.until(",#@{}()\"=\n" + string(end)))
			if word == "" {
				return "", fmt.Errorf("the field %.40q has no value; want braces, quotes, a number or a name", field)
			}
			if text, ok := b.macros[strings.ToLower(word)]; ok {
				word = text
			}
			value.WriteString(word)
		}
		if !b.skipped('#') {
			return value.String(), nil
		}
		b.at++
	}
}

// braced reads up to a closing mark outside of braces. A line that begins as an entry does is the end
// of what has no closing mark, so that a missing brace costs one entry.
func (b *bibliography) braced(end byte) (string, error) {
	depth := 0
	for from := b.at; b.at < len(b.s); b.at++ {
		switch c := b.s[b.at]; {
		case c == end && depth == 0:
			b.at++
			return b.s[from : b.at-1], nil
		case c == '\\' && b.at+1 < len(b.s) && strings.IndexByte("{}\\", b.s[b.at+1]) >= 0:
			b.at++
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == '\n' && head(b.s[b.at+1:]) > 0:
			b.at++
			return "", errOpen
		}
	}
	return "", errOpen
}

// until reads up to one of some characters.
func (b *bibliography) until(chars string) string {
	from := b.at
	for b.at < len(b.s) && strings.IndexByte(chars, b.s[b.at]) < 0 {
		b.at++
	}
	return b.s[from:b.at]
}

// skipped skips white space and reports whether c follows it.
func (b *bibliography) skipped(c byte) bool {
	for b.at < len(b.s) && strings.IndexByte(" \t\r\n", b.s[b.at]) >= 0 {
		b.at++
	}
	return b.at < len(b.s) && b.s[b.at] == c
}
