package gridstride

import (
	"errors"
	"fmt"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/simdev"
)

// open opens the backend that the choice asks for, and says why it is that one.
func (c choice) open() (b device.Backend, why string, err error) {
	switch c.kind {
	case "sim":
		return c.simulate(c.asked())
	case "cuda":
		if b, err = openGPU(c.number, c.Printer); err != nil {
			return nil, "", device.Because(ErrNoDevice, err, "open: %s", c.asked())
		}
		return b, c.asked(), nil
	}
	if b, err = openGPU(0, c.Printer); errors.Is(err, ErrLost) {
		return nil, "", device.Because(ErrNoDevice, err, "open") // the program began on the GPU and would go on elsewhere
	} else if err != nil {
		return c.simulate(fmt.Sprintf("no GPU: %v", err))
	}
	return b, "the first GPU", nil
}

// Devices describes the devices that Open can open, without opening any: the GPUs in the driver's
// order, and then the simulator, which is always there. Pass [Info.Use] to [Use] to open one. If
// there is no GPU, the simulator's Why says why.
func Devices() []Info {
	gpus, err := listGPUs()
	var infos []Info
	for i, gpu := range gpus {
		infos = append(infos, infoOf(gpu, fmt.Sprintf("cuda:%d", i), ""))
	}
	why := ""
	if err != nil {
		why = fmt.Sprintf("no GPU: %v", err)
	}
	return append(infos, infoOf(simdev.About(simdev.Config{}), "sim", why))
}

// use is the argument of the option Use that opens the device again.
func (c choice) use(b device.Backend) string {
	switch {
	case b.Info().Backend == "cuda":
		return fmt.Sprintf("cuda:%d", c.number)
	case c.SimTarget != "":
		return "sim:" + c.SimTarget
	}
	return "sim"
}

// simulate opens the simulator for a reason.
func (c choice) simulate(because string) (b device.Backend, why string, err error) {
	if b, err = simdev.New(c.Sim, c.Printer, kernelError); err != nil {
		return nil, "", device.Because(ErrNoDevice, err, "open: %s", because)
	}
	return b, because, nil
}

// asked is how the device was asked for: "GRIDSTRIDE_DEVICE=cuda:1", "gridstride.Use(\"sim\")".
func (c choice) asked() string {
	if c.Source == sourceEnv {
		return sourceEnv + "=" + c.Device
	}
	return fmt.Sprintf("%s(%q)", c.Source, c.Device)
}
