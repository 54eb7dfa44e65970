package lab

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/gridstride/gridstride/internal/tour/picture"
)

var update = flag.Bool("update", false, "write the goldens of the pictures anew")

// strided reads every eighth element, writes with conflicts of banks, and parts its lanes.
const strided = head + `//gpu:kernel block=40
func Strided(x, y []int32) {
	cache := gpu.Shared[[320]int32]()
	tid := gpu.ThreadIdx.X
	cache[tid*8] = x[tid*8]
	gpu.SyncThreads()
	if tid%2 == 0 {
		gpu.AtomicAdd(&y[0], cache[(39-tid)*8])
	}
}
`

// TestPictures holds the data of the pictures to goldens, and to what the counters count.
func TestPictures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text   string
		launch Launch
	}{
		"reduced": {reduced, Launch{Grid: []int{1}, Args: []string{"s32[64]=ramp", "s32[1]=zeros"}}},
		"strided": {strided, Launch{Grid: []int{2}, Args: []string{"s32[320]=ramp", "s32[1]=zeros"}}},
		"doubled": {doubled, doubledLaunch},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newLab().Compile(c.text).Run(t.Context(), c.launch, nil)
			if r.Error != "" {
				t.Fatal(r.Error)
			}
			holdToCounts(t, r)
			if name == "doubled" {
				r.Pictures.Accesses = nil // they are many, and like the others
			}
			text, err := json.MarshalIndent(r.Pictures, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			file := "testdata/" + name + ".json"
			if *update {
				if err := os.WriteFile(file, text, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(file); err != nil || !bytes.Equal(want, text) {
				t.Errorf("the pictures are not those of %s (%v): run go test -update, and look at what has changed", file, err)
			}
		})
	}
}

// holdToCounts compares pictures that leave nothing out with the counts of the same launch.
func holdToCounts(t *testing.T, r *Result) {
	t.Helper()
	if r.Pictures.Dropped != (picture.Dropped{}) {
		t.Fatalf("dropped %+v", r.Pictures.Dropped)
	}
	var ran, sectors, passes uint64
	for _, w := range r.Pictures.Warps {
		for _, s := range w.Spans {
			if !s.Waits {
				ran += uint64(s.Count)
			}
		}
	}
	for _, a := range r.Pictures.Accesses {
		if a.Space == "global" {
			sectors += uint64(a.Cost)
			if len(a.Groups) != a.Cost {
				t.Errorf("an access of line %d has %d sectors, and costs %d", a.Line, len(a.Groups), a.Cost)
			}
		} else {
			passes += uint64(a.Cost)
		}
	}
	if n := r.Total; ran != n.Instructions || sectors != n.GlobalSectors || passes != n.SharedPasses {
		t.Errorf("the pictures have %d instructions, %d sectors and %d passes; counted are %d, %d and %d", ran, sectors, passes,
			n.Instructions, n.GlobalSectors, n.SharedPasses)
	}
}

// TestBounds draws a launch that is too large to draw. The picture says how much it has dropped.
func TestBounds(t *testing.T) {
	t.Parallel()
	text := head + "//gpu:kernel block=64\nfunc K(x []int32) {\n\tfor i := range gpu.GridStride(len(x)) {\n\t\tx[i]++\n\t}\n}\n"
	r := newLab().Compile(text).Run(t.Context(), Launch{Grid: []int{200}, Args: []string{"s32[1000001]=ramp"}}, nil)
	p := r.Pictures
	if r.Error != "" || len(p.Warps) != picture.MaxWarps || p.Dropped.Warps != 400-picture.MaxWarps || len(p.Accesses) > picture.MaxAccesses ||
		p.Dropped.Accesses == 0 || p.Dropped.Instructions == 0 {
		t.Errorf("%s, %d warps, %+v dropped", r.Error, len(p.Warps), p.Dropped)
	}
	if got := r.Buffers[0]; got.Len != 1000001 || len(got.After) != MaxShown || got.After[5] != "6" {
		t.Errorf("%d values, %d shown", got.Len, len(got.After))
	}
}
