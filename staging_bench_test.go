package gridstride

import (
	"context"
	"fmt"
	"testing"
)

// BenchmarkStaging is copies of ordinary memory with other sizes of chunks and other numbers of goroutines than the constants, which are its choice.
func BenchmarkStaging(b *testing.B) {
	dev, err := Open()
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	g, ok := dev.backend.(*gpu)
	if !ok {
		b.Skip("needs a GPU")
	}
	const most = 256 << 20
	buf, err := Make[byte](dev, most)
	if err != nil {
		b.Fatal(err)
	}
	defer buf.Free()
	ctx, s, host := context.Background(), dev.Stream(), make([]byte, most)
	for i := range host {
		host[i] = byte(i)
	}
	for _, chunk := range []int{1 << 20, 2 << 20, 4 << 20} {
		for _, workers := range []int{3, 4, 6, 8} {
			g.staging.close(g)
			g.staging.large.size, g.staging.workers = chunk, workers
			for _, n := range []int{16 << 20, most} {
				view := buf.Slice(0, n)
				run := func(name string, f func() error) {
					b.Run(fmt.Sprintf("%s/%dMiB/chunk=%dKiB/workers=%d", name, n>>20, chunk>>10, workers), func(b *testing.B) {
						for b.Loop() {
							if err := f(); err != nil {
								b.Fatal(err)
							}
							if err := s.Wait(ctx); err != nil {
								b.Fatal(err)
							}
						}
						b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
					})
				}
				run("in", func() error { return view.Write(ctx, s, host[:n]) })
				run("out", func() error { _, err := view.Read(ctx, s, host[:n]); return err })
			}
		}
	}
}
