package source

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"
)

// A recordID finds the id of a line of JSON without its values. It goes over the bytes once,
// and knows an id only of a line that object reads without an error. Of what is rare, such as a name
// with a backslash, it knows none, and the line is read in full.
type recordID struct {
	data []byte
	at   int
	keys [][]byte // at the top
}

const (
	maxScanKeys  = 64 // at the top of an object
	maxScanDepth = 32
)

// idOf returns the id of the record that a line is, and whether it is known. n is the number of the
// record in the file of the name.
func (s *recordID) idOf(data []byte, name string, n int) (id string, ok bool) {
	s.data, s.at, s.keys = data, 0, s.keys[:0]
	if !utf8.Valid(data) {
		return "", false
	}
	found := len(idNames) // the place of the name that was met and comes first
	var raw []byte
	s.space()
	if !s.take('{') {
		return "", false
	}
	for s.space(); !s.take('}'); {
		key, value, ok := s.member()
		if !ok {
			return "", false
		}
		i := slices.IndexFunc(idNames, func(name string) bool { return name == string(key) })
		if i >= 0 && i < found && !bytes.Equal(value, []byte("null")) {
			found, raw = i, value
		}
		if s.space(); s.take(',') {
			s.space()
			if s.at < len(data) && data[s.at] == '}' {
				return "", false
			}
		} else if s.at == len(data) || data[s.at] != '}' {
			return "", false
		}
	}
	if s.space(); s.at < len(data) {
		return "", false
	}
	if raw == nil {
		return fmt.Sprintf("%s#%d", name, n), true
	}
	return plainID(raw)
}

// plainID is the text of a value that is a number, or a string without a backslash.
func plainID(raw []byte) (string, bool) {
	switch first := raw[0]; {
	case first == '"' && len(raw) > 2 && bytes.IndexByte(raw, '\\') < 0:
		return string(raw[1 : len(raw)-1]), true
	case first == '-' || first >= '0' && first <= '9':
		return string(raw), true
	}
	return "", false // of an empty string the id is another one
}

// member reads a member of the object at the top.
func (s *recordID) member() (key, value []byte, ok bool) {
	begin := s.at
	if !s.text() {
		return nil, nil, false
	}
	key = s.data[begin+1 : s.at-1]
	if bytes.IndexByte(key, '\\') >= 0 || len(s.keys) == maxScanKeys {
		return nil, nil, false
	}
	for _, other := range s.keys {
		if bytes.Equal(other, key) {
			return nil, nil, false
		}
	}
	s.keys = append(s.keys, key)
	if s.space(); !s.take(':') {
		return nil, nil, false
	}
	s.space()
	begin = s.at
	ok = s.value(0)
	return key, s.data[begin:s.at], ok
}

// space goes over white space.
func (s *recordID) space() {
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

// take goes over a byte, if it is the next one.
func (s *recordID) take(b byte) bool {
	if s.at < len(s.data) && s.data[s.at] == b {
		s.at++
		return true
	}
	return false
}

// value goes over a value.
func (s *recordID) value(depth int) bool {
	if s.at == len(s.data) || depth > maxScanDepth {
		return false
	}
	switch s.data[s.at] {
	case '"':
		return s.text()
	case '{':
		return s.list('}', depth, func() bool {
			if !s.text() {
				return false
			}
			s.space()
			return s.take(':')
		})
	case '[':
		return s.list(']', depth, func() bool { return true })
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	return s.number()
}

// list goes over an array or an object, whose values follow what head goes over.
func (s *recordID) list(end byte, depth int, head func() bool) bool {
	s.at++
	if s.space(); s.take(end) {
		return true
	}
	for {
		if s.space(); !head() {
			return false
		}
		if s.space(); !s.value(depth + 1) {
			return false
		}
		if s.space(); s.take(end) {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

func (s *recordID) word(w string) bool {
	if !bytes.HasPrefix(s.data[s.at:], []byte(w)) {
		return false
	}
	s.at += len(w)
	return true
}

// number goes over a number of JSON.
func (s *recordID) number() bool {
	s.take('-')
	if !s.take('0') && s.digits() == 0 {
		return false
	}
	if s.take('.') && s.digits() == 0 {
		return false
	}
	if s.take('e') || s.take('E') {
		if !s.take('+') {
			s.take('-')
		}
		return s.digits() > 0
	}
	return true
}

func (s *recordID) digits() (n int) {
	for s.at < len(s.data) && s.data[s.at] >= '0' && s.data[s.at] <= '9' {
		s.at++
		n++
	}
	return n
}

// special are the bytes of a string that are not themselves: its end, a backslash, and control
// characters, which JSON does not allow.
var special = func() (list [256]bool) {
	list['"'], list['\\'] = true, true
	for i := range 0x20 {
		list[i] = true
	}
	return list
}()

// text goes over a string without half a surrogate pair and U+0000. It does not know pairs.
func (s *recordID) text() bool {
	if !s.take('"') {
		return false
	}
	for data := s.data; ; {
		i := s.at
		for i < len(data) && !special[data[i]] {
			i++
		}
		s.at = i
		switch {
		case i+1 >= len(data) && (i == len(data) || data[i] != '"') || data[i] < 0x20:
			return false
		case data[i] == '"':
			s.at++
			return true
		}
		switch data[i+1] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			s.at += 2
		case 'u':
			if unit := escaped(data[i:]); unit <= 0 || unit >= 0xd800 && unit < 0xe000 {
				return false
			}
			s.at += 6
		default:
			return false
		}
	}
}
