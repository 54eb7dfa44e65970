package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// TestWarpgroups checks what warps of sm_90 do as a whole: elections, and the registers of a
// warpgroup.
func TestWarpgroups(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "warpgroups")
	ints := func(n int) []int64 { return make([]int64, n) }
	for _, c := range []struct {
		kernel  string
		threads int
		args    []any
		want    report.Kind
	}{
		{"Elected", 64, []any{ints(1), 32}, silent},
		{"Elected", 33, []any{ints(1), 31}, silent},
		{"ElectedInBranch", 64, []any{ints(1), 32}, silent},
		{"ElectedInBranch", 64, []any{ints(1), 5}, warp},
		{"Roles", 256, []any{ints(128), 256}, silent},
		{"Roles", 256, []any{ints(128), 255}, warp},
		{"Shares", 384, []any{ints(384), 0}, silent},
		{"Shares", 384, []any{ints(384), 1}, barrier},
		{"Shares", 384, []any{ints(384), 2}, barrier},
		{"Shares", 384, []any{ints(384), 3}, warp},
		{"Shares", 384, []any{ints(384), 4}, warp},
		{"Shares", 384, []any{ints(384), 5}, warp},
		{"Shares", 384, []any{ints(384), 6}, silent},
		{"Takes", 384, []any{ints(384)}, barrier},
		{"Lends", 256, []any{ints(256)}, silent},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			b.tb = t
			run := func(b *bench) result { return b.check(c.kernel, x(1), x(c.threads), Options{}, c.args...) }
			r := run(b)
			advise(t, b, r, run)
			verdict(t, r, c.want)
		})
	}
}

// TestWarpgroupProducts checks the asynchronous reads and writes of products of warpgroups, with
// every mistake that a kernel can make.
func TestWarpgroupProducts(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "warpgroups")
	args := func(way any) []any {
		return []any{make([]uint16, 64*16+1), make([]uint16, 16*16), make([]float32, 64*16), way}
	}
	for _, c := range []struct {
		kernel  string
		threads int
		args    []any
		want    report.Kind
		cause   report.Cause
	}{
		{"Product", 128, args(0), silent, ""},
		{"Product", 128, args(1), race, report.NoProxyFence},
		{"Product", 128, args(3), silent, ""},
		{"Product", 128, args(4), warp, ""},
		{"Product", 96, args(0), warp, ""},
		{"Product", 128, args(5), race, report.NoProductFence},
		{"Product", 128, args(6), silent, ""},
		{"Product", 128, args(7), race, report.NoProductFence},
		{"Product", 128, args(8), race, report.ProductNotCommitted},
		{"Product", 128, args(9), race, report.FactorWritten},
		{"Product", 128, args(10), race, report.SumInFlight},
		{"Product", 128, args(11), race, report.SumInFlight},
		{"Product", 128, args(2), race, ""},
		{"Product", 128, args(12), silent, ""},
		{"Released", 160, args(0), silent, ""},
		{"Released", 160, args(1), race, report.WaitTooLate},
		{"Released", 160, args(2), silent, ""},
		{"Released", 160, args(3), race, ""},
		{"Fragments", 128, append(args(2), 0), silent, ""},
		{"Fragments", 128, append(args(2), 1), race, report.SumInFlight},
		{"Offsets", 128, []any{make([]float32, 128), 256}, silent, ""},
		{"Offsets", 128, []any{make([]float32, 128), 512}, outside, ""},
		{"Neighbours", 128, []any{make([]float32, 128), 256, 0}, silent, ""},
		{"Neighbours", 128, []any{make([]float32, 128), 272, 0}, outside, ""},
		{"Neighbours", 128, []any{make([]float32, 128), 512, 0}, outside, ""},
		{"Neighbours", 128, []any{make([]float32, 128), 256, 256}, outside, ""},
		{"Neighbours", 128, []any{make([]float32, 128), 0, 1792}, silent, ""},
	} {
		t.Run(fmt.Sprint(c.kernel, c.args[len(c.args)-1], ", ", c.threads), func(t *testing.T) {
			b.tb = t
			run := func(b *bench) result { return b.check(c.kernel, x(1), x(c.threads), Options{}, c.args...) }
			r := run(b)
			advise(t, b, r, run)
			verdict(t, r, c.want)
			if f := r.Failures(); c.cause != "" && !slices.ContainsFunc(f, func(f *report.Finding) bool { return f.Cause == c.cause }) {
				t.Errorf("no finding has the cause %q: %v", c.cause, f)
			}
		})
	}
}

