package gridstride_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
)

// BenchmarkLaunches is 10,000 launches of an empty kernel and the wait for the last, as
// internal/device/cuda/testdata/launch.cu has it in CUDA C++.
func BenchmarkLaunches(b *testing.B) {
	const launches = 10_000
	dev := openGPU(b, false)
	s, k := dev.Stream(), kernel(b, dev, "nothing")
	b.ReportAllocs()
	for b.Loop() {
		for range launches {
			if err := k.Args().Launch(s, one); err != nil {
				b.Fatal(err)
			}
		}
		must(b, s.Wait(context.Background()))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/launches/1000, "us/launch")
}

// BenchmarkGraph is 20 small kernels that follow each other, launched one by one, as a graph, and as
// a graph whose launches each have another argument, with the wait for the last.
func BenchmarkGraph(b *testing.B) {
	const kernels = 20
	dev := openGPU(b, false)
	s, k := dev.Stream(), kernel(b, dev, "scale")
	x := copyOf(b, dev, ramp(1024))
	launch := func(s *gridstride.Stream) error { return typedLaunch(k, s, gridstride.Grid(4).Block(256), x, 1) }
	all := func(s *gridstride.Stream) error {
		for range kernels {
			if err := launch(s); err != nil {
				return err
			}
		}
		return nil
	}
	g, err := s.Capture(all)
	must(b, err)
	exec, err := g.Instantiate()
	must(b, err)
	first := g.Nodes()[0]
	for _, c := range []struct {
		name string
		run  func() error
	}{
		{"one-by-one", func() error { return all(s) }},
		{"graph", func() error { return exec.Launch(s) }},
		{"graph-set", func() error { return errors.Join(exec.Set(first, launch), exec.Launch(s)) }},
	} {
		for _, wait := range []bool{false, true} { // by the host's time, and with the device's
			b.Run(fmt.Sprintf("%s/wait=%t", c.name, wait), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					must(b, c.run())
					if wait {
						must(b, s.Wait(context.Background()))
					}
				}
				must(b, s.Wait(context.Background()))
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "us/20kernels")
			})
		}
	}
	must(b, errors.Join(exec.Close(), g.Close()))
}

