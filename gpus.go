//go:build !js

package gridstride

import (
	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/cudadev"
)

func openGPU(number int, p *device.Printer) (device.Backend, error) {
	return cudadev.Open(number, p, kernelError)
}

func listGPUs() ([]device.Info, error) { return cudadev.List() }
