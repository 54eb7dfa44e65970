package report

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// TestMerge puts a finding of three launches together with another: in every order of the reports
// the result is the same.
func TestMerge(t *testing.T) {
	at := func(line int) Witness { return Witness{Func: "k", Source: event.Position{File: "k.go", Line: line}} }
	report := func(threads int, count uint64, orders []string, places ...Witness) *Report {
		return &Report{
			Launches: 1,
			Tools:    []ToolRun{{Racecheck, 10, 1}},
			Undone:   []string{"b", "a"}[:count%2],
			Findings: []*Finding{{
				Tool: Racecheck, Kind: Race, Kernel: "k", Grid: [3]int{1, 1, 1}, Block: [3]int{threads, 1, 1}, Witnesses: places,
				Count: count, Blocks: int(count), Orders: orders, Every: len(orders) == 2, Tests: []string{fmt.Sprint("test ", count)},
			}},
		}
	}
	both := []string{"ascending", "descending"}
	reports := []*Report{
		report(64, 2, both, at(1), at(2)),
		report(32, 3, both[1:], at(2), at(1)),
		report(96, 4, both, at(1), at(2)),
		report(8, 1, both, at(1), at(3)),
		{Launches: 5, Tools: []ToolRun{{Memcheck, 7, 0}}},
	}
	for range reports {
		reports = append(reports[1:], reports[0])
		m := Merge(reports...)
		if m.Launches != 9 || !reflect.DeepEqual(m.Tools, []ToolRun{{Memcheck, 7, 0}, {Racecheck, 40, 4}}) || !slices.Equal(m.Undone, []string{"b"}) {
			t.Errorf("the merged report is %+v", m)
		}
		if len(m.Findings) != 2 {
			t.Fatalf("%d findings, want 2", len(m.Findings))
		}
		one, two := m.Findings[0], m.Findings[1]
		if one.Witnesses[1].Source.Line != 3 {
			one, two = two, one
		}
		if one.Count != 1 || two.Count != 9 || two.Blocks != 4 || two.Block[0] != 32 || two.Every || !slices.Equal(two.Orders, both) {
			t.Errorf("the findings are %+v and %+v", one, two)
		}
		if want := []string{"test 2", "test 3", "test 4"}; !slices.Equal(two.Tests, want) {
			t.Errorf("the finding is of the tests %q, want %q", two.Tests, want)
		}
	}
	if reports[0].Findings[0].Count == 9 {
		t.Error("Merge changed a report")
	}
}
