//go:build linux && cgo

package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/gridstride/gridstride/internal/device/cuda/simdriver"
	"github.com/gridstride/gridstride/internal/language/sourcetext"
	"github.com/gridstride/gridstride/internal/machine/checked"
)

// The environment variables besides those that every simulated device reads.
const (
	// forgiveVar, when 1, makes contexts live on after a kernel has failed.
	forgiveVar = "GRIDSTRIDE_FORGIVE"
	// smVar is the compute capability of the device, 90 for 9.0.
	smVar = "GRIDSTRIDE_SM"
	// devicesVar is how many devices there are.
	devicesVar = "GRIDSTRIDE_DEVICES"
)

// driverVersion is the version of CUDA that the driver says it is of.
const driverVersion = 13000

// configured is the driver that the environment asks for.
func configured() (simdriver.Config, error) {
	cfg := simdriver.Config{Devices: 1, Version: driverVersion, Forgive: os.Getenv(forgiveVar) == "1"}
	checks, err := checked.FromEnv()
	if err != nil {
		return cfg, err
	}
	if checks != nil {
		dir, err := os.Getwd()
		if err != nil {
			return cfg, err
		}
		checks.ReadSources(sourcetext.New(dir, "/").InModule(dir), "") // any file of a program that runs anyway
		checks.Fresh = nil                                             // the PTX is not of our compiler
		cfg.Checks = checks
	}
	if text := os.Getenv(smVar); text != "" {
		sm, err := strconv.Atoi(text)
		if err != nil || sm < 70 || sm > 90 {
			return cfg, fmt.Errorf("%s is %q; want a compute capability from 70 to 90", smVar, text)
		}
		cfg.Capability = [2]int{sm / 10, sm % 10}
	}
	if text := os.Getenv(devicesVar); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > simdriver.MaxDevices {
			return cfg, fmt.Errorf("%s is %q; want a number of devices from 0 to %d", devicesVar, text, simdriver.MaxDevices)
		}
		cfg.Devices = n
	}
	return cfg, nil
}
