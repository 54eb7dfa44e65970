package bench

import (
	"fmt"
	"testing"

	"github.com/gridstride/gridstride"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// BenchmarkGonumDot and BenchmarkGonumMatmul time gonum, with assembly on amd64, a loop in Go and
// whole calls of ours with the data on the device:
//
//	go test -run - -bench Gonum ./internal/proof/bench
func BenchmarkGonumDot(b *testing.B) {
	var impl gonum.Implementation
	for _, n := range []int{1_000, 100_000, 10_000_000} {
		o := Options{What: "dot", DType: "float32", Data: Random}
		task := endDot[float32](&o, Size{N: n})
		beside(b, Size{N: n}, task, func() []float32 {
			return []float32{impl.Sdot(n, task.inputs[0], 1, task.inputs[1], 1)}
		})
	}
}

func BenchmarkGonumMatmul(b *testing.B) {
	var impl gonum.Implementation
	for _, n := range []int{30, 100, 300, 1000} {
		o := Options{What: "matmul", DType: "float32", Data: Random}
		size := Size{M: n, N: n, L: n}
		task := endMatmul[float32](&o, size)
		c := make([]float32, n*n)
		beside(b, size, task, func() []float32 {
			impl.Sgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, task.inputs[0], n, task.inputs[1], n, 0, c, n)
			return c
		})
	}
}

// simulated is the largest problem that is timed on the simulator, in elements of the input.
const simulated = 100_000

// beside times a task on the processor, by gonum and on the device.
func beside(b *testing.B, size Size, task endTask[float32], gonum func() []float32) {
	for _, way := range append(task.processor, processorWay[float32]{"gonum", gonum}) {
		b.Run(fmt.Sprintf("n=%d/%s", size.N, way.name), func(b *testing.B) {
			var result []float32
			for b.Loop() {
				result = way.run()
			}
			if wrong := task.wrong(result, false); wrong != "" {
				b.Error(wrong)
			}
		})
	}
	b.Run(fmt.Sprintf("n=%d/device", size.N), func(b *testing.B) {
		dev, err := gridstride.Open()
		if err != nil {
			b.Fatal(err)
		}
		defer dev.Close()
		if dev.Info().Backend == "sim" && len(task.inputs[0]) > simulated {
			b.Skip("takes minutes on the simulator")
		}
		onDevice(b, dev, task)
	})
}

// onDevice times calls with the data on the device.
func onDevice(b *testing.B, dev *gridstride.Device, task endTask[float32]) {
	plan, err := task.load(dev, dev.Stream())
	if err != nil {
		b.Fatal(err)
	}
	var in []gridstride.Buffer[float32]
	for _, x := range task.inputs {
		buffer, err := gridstride.CopyOf(dev, x)
		if err != nil {
			b.Fatal(err)
		}
		in = append(in, buffer)
	}
	s := dev.Stream()
	out := hostMemory[float32]{data: make([]float32, task.outputs)}
	var result []float32
	for b.Loop() {
		if err := plan.launch(s, in); err != nil {
			b.Fatal(err)
		}
		if result, err = plan.read(b.Context(), s, out); err != nil {
			b.Fatal(err)
		}
	}
	if wrong := task.wrong(result, true); wrong != "" {
		b.Error(wrong)
	}
}
