package beam

import (
	"cmp"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"time"
)

// The classes of values of Options.Newest, rising. No value is the empty string.
const (
	textClass = 1 + iota
	dateClass
	numberClass
)

// ordered returns a value in a form whose bytes compare as values of Options.Newest do.
func ordered(value string) string {
	if value == "" {
		return ""
	}
	if f, err := strconv.ParseFloat(value, 64); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
		bits := math.Float64bits(f + 0) // -0 and 0 are equal
		if bits>>63 == 1 {
			bits = ^bits
		} else {
			bits |= 1 << 63
		}
		return string(binary.BigEndian.AppendUint64([]byte{numberClass}, bits))
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, value); err == nil {
			b := binary.BigEndian.AppendUint64([]byte{dateClass}, uint64(t.Unix())^1<<63)
			return string(binary.BigEndian.AppendUint32(b, uint32(t.Nanosecond())))
		}
	}
	return string(rune(textClass)) + value
}

// A place says how new a record is.
type place struct {
	newest string
	source int64
	file   string
	number int64
}

func (r *Record) place() place { return place{r.Newest, r.Source, r.File, r.Number} }

// compare is positive if p is newer than q.
func (p place) compare(q place) int {
	return cmp.Or(strings.Compare(p.newest, q.newest), cmp.Compare(p.source, q.source), strings.Compare(p.file, q.file), cmp.Compare(p.number, q.number))
}
