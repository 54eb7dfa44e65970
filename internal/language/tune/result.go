package tune

import (
	"bufio"
	"math"
	"slices"
	"strconv"
	"strings"
)

// DeviceMetric is the metric of a benchmark that gputest.Time reports: the device's time of an
// iteration, in nanoseconds.
const DeviceMetric = "device-ns/op"

// Shape has the cost of a benchmark, or of one that it runs with b.Run, with a choice: nanoseconds
// of an iteration on a GPU, or the counted cost on the simulator.
type Shape struct {
	Name string  `json:"name"` // "BenchmarkSum/1000"
	Cost float64 `json:"cost"`
}

// ParseBenchmarks reads what a test binary printed that ran its benchmarks with -test.cpu=procs: for
// each the median of its device times, or else of its times, in the order of the
// output.
func ParseBenchmarks(output string, procs int) []Shape {
	var names []string
	values := map[string]map[bool][]float64{} // by name, and whether it is of the device
	suffix := ""
	if procs > 1 {
		suffix = "-" + strconv.Itoa(procs)
	}
	lines := bufio.NewScanner(strings.NewReader(output))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := strings.TrimSuffix(fields[0], suffix)
		for i := 2; i+1 < len(fields); i += 2 {
			v, err := strconv.ParseFloat(fields[i], 64)
			if unit := fields[i+1]; err != nil || !(v >= 0 && v <= math.MaxFloat64) || unit != "ns/op" && unit != DeviceMetric {
				continue
			}
			if values[name] == nil {
				names, values[name] = append(names, name), map[bool][]float64{}
			}
			onDevice := fields[i+1] == DeviceMetric
			values[name][onDevice] = append(values[name][onDevice], v)
		}
	}
	var shapes []Shape
	for _, name := range names {
		list := values[name][true]
		if list == nil {
			list = values[name][false]
		}
		slices.Sort(list)
		shapes = append(shapes, Shape{name, list[len(list)/2]})
	}
	return shapes
}

// Score is how long a choice takes for one that took 1: the geometric mean over shapes. ok is false
// where the two were not measured with the same shapes.
func Score(choice, one []Shape) (score float64, ok bool) {
	if len(choice) != len(one) || len(one) == 0 {
		return 0, false
	}
	sum := 0.0
	for i, s := range choice {
		if s.Name != one[i].Name {
			return 0, false
		}
		sum += math.Log(max(s.Cost, 1e-9) / max(one[i].Cost, 1e-9))
	}
	return math.Exp(sum / float64(len(one))), true
}
