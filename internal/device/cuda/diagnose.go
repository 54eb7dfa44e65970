package cuda

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Oldest is the oldest driver this package works with: of June 2020, the first that has every
// function which has no substitute here.
const Oldest Version = 11000

// Diagnosis describes the driver and the GPUs of this machine, whether they work or not.
type Diagnosis struct {
	// Library is the name the driver's library was loaded by, "" where none could be. Tried are the
	// names and paths tried then.
	Library string
	Tried   []string
	// Version is the newest CUDA version the driver supports, or 0 if it is not known. PTX is the
	// newest PTX it takes, if that is known.
	Version Version
	PTX     PTXVersion
	// Kernel is the version of the driver in the system's kernel, "580.159.04", or "" if there is
	// none or its version is not known.
	Kernel string
	// Nodes are the device files of GPUs and their driver.
	Nodes []string
	// PCI is how many NVIDIA devices are on the PCI bus, driver or not.
	PCI int
	// Container is the kind of container this is, "" for none that shows.
	Container string
	// Hidden are the environment variables that hide GPUs from this process,
	// "CUDA_VISIBLE_DEVICES=".
	Hidden []string
	GPUs   []GPU
	// Err says why no GPU can be used, nil where one can; Advice what to do about it.
	Err    error
	Advice string
}

// GPU describes one GPU.
type GPU struct {
	Name            string
	Capability      string // "9.0"
	Memory          int64  // bytes
	Multiprocessors int
	ClockMHz        int // the multiprocessors' highest
	MemoryClockMHz  int
	BusBits         int // width of the memory bus
	ECC             bool
	Err             error // what could not be read
}

// Diagnose looks at this machine.
func Diagnose() Diagnosis {
	d := lookAround(os.DirFS("/"), os.Getenv)
	driver, err := Open()
	d.ask(driver, err)
	return d
}

// ask fills in the driver's answers, or advice if it gives none.
func (d *Diagnosis) ask(driver *Driver, err error) {
	var lib *LibraryError
	if errors.As(err, &lib) {
		d.Tried = lib.Tried
	}
	if driver != nil {
		d.Library, d.Version = driver.Path(), driver.Version()
		d.PTX, _ = d.Version.PTX()
	}
	n := 0
	if err == nil {
		n, err = driver.DeviceCount()
	}
	for i := range n {
		d.GPUs = append(d.GPUs, describe(driver, i))
	}
	switch {
	case err != nil:
		d.Err = err
	case n == 0:
		d.Err = errors.New("the driver sees no GPU")
	case d.Version < Oldest:
		d.Err = fmt.Errorf("the driver is too old: it supports CUDA %v, %v or newer is needed", d.Version, Oldest)
	}
	if d.Err != nil {
		d.Advice = d.advise()
	}
}

// describe reads the facts of a GPU.
func describe(driver *Driver, number int) GPU {
	var g GPU
	var errs []error
	note := func(err error) { errs = append(errs, err) }
	get := func(a Attribute) int {
		v, err := driver.Attribute(number, a)
		note(err)
		return v
	}
	var err error
	g.Name, err = driver.DeviceName(number)
	note(err)
	g.Memory, err = driver.DeviceMemory(number)
	note(err)
	g.Capability = fmt.Sprintf("%d.%d", get(ComputeCapabilityMajor), get(ComputeCapabilityMinor))
	g.Multiprocessors = get(MultiprocessorCount)
	g.ClockMHz, g.MemoryClockMHz = get(ClockRateKHz)/1000, get(MemoryClockRateKHz)/1000
	g.BusBits = get(MemoryBusWidthBits)
	g.ECC = get(ECCEnabled) != 0
	g.Err = errors.Join(errs...)
	return g
}

