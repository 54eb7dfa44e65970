//go:build linux && cgo

package main

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/device/cuda/simdriver"
	"github.com/gridstride/gridstride/internal/language/sourcetext"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/report"
)

// The environment variables besides those that every simulated device reads.
const (
	// forgiveVar, when 1, makes contexts live on after a kernel has failed.
	forgiveVar = "GRIDSTRIDE_FORGIVE"
	// smVar is the compute capability of the device, 90 for 9.0.
	smVar = "GRIDSTRIDE_SM"
	// devicesVar is how many devices there are.
	devicesVar = "GRIDSTRIDE_DEVICES"
	// testVar is the name of the test that has started the program.
	testVar = "GRIDSTRIDE_TEST"
)

// driverVersion is the version of CUDA that the driver says it is of.
const driverVersion = 13000

// test is the name of the test that launches belong to, "" for none.
var test atomic.Value

// ofTest makes the findings of the reports that are written belong to the test.
func ofTest(write func(*report.Report) error) func(*report.Report) error {
	return func(r *report.Report) error {
		if name, _ := test.Load().(string); name != "" {
			for _, f := range r.Findings {
				f.Tests = []string{name}
			}
		}
		return write(r)
	}
}

// configured is the driver that the environment asks for. caller is as hostPosition takes it.
func configured(caller uintptr) (simdriver.Config, error) {
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
		checks.Report = ofTest(checks.Report)
		test.Store(os.Getenv(testVar))
		cfg.Checks, cfg.From = checks, hostPosition(dir, caller)
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
