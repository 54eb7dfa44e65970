package collective_test

import (
	"context"
	"embed"
	"fmt"
	"log"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	_ "github.com/gridstride/gridstride/gpu/collective" // whose kernels the examples launch
	"github.com/gridstride/gridstride/gpu/collective/internal/kernels"
	"github.com/gridstride/gridstride/internal/proof/doctest"
)

// The host's side of the kernel Sum above: "gridstride build" has written LoadSum.
func Example() {
	dev, err := gridstride.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	host := make([]float32, 1000)
	for i := range host {
		host[i] = 1
	}
	a, err := gridstride.CopyOf(dev, host)
	if err != nil {
		log.Fatal(err)
	}
	defer a.Free()
	sums, err := gridstride.Make[float32](dev, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer sums.Free()

	kernel, err := kernels.LoadSum(dev)
	if err != nil {
		log.Fatal(err)
	}
	s := dev.Stream()
	if err := kernel.Launch(s, gridstride.Grid(3), a, sums); err != nil {
		log.Fatal(err)
	}
	fmt.Println(sums.Read(context.Background(), s, nil))
	// Output: [488 256 256] <nil>
}

// A kernel of one block that keeps the positive numbers of a vector, in their order.
func ExampleBlockExclusiveSum() {
	dev, err := gridstride.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	in, err := gridstride.CopyOf(dev, []int32{3, -1, 0, 4, -1, 5, 9})
	if err != nil {
		log.Fatal(err)
	}
	defer in.Free()
	out, err := gridstride.Make[int32](dev, in.Len())
	if err != nil {
		log.Fatal(err)
	}
	defer out.Free()
	count, err := gridstride.Make[int32](dev, 1)
	if err != nil {
		log.Fatal(err)
	}
	defer count.Free()

	kernel, err := kernels.LoadPositive(dev)
	if err != nil {
		log.Fatal(err)
	}
	ctx, s := context.Background(), dev.Stream()
	if err := kernel.Launch(s, gridstride.Grid(1), in, out, count); err != nil {
		log.Fatal(err)
	}
	n, err := count.Read(ctx, s, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Slice(0, int(n[0])).Read(ctx, s, nil))
	// Output: [3 4 5 9] <nil>
}

//go:embed doc.go block.go sort.go histogram.go topk.go internal/kernels/*.go
var sources embed.FS

// TestComments holds the kernels in comments to those that are compiled.
func TestComments(t *testing.T) {
	kernels := file(t, "internal/kernels/kernels.go")
	doctest.CheckComments(t, "doc.go", file(t, "doc.go"), kernels)
	block := strings.Replace(file(t, "block.go"), " // keep is 1 where v > 0, else 0", "", 1)
	doctest.CheckComments(t, "block.go", block, kernels)
	slices := file(t, "internal/kernels/slices.go")
	for _, name := range []string{"sort.go", "histogram.go", "topk.go"} {
		doctest.CheckComments(t, name, file(t, name), slices)
	}
}

func file(t *testing.T, name string) string {
	t.Helper()
	text, err := sources.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