// lookAround reads what the system's files and the environment say.
func lookAround(root fs.FS, getenv func(string) string) Diagnosis {
	d := Diagnosis{Kernel: kernelVersion(root)}
	for _, pattern := range []string{"dev/nvidia*", "dev/dxg"} {
		nodes, _ := fs.Glob(root, pattern) // the pattern is well formed
		for _, n := range nodes {
			d.Nodes = append(d.Nodes, "/"+n)
		}
	}
	vendors, _ := fs.Glob(root, "sys/bus/pci/devices/*/vendor")
	for _, v := range vendors {
		if text, err := fs.ReadFile(root, v); err == nil && strings.TrimSpace(string(text)) == "0x10de" {
			d.PCI++
		}
	}
	d.Container = container(root, getenv)
	for _, name := range []string{"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"} {
		if v := getenv(name); v != "" && v != "all" {
			d.Hidden = append(d.Hidden, name+"="+v)
		}
	}
	return d
}

// KernelVersion is the version of the driver in this system's kernel, "580.159.04", or "" if there
// is none or its version is not known.
func KernelVersion() string { return kernelVersion(os.DirFS("/")) }

func kernelVersion(root fs.FS) string {
	text, err := fs.ReadFile(root, "proc/driver/nvidia/version")
	if err != nil {
		return ""
	}
	for word := range strings.FieldsSeq(string(text)) {
		if strings.Contains(word, ".") && strings.Trim(word, "0123456789.") == "" {
			return word
		}
	}
	return ""
}

// container names the kind of container this is.
func container(root fs.FS, getenv func(string) string) string {
	exists := func(name string) bool {
		_, err := fs.Stat(root, name)
		return err == nil
	}
	switch cgroup, _ := fs.ReadFile(root, "proc/1/cgroup"); {
	case getenv("KUBERNETES_SERVICE_HOST") != "":
		return "Kubernetes"
	case exists(".dockerenv"), strings.Contains(string(cgroup), "docker"):
		return "Docker"
	case exists("run/.containerenv"):
		return "Podman"
	case strings.Contains(string(cgroup), "containerd"), strings.Contains(string(cgroup), "kubepods"):
		return "containerd"
	}
	return ""
}

// advise says what to do where no GPU can be used.
func (d *Diagnosis) advise() string {
	gpuNodes := len(d.Nodes) > 0
	switch {
	case d.Library == "" && d.Container != "" && !gpuNodes:
		return "this is a container (" + d.Container + ") without NVIDIA's container runtime: start it with the GPU, as \"docker run --gpus all\" does, or ask for nvidia.com/gpu in the pod"
	case d.Library == "" && d.Container != "":
		return "the GPU is in this container, the driver's library is not: NVIDIA_DRIVER_CAPABILITIES must have \"compute\" (\"compute,utility\" is usual)"
	case d.Library == "" && (gpuNodes || d.Kernel != ""):
		return "the driver is in the kernel, but its library for computing is not installed: the package is called libcuda1, libnvidia-compute or nvidia-driver-cuda"
	case d.Library == "" && d.PCI > 0:
		return "there is an NVIDIA device on the PCI bus, but no driver: install NVIDIA's"
	case d.Library == "":
		return "there is no NVIDIA GPU here, as far as one can see without its driver"
	case d.Version > 0 && d.Version < Oldest:
		return "install a newer driver"
	case len(d.Hidden) > 0 && !isLibraryTrouble(d.Err):
		return "these hide GPUs: " + strings.Join(d.Hidden, ", ")
	case !gpuNodes:
		return "there are no device files (/dev/nvidia0, /dev/nvidiactl, /dev/nvidia-uvm): load the driver's kernel module, or give the container the devices"
	}
	return "run nvidia-smi: if that fails too, the driver's installation is broken; the kernel's log says more"
}

// isLibraryTrouble reports that the library itself cannot be used.
func isLibraryTrouble(err error) bool {
	const stub, mismatch Result = 34, 803
	return errors.Is(err, stub) || errors.Is(err, mismatch)
}
