package report

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestLine writes a report in which nothing is zero, and reads it back.
func TestLine(t *testing.T) {
	t.Parallel()
	var want Report
	fill(t, reflect.ValueOf(&want).Elem(), new(int))
	for i := range want.Orders {
		want.Orders[i].Cause = nil // an error stays in the program
	}
	line := want.Line()
	if n := len(line); line[n-1] != '\n' {
		t.Errorf("the line does not end: %q", line)
	}
	var got Report
	if err := json.Unmarshal(line, &got); err != nil {
		t.Fatalf("%v in\n%s", err, line)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s\nis read as\n%+v, want\n%+v", line, got, want)
	}
	again, err := json.Marshal(want)
	if err != nil || string(again)+"\n" != string(line) {
		t.Errorf("encoding/json writes %s (%v)\nwant\n%s", again, err, line)
	}
}

// fill gives everything in v a different value.
func fill(t *testing.T, v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i), n)
		}
	case reflect.String:
		v.SetString("x" + string(rune(0x1d00+*n)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(-int64(*n))
	case reflect.Uint64:
		v.SetUint(1<<63 + uint64(*n))
	case reflect.Interface: // OrderRun.Cause
	default:
		t.Fatalf("reports have a field of type %v", v.Type())
	}
}

// TestLineOfZeros writes a report in which everything is zero, and texts that JSON cannot hold as
// they are.
func TestLineOfZeros(t *testing.T) {
	t.Parallel()
	for _, r := range []*Report{
		{},
		{Findings: []*Finding{{}, nil}, Tools: []ToolRun{}},
		{Undone: []string{"", "\"a\\b\"", "tab\tline\nnul\x00del\x7f", "µ…\U0001f600", "bad \xff\xc3 utf-8"}},
	} {
		line := r.Line()
		var got, want Report
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(line, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %+v (%v), want %+v", line, got, err, want)
		}
	}
}