// BenchmarkCopy is copies in each direction and of each kind of memory, as
// internal/device/cuda/testdata/copy.cu has them.
func BenchmarkCopy(b *testing.B) {
	dev := openGPU(b, false)
	s, ctx := dev.Stream(), context.Background()
	for _, n := range []int{4 << 10, 1 << 20, 16 << 20, 64 << 20, 256 << 20, 1 << 30} {
		buf, err := gridstride.Make[byte](dev, n)
		must(b, err)
		pinned, err := gridstride.MakePinned[byte](dev, n)
		must(b, err)
		pageable := random(n)
		copy(pinned.Data(), pageable)
		for _, c := range []struct {
			name string
			copy func() error
		}{
			{"pinned-to-device", func() error { return buf.WriteAsync(s, pinned) }},
			{"device-to-pinned", func() error { return buf.ReadAsync(s, pinned) }},
			{"pageable-to-device", func() error { return buf.Write(ctx, s, pageable) }},
			{"device-to-pageable", func() error { _, err := buf.Read(ctx, s, pageable); return err }},
		} {
			b.Run(fmt.Sprintf("%s/%dKiB", c.name, n>>10), func(b *testing.B) {
				for b.Loop() {
					must(b, c.copy())
					must(b, s.Wait(ctx))
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
			})
		}
		must(b, pinned.Free())
		must(b, buf.Free())
	}
}

// BenchmarkReadNew reads into a new slice each time, which the system must first give pages to.
func BenchmarkReadNew(b *testing.B) {
	dev := openGPU(b, false)
	s, ctx := dev.Stream(), context.Background()
	const n = 256 << 20
	buf, err := gridstride.Make[byte](dev, n)
	must(b, err)
	defer buf.Free()
	for b.Loop() {
		if _, err := buf.Read(ctx, s, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
}

// BenchmarkWait measures waits: on nothing, for an empty kernel, with a context that can end, with
// a fault record to look at, and, for comparison, with a record that would have to be copied back.
func BenchmarkWait(b *testing.B) {
	dev := openGPU(b, false)
	s := dev.Stream()
	nothing, check := kernel(b, dev, "nothing"), kernel(b, dev, "check")
	record, err := gridstride.Make[byte](dev, 72)
	must(b, err)
	defer record.Free()
	back, err := gridstride.MakePinned[byte](dev, 72)
	must(b, err)
	canEnd, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		work func() error
	}{
		{"idle", context.Background(), func() error { return nil }},
		{"kernel", context.Background(), func() error { return nothing.Args().Launch(s, one) }},
		{"kernel-context-can-end", canEnd, func() error { return nothing.Args().Launch(s, one) }},
		{"kernel-with-record", context.Background(), func() error { return check.Launch(s, one, 1) }},
		{"kernel-record-copied-back", context.Background(), func() error {
			if err := nothing.Args().Launch(s, one); err != nil {
				return err
			}
			return record.ReadAsync(s, back)
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				must(b, c.work())
				must(b, s.Wait(c.ctx))
			}
		})
	}
}

// BenchmarkFaultStorm is a launch in which every thread fails.
func BenchmarkFaultStorm(b *testing.B) {
	dev := openGPU(b, false)
	s, check := dev.Stream(), kernel(b, dev, "check")
	for _, blocks := range []int{1, 1 << 8, 1 << 12, 1 << 20} {
		b.Run(fmt.Sprintf("%d-threads", blocks*256), func(b *testing.B) {
			run := func(n int) time.Duration {
				start := s.Record()
				must(b, check.Launch(s, gridstride.Grid(blocks).Block(256), n))
				end := s.Record()
				if err := s.Wait(context.Background()); (err != nil) != (n == 0) {
					b.Fatal(err)
				}
				d, err := end.Since(context.Background(), start)
				must(b, err)
				return d
			}
			var fails, passes time.Duration
			for b.Loop() {
				fails += run(0)
				passes += run(256)
			}
			b.ReportMetric(float64(fails.Microseconds())/float64(b.N), "us-failing")
			b.ReportMetric(float64(passes.Microseconds())/float64(b.N), "us-passing")
		})
	}
}

// BenchmarkMake measures making a buffer in the memory of one freed before.
func BenchmarkMake(b *testing.B) {
	dev := openGPU(b, false)
	for _, n := range []int{4 << 10, 40 << 20} {
		b.Run(fmt.Sprintf("%dKiB", n>>10), func(b *testing.B) {
			for b.Loop() {
				buf, err := gridstride.Make[byte](dev, n)
				must(b, err)
				must(b, buf.Free())
			}
		})
	}
}

// BenchmarkRoundTrip is a small job with its data on the host: make, copy in, launch, copy out,
// free.
func BenchmarkRoundTrip(b *testing.B) {
	dev := openGPU(b, false)
	s, scale := dev.Stream(), kernel(b, dev, "scale")
	for _, n := range []int{1000, 10_000_000} {
		host := ramp(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				buf, err := gridstride.CopyOf(dev, host)
				must(b, err)
				must(b, scale.Launch(s, gridstride.Grid(1024).Block(256), buf, float32(1)))
				_, err = buf.Read(context.Background(), s, host)
				must(b, err)
				must(b, buf.Free())
			}
		})
	}
}

// BenchmarkLoad measures loading a module that the driver has in its cache, including its memory.
func BenchmarkLoad(b *testing.B) {
	dev := openGPU(b, false)
	for b.Loop() {
		m, err := dev.Load("kernels.ptx", kernels)
		must(b, err)
		_, err = m.Kernel("scale")
		must(b, err)
		m.Close()
	}
}
