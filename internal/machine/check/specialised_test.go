package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// TestSpecialised checks warps that meet at barriers by number, each at its own place of the code.
// The second init of an mbarrier that nobody has used is for the pedantic.
func TestSpecialised(t *testing.T) {
	t.Parallel()
	b := loadPTX(t, "specialised.ptx")
	for _, threads := range []int{64, 96, 128} {
		verdict(t, b.check("specialised", x(1), x(threads), Options{Orders: 4}, make([]uint32, 64)), silent)
	}
	r := advised(t, b, func(b *bench) result {
		return b.check("specialised", x(1), x(96), Options{Pedantic: true}, make([]uint32, 32))
	})
	for _, f := range r.Failures() {
		if f.Cause != report.LiveMbarrier || f.Level != report.Pedantic {
			t.Errorf("want the second init alone\n%v", r)
		}
	}
	if len(r.Failures()) != 1 {
		t.Errorf("%d findings, want one\n%v", len(r.Failures()), r)
	}
}

// TestBarrierPlaces checks at which barriers all threads have to be at one place: at number 0, by
// aligned instructions, and the lanes of a warp at every aligned one.
func TestBarrierPlaces(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "specialised.ptx"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		instruction string
		lanes       int // that go to the first place
		want        report.Kind
	}{
		{"bar.sync 0", 32, barrier},
		{"barrier.sync.aligned 0", 32, barrier},
		{"barrier.sync 0", 32, silent},
		{"barrier.sync 0", 40, silent},
		{"barrier.sync 1", 40, silent},
		{"bar.sync 1", 32, silent},
		{"bar.sync 1", 40, barrier},
		{"barrier.sync.aligned 15", 1, barrier},
		{"bar.sync 0, 64", 32, silent},
		{"bar.sync 3, 64", 32, silent},
	} {
		b := loadModule(t, "places.ptx", strings.ReplaceAll(string(text), "barrier.sync.aligned 0; // place", c.instruction+";"))
		for _, pedantic := range []bool{false, true} {
			r := advised(t, b, func(b *bench) result { return b.check("places", x(1), x(64), Options{Pedantic: pedantic}, c.lanes) })
			if verdict(t, r, c.want); t.Failed() {
				t.Fatal(c.instruction, c.lanes)
			}
		}
	}
}