// TestWarpgroupWait checks a thread that hands over what all warps have read after the wait of one
// warp, as CUTLASS does: a race for the pedantic.
func TestWarpgroupWait(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "warpgroups")
	for _, c := range []struct {
		kernel       string
		threads, way int
	}{{"Product", 128, 12}, {"Released", 160, 2}} {
		for _, orders := range []int{1, 5} {
			args := []any{make([]uint16, 64*16), make([]uint16, 16*16), make([]float32, 64*16), c.way}
			verdict(t, b.check(c.kernel, x(1), x(c.threads), Options{Orders: orders}, args...), silent)
			verdict(t, advised(t, b, func(b *bench) result {
				return b.check(c.kernel, x(1), x(c.threads), Options{Orders: orders, Pedantic: true}, args...)
			}), race)
		}
	}
}

// TestUnwrittenFactors multiplies matrices with some rows and columns written, and uses a part of
// the product.
func TestUnwrittenFactors(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "warpgroups")
	for _, c := range []struct {
		kernel string
		args   []any
		want   report.Kind
	}{
		{"Rows", []any{64, 16, 64, 16, 0}, silent},
		{"Rows", []any{37, 16, 37, 16, 0}, silent},
		{"Rows", []any{37, 16, 38, 16, 0}, uninit},
		{"Rows", []any{64, 11, 64, 11, 0}, silent},
		{"Rows", []any{64, 11, 64, 12, 0}, uninit},
		{"Rows", []any{9, 3, 9, 3, 1}, silent},
		{"Rows", []any{9, 3, 10, 3, 1}, uninit},
		{"Rows", []any{9, 3, 9, 4, 1}, uninit},
		{"Rows", []any{33, 9, 33, 9, 2}, silent},
		{"Rows", []any{33, 9, 34, 9, 2}, uninit},
		{"Rows", []any{33, 9, 33, 10, 2}, uninit},
		{"Rows", []any{50, 1, 50, 1, 3}, silent},
		{"Rows", []any{50, 1, 51, 1, 3}, uninit},
		{"Again", []any{0}, silent},
		{"Again", []any{1}, uninit},
		{"UnwrittenA", []any{64, 64}, silent},
		{"UnwrittenA", []any{29, 29}, silent},
		{"UnwrittenA", []any{29, 30}, uninit},
	} {
		t.Run(fmt.Sprint(c.kernel, c.args), func(t *testing.T) {
			b.tb = t
			args := append([]any{make([]float32, 64*16)}, c.args...)
			verdict(t, advised(t, b, func(b *bench) result { return b.check(c.kernel, x(1), x(128), Options{}, args...) }), c.want)
		})
	}
}

// TestRegistersText looks at what is said of warps that wait for registers.
func TestRegistersText(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "warpgroups")
	text := b.check("Shares", x(1), x(384), Options{}, make([]int64, 384), 1).String()
	for _, want := range []string{
		"warps wait for registers that never come", "wait for registers at  warpgroups.go:", "gpu.SetMaxNRegInc(232)",
		"each has 168 registers and asks for 232; 32 of the registers given away are left; warps 0..3 have 48, warps 4..7 have 232",
		"32 threads (352..383)"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
}

// TestNeighboursText looks at what is said of a factor that runs out of its array.
func TestNeighboursText(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "warpgroups")
	text := b.check("Neighbours", x(1), x(128), Options{}, make([]float32, 128), 512, 0).String()
	for _, want := range []string{
		"OUT OF BOUNDS  A of a product, shared memory, past the end of x", "declared warpgroups.go:",
		"of x, which has 2048: they are of y", "gpu.WGMMA(&sum, gpu.MatrixOf(x[start/2:]"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
}

// TestRemoteFactors writes to factors of other blocks.
func TestRemoteFactors(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "warpgroups")
	for way, want := range []report.Kind{silent, race} {
		args := []any{make([]uint16, 64*16), make([]uint16, 16*16), make([]float32, 128), way}
		verdict(t, advised(t, b, func(b *bench) result { return b.check("Remote", x(2), x(128), Options{}, args...) }), want)
	}
}

// TestProductText looks at what is said of threads and products: who did what.
func TestProductText(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "warpgroups")
	args := []any{make([]uint16, 64*16+1), make([]uint16, 16*16), make([]float32, 64*16)}
	for way, want := range map[int][]string{
		1: {"no proxy fence between", "write             thread (", "asynchronous read thread ("},
		8: {"registers of a product in no group used", "product         thread ("},
		9: {"factor written while a product reads it", "reads in flight thread (", "write           thread ("},
	} {
		text := b.check("Product", x(1), x(128), Options{}, append(slices.Clone(args), way)...).String()
		for _, want := range want {
			if !strings.Contains(text, want) {
				t.Errorf("way %d: it lacks %q:\n%s", way, want, text)
			}
		}
		if strings.Contains(text, "0 threads") {
			t.Errorf("way %d names nobody:\n%s", way, text)
		}
	}
}
