package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/report"
)

// mapped is an argument that is a tensor map of memory.
type mapped struct {
	values any
	as     abi.TensorMap
}

// unmapped is an argument: a slice of the memory of the map before it, with this many elements.
type unmapped int

// ragged is a matrix in memory of the given number of elements. Its rows end within 16 bytes.
func ragged(elements int) mapped {
	return mapped{make([]float32, elements), abi.TensorMap{
		Type: abi.TensorFloat32, Dims: []uint64{30, 8}, Strides: []uint64{128}, Box: []uint32{32, 8},
	}}
}

// TestTensors is the conformance table of copies in bulk. The last argument of a kernel is the
// mistake, 0 for none.
func TestTensors(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "tensors")
	matrix := func(rows int) mapped {
		return mapped{make([]float32, 32*rows), abi.TensorMap{
			Type: abi.TensorFloat32, Dims: []uint64{32, uint64(rows)}, Strides: []uint64{128}, Box: []uint32{32, 8},
		}}
	}
	halves := mapped{make([]uint16, 64*192), abi.TensorMap{
		Type: abi.TensorBFloat16, Dims: []uint64{64, 192}, Strides: []uint64{128}, Box: []uint32{64, 64}, Swizzle: 128,
	}}
	narrow := matrix(9)
	narrow.as.Dims[0] = 16 // the other half of a box is outside
	beyond := matrix(9)
	beyond.as.Dims[1]++
	floats := func(n int) []float32 { return make([]float32, n) }
	for _, c := range []struct {
		kernel  string
		threads int
		args    []any
		way     int
		want    report.Kind
		cause   report.Cause
		more    bool // it has findings about mbarriers as well
	}{
		{"Load", 64, []any{matrix(9), floats(256)}, 0, silent, report.NoCause, false},
		{"Load", 64, []any{matrix(9), floats(256)}, 1, race, report.NoMbarrierWait, false},
		{"Load", 64, []any{matrix(9), floats(256)}, 2, barrier, report.PhaseNeverEnds, false},
		{"Load", 64, []any{matrix(9), floats(256)}, 3, barrier, report.PhaseNeverEnds, false},
		{"Load", 64, []any{matrix(9), floats(256)}, 4, barrier, report.NoMbarrier, false},
		{"Load", 64, []any{matrix(9), floats(256)}, 5, race, report.InitNotFenced, false},
		{"Load", 64, []any{matrix(9), floats(256)}, 5, silent, report.NoCause, false}, // for the pedantic alone
		{"Load", 64, []any{matrix(9), floats(256)}, 6, race, report.InitUnordered, false},
		{"Load", 64, []any{matrix(9), floats(256)}, 7, race, report.NoProxyFence, false},
		{"Load", 64, []any{matrix(9), floats(256)}, 8, report.Misaligned, report.NoCause, true},
		{"Load", 64, []any{matrix(9), floats(256)}, 9, outside, report.NoCause, true},
		{"Load", 64, []any{matrix(9), floats(256)}, 10, outside, report.NoCause, true},
		{"Load", 64, []any{matrix(9), floats(256)}, 11, race, report.WrongPhase, true},
		{"Load", 64, []any{beyond, floats(256)}, 0, outside, report.NoCause, true},
		{"Ring", 96, []any{matrix(44), floats(6 * 256)}, 0, silent, report.NoCause, false},
		{"Ring", 96, []any{matrix(44), floats(6 * 256)}, 1, race, report.NoMbarrierWait, true},
		{"Ring", 96, []any{matrix(44), floats(6 * 256)}, 2, race, report.NoCause, false},
		{"Ring", 96, []any{matrix(44), floats(6 * 256)}, 3, barrier, report.PhaseNeverEnds, false},
		{"Store", 64, []any{matrix(9)}, 0, silent, report.NoCause, false},
		{"Store", 64, []any{matrix(9)}, 1, race, report.NoProxyFence, false},
		{"Store", 64, []any{matrix(9)}, 2, race, report.NoCause, false},
		{"Store", 64, []any{matrix(9)}, 3, race, report.NoCopyWait, false},
		{"Store", 64, []any{matrix(9)}, 4, race, report.CopyNotCommitted, false},
		{"Store", 64, []any{matrix(9)}, 5, race, report.CopyAtExit, false},
		{"Store", 64, []any{narrow}, 6, silent, report.NoCause, false},
		{"Store", 64, []any{ragged(32 * 8)}, 0, silent, report.NoCause, false},
		{"Store", 64, []any{ragged(32*8 - 2)}, 0, outside, report.NoCause, false},
		{"Written", 64, []any{matrix(9), unmapped(256), floats(1)}, 0, silent, report.NoCause, false},
		{"Written", 64, []any{matrix(9), unmapped(256), floats(1)}, 1, race, report.NoCopyWait, false},
		{"Spread", 64, []any{matrix(9), floats(2 * 256)}, 0, silent, report.NoCause, false},
		{"Spread", 64, []any{matrix(9), floats(2 * 256)}, 1, race, report.InitUnordered, false},
		{"Spread", 64, []any{matrix(9), floats(2 * 256)}, 2, race, report.InitNotFenced, false},
		{"Spread", 64, []any{matrix(9), floats(2 * 256)}, 3, report.NoPeer, report.NoCause, false},
		{"Product", 128, []any{halves, floats(128)}, 0, silent, report.NoCause, false},
		{"Product", 128, []any{halves, floats(128)}, 1, race, report.NoMbarrierWait, false},
		{"Product", 128, []any{halves, floats(128)}, 2, race, report.FactorWritten, false},
		{"Product", 128, []any{halves, floats(128)}, 3, report.Misaligned, report.OtherSwizzle, false},
		{"Product", 128, []any{halves, floats(128)}, 4, silent, report.NoCause, false},
	} {
		t.Run(fmt.Sprint(c.kernel, c.way), func(t *testing.T) {
			b.tb = t
			grid := x(1)
			if c.kernel == "Spread" {
				grid = x(2)
			}
			o := Options{Budget: 100_000, Pedantic: c.kernel == "Load" && c.cause == report.InitNotFenced}
			run := func(b *bench) result { return b.check(c.kernel, grid, x(c.threads), o, append(c.args, c.way)...) }
			r := run(b)
			advise(t, b, r, run)
			if c.more {
				r.Findings = slices.DeleteFunc(r.Findings, func(f *report.Finding) bool { return f.Kind == barrier })
			}
			verdict(t, r, c.want)
			has := func(f *report.Finding) bool { return f.Cause == c.cause }
			if c.cause != report.NoCause && !slices.ContainsFunc(r.Failures(), has) {
				t.Errorf("no finding has cause %q\n%v", c.cause, r)
			}
			if text := r.String(); strings.Contains(text, "a multiple of 0") {
				t.Errorf("a finding tells nothing:\n%s", text)
			}
		})
	}
}

// TestStoreBehindRow shows the finding of a store of a box that leaves the memory after the last
// row.
func TestStoreBehindRow(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "tensors")
	r := b.check("Store", x(1), x(64), Options{}, ragged(32*8-2), 0)
	text := r.String()
	for _, part := range []string{
		"gpu.CpAsyncBulkTensorStore(m, tile[:], 0, 0)", "write of 16 bytes",
		"a store of a box writes 16 bytes at a time, also after the end of a row",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the report lacks %q:\n%s", part, text)
		}
	}
}
