package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/machine/profile"
	"github.com/gridstride/gridstride/internal/proof/bench"
	"github.com/gridstride/gridstride/internal/tools/atomicfile"
)

// measuredLimits is the name of the limits that are measured.
const measuredLimits = "measured"

// checkDevice refuses the name of a device that is not known.
func checkDevice(name string) error {
	if name == "" || name == measuredLimits || filepath.Ext(name) == ".json" {
		return nil
	}
	if _, ok := profile.Published[name]; !ok {
		return usagef("--device %s: want %s, %s or a file.json with limits", name,
			strings.Join(slices.Sorted(maps.Keys(profile.Published)), ", "), measuredLimits)
	}
	return nil
}

// limitsOf are the limits of a device: published, of a file, or measured.
func limitsOf(ctx context.Context, name string) (*profile.Limits, error) {
	switch l, published := profile.Published[name]; {
	case published:
		return &l, nil
	case name == measuredLimits:
		return measureLimits(ctx)
	}
	return readLimits(name)
}

// readLimits reads limits that were kept.
func readLimits(name string) (*profile.Limits, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const most = 1 << 16
	d := json.NewDecoder(io.LimitReader(f, most))
	d.DisallowUnknownFields()
	l := &profile.Limits{}
	if err := d.Decode(l); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, v := range []float64{l.Memory, l.Float32, l.Float64, l.Half, l.Tensor16, l.TensorTF32, l.Tensor8, l.Tensor64} {
		if v < 0 {
			return nil, fmt.Errorf("%s: a limit is %g; want 0 or more a second", name, v)
		}
	}
	if l.Memory == 0 || l.Device == "" {
		return nil, fmt.Errorf(`%s: want limits like {"device": "my GPU", "source": "…", "memory": 3e12, "float32": 6e13}`, name)
	}
	return l, nil
}

// notInFile finds what no name of a file should have.
var notInFile = regexp.MustCompile(`[^A-Za-z0-9]+`)

// measureLimits measures the GPU on which programs run, and keeps what it found in the user's cache,
// and looks there first. Of a GPU whose limits are published, it takes from there what it does not measure.
func measureLimits(ctx context.Context) (*profile.Limits, error) {
	dev, err := gridstride.Open()
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	info := dev.Info()
	if info.Backend == "sim" {
		return nil, fmt.Errorf("--device measured: there is no GPU here to measure (%s): name one, such as h100", info.Why)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(cache, "gridstride", "limits", notInFile.ReplaceAllString(info.Name, "-")+".json")
	if kept, err := readLimits(file); err == nil {
		return kept, nil
	}
	rates, err := bench.MeasureRates(ctx, dev)
	if err != nil {
		return nil, err
	}
	l := &profile.Limits{Source: "measured"}
	for name, p := range profile.Published {
		if strings.Contains(strings.ToLower(info.Name), name) {
			p.Source = "memory, float32 and float64 measured, the rest: " + p.Source
			l = &p
		}
	}
	l.Device, l.Memory, l.Float32, l.Float64 = info.Name, rates.Memory, rates.Float32, rates.Float64
	l.Source += ", on " + time.Now().UTC().Format(time.DateOnly) + ", " + info.Driver
	text, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, err
	}
	return l, atomicfile.Write(file, append(bytes.TrimSpace(text), '\n'))
}
