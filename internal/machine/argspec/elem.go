package argspec

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/math/half"
)

// Elem is a type of scalars and of buffer elements, named as PTX names it.
type Elem struct {
	Name  string // "f32"
	Size  int    // bytes
	Dtype string // NumPy's name, "<f4"
	kind  kind
}

type kind uint8

const (
	unsigned kind = iota
	signed
	float
	untyped // bits: read as unsigned or signed, printed in hexadecimal
)

var elems = []Elem{
	{"u8", 1, "|u1", unsigned}, {"u16", 2, "<u2", unsigned}, {"u32", 4, "<u4", unsigned}, {"u64", 8, "<u8", unsigned},
	{"s8", 1, "|i1", signed}, {"s16", 2, "<i2", signed}, {"s32", 4, "<i4", signed}, {"s64", 8, "<i8", signed},
	{"b8", 1, "|u1", untyped}, {"b16", 2, "<u2", untyped}, {"b32", 4, "<u4", untyped}, {"b64", 8, "<u8", untyped},
	{"f16", 2, "<f2", float}, {"bf16", 2, "<V2", float}, {"f32", 4, "<f4", float}, {"f64", 8, "<f8", float},
}

// elemNames are the accepted types in an error.
const elemNames = "u8 u16 u32 u64, s8 s16 s32 s64 (or i8 …), b8 b16 b32 b64, f16 bf16 f32 f64"

// elemNamed finds a type by its name. i32 is another name of s32.
func elemNamed(name string) (Elem, bool) {
	if rest, ok := strings.CutPrefix(name, "i"); ok {
		name = "s" + rest
	}
	for _, e := range elems {
		if e.Name == name {
			return e, true
		}
	}
	return Elem{}, false
}

// elemOfDtype finds the type that an array's elements have on the device: bools are bits there.
func elemOfDtype(dtype string) (Elem, bool) {
	if dtype == "|b1" {
		return elemNamed("b8")
	}
	for _, e := range elems {
		if e.Dtype == dtype && e.kind != untyped {
			return e, true
		}
	}
	return Elem{}, false
}

// parse returns the bits of a value written as text.
func (e Elem) parse(text string) (uint64, error) {
	width := 8 * e.Size
	var bits uint64
	var err error
	switch {
	case e.Name == "f16":
		var h uint16
		h, err = half.F16Parse(text)
		bits = uint64(h)
	case e.Name == "bf16":
		var h uint16
		h, err = half.BF16Parse(text)
		bits = uint64(h)
	case e.kind == float:
		var v float64
		v, err = strconv.ParseFloat(text, width)
		bits = e.ofFloat(v)
	case e.kind == signed, e.kind == untyped && strings.HasPrefix(text, "-"):
		var v int64
		v, err = strconv.ParseInt(text, 0, width)
		bits = uint64(v)
	default:
		bits, err = strconv.ParseUint(text, 0, width)
	}
	if err == nil {
		return bits, nil
	}
	if err.(*strconv.NumError).Err == strconv.ErrRange {
		return 0, fmt.Errorf("%s does not fit %s", text, e.Name)
	}
	return 0, fmt.Errorf("%q is not a value of type %s", text, e.Name)
}

// ofInt is the bits of an integer as a value of the type. Integers that do not fit wrap.
func (e Elem) ofInt(v int) uint64 {
	if e.kind == float {
		return e.ofFloat(float64(v))
	}
	return uint64(v)
}

func (e Elem) ofFloat(v float64) uint64 {
	switch e.Name {
	case "f16":
		return uint64(half.F16Nearest(v))
	case "bf16":
		return uint64(half.BF16Nearest(v))
	case "f32":
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

// put stores the low bytes of bits as element i of b.
func (e Elem) put(b []byte, i int, bits uint64) {
	switch e.Size {
	case 1:
		b[i] = byte(bits)
	case 2:
		binary.LittleEndian.PutUint16(b[2*i:], uint16(bits))
	case 4:
		binary.LittleEndian.PutUint32(b[4*i:], uint32(bits))
	default:
		binary.LittleEndian.PutUint64(b[8*i:], bits)
	}
}

// Format is element i of b as text.
func (e Elem) Format(b []byte, i int) string {
	var word [8]byte
	copy(word[:], b[i*e.Size:(i+1)*e.Size])
	bits := binary.LittleEndian.Uint64(word[:])
	switch {
	case e.Name == "f16":
		return strconv.FormatFloat(half.F16Shortest(uint16(bits)), 'g', -1, 64)
	case e.Name == "bf16":
		return strconv.FormatFloat(half.BF16Shortest(uint16(bits)), 'g', -1, 64)
	case e.kind == float && e.Size == 4:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 32)
	case e.kind == float:
		return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
	case e.kind == signed:
		unused := 64 - 8*e.Size
		return strconv.FormatInt(int64(bits<<unused)>>unused, 10)
	case e.kind == untyped:
		return fmt.Sprintf("0x%0*x", 2*e.Size, bits)
	}
	return strconv.FormatUint(bits, 10)
}

// Value is the value that b holds, as a Go value of the type. bits are an unsigned integer, those
// of f16 and bf16 too.
func (e Elem) Value(b []byte) any {
	var word [8]byte
	copy(word[:], b[:e.Size])
	bits := binary.LittleEndian.Uint64(word[:])
	switch e.Name {
	case "f32":
		return math.Float32frombits(uint32(bits))
	case "f64":
		return math.Float64frombits(bits)
	case "s8":
		return int8(bits)
	case "s16":
		return int16(bits)
	case "s32":
		return int32(bits)
	case "s64":
		return int64(bits)
	case "u8", "b8":
		return uint8(bits)
	case "u16", "b16", "f16", "bf16":
		return uint16(bits)
	case "u32", "b32":
		return uint32(bits)
	}
	return bits
}
