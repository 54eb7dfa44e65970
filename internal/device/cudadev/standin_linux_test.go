package cudadev

import (
	"os"
	"strings"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/device/cuda/simdriver"
)

// standIn is the driver without GRIDSTRIDE_DEVICE=cuda, a simulated one.
var standIn *cuda.Driver

func init() {
	if strings.HasPrefix(os.Getenv("GRIDSTRIDE_DEVICE"), "cuda") {
		return
	}
	d, err := simdriver.Open(simdriver.Config{Devices: 1, Version: 13000, Memory: 1 << 30})
	if err != nil {
		panic(err)
	}
	standIn = d
	cuda.UseStandIn(d)
}
