package gridstride

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/cuda"
)

// openDriver loads NVIDIA's driver. Tests put a stand-in here.
var openDriver = cuda.Open

// choose opens the backend that the settings ask for, and says why it is that one.
func choose(s settings) (b backend, why string, err error) {
	switch s.kind {
	case "sim":
		return newSimulator(s), s.asked(), nil
	case "cuda":
		if b, err = chooseGPU(s.number); err != nil {
			return nil, "", because(ErrNoDevice, err, "open: %s", s.asked())
		}
		return b, s.asked(), nil
	}
	if b, err = chooseGPU(0); errors.Is(err, ErrLost) {
		return nil, "", because(ErrNoDevice, err, "open") // the program began on the GPU and would go on elsewhere
	} else if err != nil {
		return newSimulator(s), fmt.Sprintf("no GPU: %v", err), nil
	}
	return b, "the first GPU", nil
}

// asked is how the device was asked for: "GRIDSTRIDE_DEVICE=cuda:1", "gridstride.Use(\"sim\")".
func (s settings) asked() string {
	if s.source == sourceEnv {
		return sourceEnv + "=" + s.device
	}
	return fmt.Sprintf("%s(%q)", s.source, s.device)
}

// chooseGPU opens a GPU by its number.
func chooseGPU(number int) (backend, error) {
	driver, err := openDriver()
	if err != nil {
		return nil, err
	}
	if v := driver.Version(); v < cuda.Oldest {
		return nil, fmt.Errorf("the driver is too old: it supports CUDA %v, %v or newer is needed", v, cuda.Oldest)
	}
	n, err := driver.DeviceCount()
	if err != nil {
		return nil, err
	}
	if number >= n {
		return nil, fmt.Errorf("there is no GPU %d: %s", number, listGPUs(driver, n))
	}
	b, err := openGPU(driver, number)
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
