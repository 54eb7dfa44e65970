//go:build !js

package gridstride

import (
	"fmt"
	"os"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/cudadev"
	"github.com/gridstride/gridstride/internal/language/sourcetext"
)

// linesEnv is the variable with a folder of the module whose kernels are to have tables of source lines
// on a GPU.
const linesEnv = "GRIDSTRIDE_LINEINFO"

func openGPU(number int, p *device.Printer) (device.Backend, error) {
	folder := os.Getenv(linesEnv)
	if folder != "" {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("%s is %q; want a folder of the module with the sources", linesEnv, folder)
		}
	}
	b, err := cudadev.Open(number, p, kernelError)
	if err != nil {
		return nil, err
	}
	if folder != "" {
		b.LineInfo(sourcetext.New(folder).Path)
	}
	return b, nil
}

func listGPUs() ([]device.Info, error) { return cudadev.List() }
