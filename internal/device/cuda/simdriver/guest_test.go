//go:build linux

package simdriver

import (
	"reflect"
	"slices"
	"testing"
)

// TestTable compares what is simulated with the table of the API: every function is there, and takes
// as many arguments as it has.
func TestTable(t *testing.T) {
	t.Parallel()
	names := map[string]Function{}
	for _, f := range Functions() {
		names[f.Name] = f
		if len(f.Args) > MaxArgs {
			t.Errorf("%s has %d arguments", f.Name, len(f.Args))
		}
	}
	if len(names) != len(Functions()) || !slices.IsSortedFunc(Functions(), func(a, b Function) int { return compareNames(a.Name, b.Name) }) {
		t.Errorf("the table has %d functions and %d names, want each once, sorted", len(Functions()), len(names))
	}
	d := newDriver(Config{Devices: 1})
	for name, f := range d.table {
		want, ok := names[name]
		if got := reflect.TypeOf(f).NumIn(); !ok || got != len(want.Args) {
			t.Errorf("%s: takes %d arguments, and the table has %q", name, got, want.Args)
		}
	}
	t.Logf("%d of %d functions are simulated", len(d.table), len(names))
}

func compareNames(a, b string) int {
	if a < b {
		return -1
	}
	return 1
}
