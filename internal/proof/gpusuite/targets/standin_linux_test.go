package targets

import (
	"os"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/device/cuda/simdriver"
)

const standIns = true

func init() {
	target, ok := abi.ParseTarget(os.Getenv(standInEnv))
	if !ok {
		return
	}
	d, err := simdriver.Open(simdriver.Config{
		Devices: 1, Version: 13000, Memory: 1 << 30, Capability: [2]int{target.SM / 10, target.SM % 10},
	})
	if err != nil {
		panic(err)
	}
	cuda.UseStandIn(d)
}
