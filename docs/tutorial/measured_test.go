package tutorial

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// measurements is the folder of what was measured on GPUs.
const measurements = "../measurements/"

// metrics are the values of a benchmark's metric in a file of measurements, in the order in which
// they were measured.
func metrics(file, benchmark, name string) ([]float64, error) {
	text, err := os.ReadFile(measurements + file)
	if err != nil {
		return nil, err
	}
	var results struct {
		Packages []struct {
			Benchmarks []struct {
				Name    string
				Metrics map[string]float64
			}
		}
	}
	if err := json.Unmarshal(text, &results); err != nil {
		return nil, err
	}
	var values []float64
	for _, p := range results.Packages {
		for _, b := range p.Benchmarks {
			if value, ok := b.Metrics[name]; ok && b.Name == benchmark {
				values = append(values, value)
			}
		}
	}
	if values == nil {
		return nil, fmt.Errorf("%s has no %s of %s", file, name, benchmark)
	}
	return values, nil
}

// benched is a row of a file that gridstride bench wrote.
type benched struct {
	Variant string
	N       int
	Seconds float64
	Rate    float64
}

// bench finds what gridstride bench measured of a variant at a size.
func bench(file, variant string, n int) (benched, error) {
	text, err := os.ReadFile(measurements + file)
	if err != nil {
		return benched{}, err
	}
	var rows []benched
	if err := json.Unmarshal(text, &rows); err != nil {
		return benched{}, fmt.Errorf("%s: %w", file, err)
	}
	for _, row := range rows {
		if row.Variant == variant && row.N == n {
			return row, nil
		}
	}
	return benched{}, fmt.Errorf("%s has no %s of %d", file, variant, n)
}

// costsTable says what using an H200 costs, step by step.
func costsTable() (string, error) {
	const launch, host, load, kernels = "2026-11-21-h200-launch.json", "2026-11-21-h200-host-1.json",
		"2026-11-21-h200-load.json", "2026-11-21-h200-kernels.json"
	var t table
	t.row("", "µs", "from")
	for _, step := range []struct {
		what, file, benchmark, metric string
		micros                        func(values []float64) float64
	}{
		{"load three kernels: the driver compiles their PTX", load, "BenchmarkFirstLoad", "ms",
			func(v []float64) float64 { return 1000 * v[0] }},
		{"load them in the next process: the driver has kept the result", load, "BenchmarkFirstLoad", "ms",
			func(v []float64) float64 { return 1000 * v[1] }},
		{"make a buffer of 40 MiB where one was freed before", host, "BenchmarkMake/40960KiB", "ns/op", micros},
		{"copy 256 MiB to the device from ordinary memory", host, "BenchmarkCopy/pageable-to-device/262144KiB", "ns/op",
			micros},
		{"copy 256 MiB to the device from pinned memory", host, "BenchmarkCopy/pinned-to-device/262144KiB", "ns/op",
			micros},
		{"a kernel that reads 256 MiB, at the speed of the best dot product", kernels,
			fmt.Sprintf("BenchmarkDot/vector/%d", 1<<28), "GB/s",
			func(v []float64) float64 { return (256 << 20) / v[0] / 1000 }},
		{"queue a launch", launch, "BenchmarkLaunches", "us/launch", median},
		{"queue a launch and wait for it", launch, "BenchmarkWait/kernel", "ns/op", micros},
	} {
		values, err := metrics(step.file, step.benchmark, step.metric)
		if err != nil {
			return "", err
		}
		us := fmt.Sprintf("%.0f", step.micros(values))
		if len(us) < 2 {
			us = fmt.Sprintf("%.1f", step.micros(values))
		}
		t.row(step.what, us, fmt.Sprintf("[%s](%s)", strings.TrimSuffix(step.file[len("2026-11-21-h200-"):], ".json"),
			measurements+step.file))
	}
	return t.String(), nil
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// micros is the median of nanoseconds, in microseconds.
func micros(values []float64) float64 { return median(values) / 1000 }

// stepsTable shows what each step of using a device took, the first time and after that.
func stepsTable() (string, error) {
	const file = "2026-11-21-h200-timing.json"
	text, err := os.ReadFile(measurements + file)
	if err != nil {
		return "", err
	}
	var measured struct {
		N, Times int
		Runs     [][]struct {
			What string
			Us   float64
		}
	}
	if err := json.Unmarshal(text, &measured); err != nil {
		return "", err
	}
	var t table
	t.row("ms", "first run", "second", "third")
	for i, step := range measured.Runs[0] {
		cells := []any{step.What}
		for _, run := range measured.Runs {
			cells = append(cells, fmt.Sprintf("%.3f", run[i].Us/1000))
		}
		t.row(cells...)
	}
	return t.source(fmt.Sprintf("%d MiB, %d iterations", measured.N*4>>20, measured.Times), file), nil
}
