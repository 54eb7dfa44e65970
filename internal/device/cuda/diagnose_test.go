package cuda

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

func TestDiagnose(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	none := &LibraryError{Tried: []string{"libcuda.so.1"}, Err: fmt.Errorf("no such file")}
	for _, c := range []struct {
		name   string
		files  fstest.MapFS
		env    map[string]string
		driver *Driver
		err    error
		advice string // a part
	}{
		{name: "nothing", err: none, advice: "there is no NVIDIA GPU here"},
		{name: "no driver", files: fstest.MapFS{"sys/bus/pci/devices/0000:01:00.0/vendor": file("0x10de\n"), "sys/bus/pci/devices/0000:00:00.0/vendor": file("0x8086\n")},
			err: none, advice: "on the PCI bus, but no driver"},
		{name: "kernel part only", files: fstest.MapFS{"proc/driver/nvidia/version": file("NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue\n")},
			err: none, advice: "libcuda1"},
		{name: "docker without the runtime", files: fstest.MapFS{".dockerenv": file("")}, err: none, advice: "container (Docker) without NVIDIA's container runtime"},
		{name: "pod", env: map[string]string{"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, err: none, advice: "nvidia.com/gpu"},
		{name: "podman, no compute", files: fstest.MapFS{"run/.containerenv": file(""), "dev/nvidia0": file("")}, err: none, advice: "NVIDIA_DRIVER_CAPABILITIES"},
		{name: "hidden", env: map[string]string{"CUDA_VISIBLE_DEVICES": "-1"}, files: fstest.MapFS{"dev/nvidia0": file("")},
			driver: &Driver{version: 13000}, err: &Error{Result: NoDevice, Op: "cuInit"}, advice: "these hide GPUs: CUDA_VISIBLE_DEVICES=-1"},
		{name: "no nodes", driver: &Driver{version: 13000}, err: &Error{Result: NoDevice, Op: "cuInit"}, advice: "/dev/nvidiactl"},
		{name: "old", files: fstest.MapFS{"dev/nvidia0": file("")}, driver: &Driver{version: 10010}, err: &Error{Result: NotFound}, advice: "install a newer driver"},
		{name: "broken", files: fstest.MapFS{"dev/nvidia0": file("")}, driver: &Driver{version: 13000}, err: &Error{Result: 999}, advice: "nvidia-smi"},
	} {
		d := lookAround(c.files, func(name string) string { return c.env[name] })
		if c.driver != nil {
			c.driver.lib.path = "libcuda.so.1"
		}
		d.ask(c.driver, c.err)
		if d.Err == nil || !strings.Contains(d.Advice, c.advice) {
			t.Errorf("%s: %v; advice %q, want …%s…", c.name, d.Err, d.Advice, c.advice)
		}
		if c.name == "kernel part only" && d.Kernel != "580.159.04" {
			t.Errorf("kernel driver %q", d.Kernel)
		}
	}
}

func TestDiagnoseHere(t *testing.T) {
	d := Diagnose()
	t.Logf("%+v", d)
	if (d.Err == nil) != (len(d.GPUs) > 0) || (d.Err == nil) != (d.Advice == "") {
		t.Errorf("GPUs %v, error %v, advice %q", d.GPUs, d.Err, d.Advice)
	}
}
