package gputest_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/device/cuda/simdriver"
)

const standIn = "GRIDSTRIDE_TEST_STANDIN"

func init() {
	if os.Getenv(standIn) == "" {
		return
	}
	d, err := simdriver.Open(simdriver.Config{Devices: 1, Version: 13000, Memory: 1 << 30})
	if err != nil {
		panic(err)
	}
	cuda.UseStandIn(d)
}

// BenchmarkTime is run by TestTime.
func BenchmarkTime(b *testing.B) {
	dev := gputest.Device(b)
	x, err := gridstride.Make[int32](dev, 1000)
	if err != nil {
		b.Fatal(err)
	}
	defer x.Free()
	calls := 0
	gputest.Time(b, dev.Stream(), func() error { calls++; return x.Zero(dev.Stream()) })
	b.ReportMetric(float64(calls-b.N), "warm-up")
}

// TestTime reports the device's time on the backend of GPUs, after one call to warm up, and on the
// simulator none.
func TestTime(t *testing.T) {
	t.Parallel()
	for device, want := range map[string]string{
		"sim":  `BenchmarkTime\S*\s+7\s+\S+ ns/op\s+0 warm-up\n`,
		"cuda": `BenchmarkTime\S*\s+7\s+\S+ ns/op\s+[0-9.]*[1-9][0-9.]* device-ns/op\s+1(\.000)? warm-up\n`,
	} {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$", "-test.bench=^BenchmarkTime$", "-test.benchtime=7x")
		c.Env = append(os.Environ(), "GRIDSTRIDE_DEVICE="+device)
		if device == "cuda" {
			c.Env = append(c.Env, standIn+"=1")
		}
		out, err := c.CombinedOutput()
		if err != nil || !regexp.MustCompile(want).Match(out) {
			t.Errorf("%s: %v\n%s, want a line like %s", device, err, strings.TrimSpace(string(out)), want)
		}
	}
}
