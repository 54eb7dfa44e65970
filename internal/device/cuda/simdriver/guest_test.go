//go:build linux

package simdriver

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/device/cuda/driverapi"
)

// TestTable compares what is simulated with the table of the API: every function is there, and takes
// as many arguments as it has.
func TestTable(t *testing.T) {
	t.Parallel()
	names := map[string]driverapi.Function{}
	for _, f := range driverapi.Functions() {
		names[f.Name] = f
		if len(f.Args) > driverapi.MaxArgs {
			t.Errorf("%s has %d arguments", f.Name, len(f.Args))
		}
	}
	if len(names) != len(driverapi.Functions()) || !slices.IsSortedFunc(driverapi.Functions(), func(a, b driverapi.Function) int { return strings.Compare(a.Name, b.Name) }) {
		t.Errorf("the table has %d functions and %d names, want each once, sorted", len(driverapi.Functions()), len(names))
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
