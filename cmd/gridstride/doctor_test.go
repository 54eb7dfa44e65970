package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestDoctorWithoutDriver runs doctor as a user does, without a driver.
func TestDoctorWithoutDriver(t *testing.T) {
	t.Parallel()
	if _, err := cuda.Open(); err == nil {
		t.Skip("there is a driver")
	}
	testscript.Run(t, testscript.Params{Dir: "testdata/doctor"})
}

// TestDoctor prints what it would say on machines with GPUs, and with broken drivers.
func TestDoctor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		d    cuda.Diagnosis
		want string
	}{
		{
			cuda.Diagnosis{
				Library: "libcuda.so.1", Version: 13000, PTX: cuda.PTXVersion{Major: 9}, Kernel: "580.159.04", PCI: 1,
				Nodes: []string{"/dev/nvidia0", "/dev/nvidiactl"},
				GPUs: []cuda.GPU{{
					Name: "NVIDIA H200", Capability: "9.0", Memory: 150 << 30, Multiprocessors: 132, ClockMHz: 1980,
					MemoryClockMHz: 3201, BusBits: 6144, ECC: true,
				}},
			}, `
driver                CUDA 13.0, takes PTX up to 9.0 (libcuda.so.1)
  in the kernel       580.159.04
  device files        /dev/nvidia0, /dev/nvidiactl
  on the PCI bus      1
cuda:0                NVIDIA H200
  compute capability  9.0
  memory              150.0 GiB, 6144 bits at 3201 MHz, ECC on
  multiprocessors     132 at up to 1980 MHz
`,
		}, {
			cuda.Diagnosis{
				Library: "libcuda.so.1", Version: 10010, Container: "Docker",
				Hidden: []string{"CUDA_VISIBLE_DEVICES=3"},
				GPUs:   []cuda.GPU{{Name: "Old", Capability: "3.5", Err: errors.New("a\nb")}},
				Err:    errors.New("the driver is too old\nby far"), Advice: "install a newer driver",
			}, `
driver                CUDA 10.1 (libcuda.so.1)
  in the kernel       none
  device files        none
container             Docker
environment           CUDA_VISIBLE_DEVICES=3
cuda:0                Old
  compute capability  3.5
  memory              0.0 GiB, 0 bits at 0 MHz, ECC off
  multiprocessors     0 at up to 0 MHz
  not read            a
no GPU                the driver is too old
what to do            install a newer driver
`,
		},
	} {
		var b strings.Builder
		writeDiagnosis(&b, c.d)
		if got := "\n" + b.String(); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}
