package gridstride

import (
	"errors"

	"github.com/gridstride/gridstride/internal/device"
)

// errNoDriver is why a page, in which the binding of CUDA's driver is not even linked, has no GPU.
var errNoDriver = errors.New("a program in a page has no GPU")

func openGPU(int, *device.Printer) (device.Backend, error) { return nil, errNoDriver }

func listGPUs() ([]device.Info, error) { return nil, errNoDriver }
