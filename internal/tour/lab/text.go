package lab

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// value is the value that an access of a finding read or left, as a number of the type of its object.
func value(b []byte, f *report.Finding) string {
	kind := ""
	if f.Object != nil {
		kind = f.Object.Type
	}
	switch {
	case kind == "float32" && len(b) == 4:
		return strconv.FormatFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 'g', -1, 32)
	case kind == "float64" && len(b) == 8:
		return strconv.FormatFloat(math.Float64frombits(binary.LittleEndian.Uint64(b)), 'g', -1, 64)
	case len(b) == 4 && strings.HasPrefix(kind, "u"):
		return strconv.FormatUint(uint64(binary.LittleEndian.Uint32(b)), 10)
	case len(b) == 4:
		return strconv.FormatInt(int64(int32(binary.LittleEndian.Uint32(b))), 10)
	case len(b) == 8:
		return strconv.FormatInt(int64(binary.LittleEndian.Uint64(b)), 10)
	}
	return fmt.Sprintf("%#x", b)
}

// maxSummary is how many values of a buffer a summary has.
const maxSummary = 8

// summary is the first values of the buffers that the launch changes.
func (r *Result) summary(l Launch) string {
	var parts []string
	for _, b := range r.Buffers {
		if len(b.Before) == len(b.After) && strings.Join(b.Before, " ") == strings.Join(b.After, " ") {
			continue
		}
		shown := b.After[:min(len(b.After), maxSummary)]
		text := b.Name + " = " + strings.Join(shown, " ")
		if b.Len > len(shown) {
			text += " …"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
