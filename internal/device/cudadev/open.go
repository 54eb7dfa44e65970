package cudadev

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/cuda"
)

// List describes the GPUs, in the order of their numbers, and makes no context on them. The error
// says why there are none.
func List() ([]device.Info, error) {
	driver, n, err := openDriver()
	if err != nil {
		return nil, err
	}
	infos := make([]device.Info, n)
	for i := range infos {
		if infos[i], err = infoOf(driver, i); err != nil {
			return nil, err
		}
	}
	return infos, nil
}

// openDriver is the driver, if it is new enough, and the number of its GPUs.
func openDriver() (driver *cuda.Driver, n int, err error) {
	if driver, err = cuda.Open(); err != nil {
		return nil, 0, err
	}
	if v := driver.Version(); v < cuda.Oldest {
		return nil, 0, fmt.Errorf("the driver is too old: it supports CUDA %v, %v or newer is needed", v, cuda.Oldest)
	}
	n, err = driver.DeviceCount()
	return driver, n, err
}

// Open opens a GPU by its number, whose kernels print to printer. The backend returns the failures
// of kernels as the errors that hostError makes of them.
//
// The error says why there is no such GPU. It is of ErrLost where this process has lost it.
func Open(number int, printer *device.Printer, hostError func(*device.Failure) error) (*Backend, error) {
	driver, n, err := openDriver()
	if err != nil {
		return nil, err
	}
	if number >= n {
		return nil, fmt.Errorf("there is no GPU %d: %s", number, listGPUs(driver, n))
	}
	b, err := openNumber(driver, number, printer, hostError)
	if err != nil {
		return nil, fmt.Errorf("GPU %d cannot be used: %w", number, err)
	}
	return b, nil
}

// listGPUs says which GPUs there are: "the driver has cuda:0 (NVIDIA H200)".
func listGPUs(driver *cuda.Driver, n int) string {
	if n == 0 {
		return "the driver has none"
	}
	var names []string
	for i := range n {
		name, err := driver.DeviceName(i)
		if err != nil {
			name = err.Error()
		}
		names = append(names, fmt.Sprintf("cuda:%d (%s)", i, name))
	}
	return "the driver has " + strings.Join(names, ", ")
}
