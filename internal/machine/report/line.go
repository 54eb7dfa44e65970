package report

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Line is the report as one line of JSON. Any program that opens a simulated device may have to
// write one, so this is written without encoding/json, which would make such programs larger.
// Whoever reads the line uses that package.
func (r *Report) Line() []byte { return append(appendJSON(nil, reflect.ValueOf(r)), '\n') }

// appendJSON appends a value as encoding/json writes it, by the same tags. It knows the types that
// reports are made of.
func appendJSON(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return append(b, "null"...)
		}
		return appendJSON(b, v.Elem())
	case reflect.Struct:
		b = append(b, '{')
		return append(appendFields(b, v), '}')
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			return append(b, "null"...)
		}
		b = append(b, '[')
		for i := range v.Len() {
			b = appendJSON(appendComma(b), v.Index(i))
		}
		return append(b, ']')
	case reflect.String:
		return appendString(b, v.String())
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool())
	case reflect.Int, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10)
	case reflect.Uint64:
		return strconv.AppendUint(b, v.Uint(), 10)
	}
	panic(fmt.Sprintf("BUG: reports have no values of type %v", v.Type()))
}

// appendFields appends the fields of a struct, including an embedded struct's fields.
func appendFields(b []byte, v reflect.Value) []byte {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, option, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "" && field.Anonymous:
			b = appendFields(b, v.Field(i))
		case name == "":
			panic("BUG: a field of reports has no JSON name: " + field.Name)
		case name != "-" && !(option == "omitempty" && isEmpty(v.Field(i))):
			b = append(appendString(appendComma(b), name), ':')
			b = appendJSON(b, v.Field(i))
		}
	}
	return b
}

func isEmpty(v reflect.Value) bool {
	if v.Kind() == reflect.Slice {
		return v.Len() == 0
	}
	return v.Kind() != reflect.Struct && v.IsZero()
}

// appendComma parts a value from the one before it.
func appendComma(b []byte) []byte {
	if last := b[len(b)-1]; last == '{' || last == '[' {
		return b
	}
	return append(b, ',')
}

// appendString appends a string in quotes. What is no UTF-8 becomes the character that stands for
// that, as JSON has nothing else.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ':
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
