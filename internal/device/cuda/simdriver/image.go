//go:build linux

package simdriver

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/ptx/fatbin"
)

// errMachineCode is the error of an image that is machine code.
var errMachineCode = errors.New("it is machine code (a cubin), which the simulator does not run: give it PTX, or a fat binary that holds PTX")

// sm is the compute capability that images are chosen for, 90 for 9.0.
func (d *driver) sm() int { return 10*d.cfg.Capability[0] + d.cfg.Capability[1] }

// textOf is the PTX of an image at an address: PTX itself, a fat binary, or what points to one.
func (d *driver) textOf(image uintptr) (string, error) {
	if image == 0 {
		return "", fatbin.ErrDamaged
	}
	switch first := memoryAt(image, 4); {
	case first[0] == 0 || first[1] == 0 || first[2] == 0:
		return cString(image), nil
	case binary.LittleEndian.Uint32(first) == fatbin.WrapperMagic:
		return d.textOf(*at[uintptr](image + fatbin.WrapperData))
	case binary.LittleEndian.Uint32(first) == fatbin.Magic:
		n, err := fatbin.Size(memoryAt(image, fatbin.HeaderSize))
		if err != nil {
			return "", err
		}
		return fatbin.Best(memoryAt(image, uintptr(n)), d.sm())
	case binary.LittleEndian.Uint32(first) == fatbin.ELFMagic:
		return "", errMachineCode
	}
	return cString(image), nil
}

// textOfFile is the PTX of a file of a name.
func (d *driver) textOfFile(name uintptr) (string, cuda.Result) {
	if name == 0 {
		return "", cuda.InvalidValue
	}
	data, err := os.ReadFile(cString(name))
	if err != nil {
		return "", fileNotFound
	}
	text, err := d.textIn(data)
	if err != nil {
		return "", imageResult(err)
	}
	return text, cuda.Success
}

// textIn is the PTX of an image of a known size.
func (d *driver) textIn(data []byte) (string, error) {
	if len(data) < 4 {
		return string(data), nil
	}
	switch binary.LittleEndian.Uint32(data) {
	case fatbin.Magic:
		return fatbin.Best(data, d.sm())
	case fatbin.ELFMagic:
		return "", errMachineCode
	}
	for i, c := range data {
		if c == 0 {
			data = data[:i]
			break
		}
	}
	return string(data), nil
}

const fileNotFound cuda.Result = 301

// imageResult is the driver's result for an image that does not load. Where no PTX is to be had the reason
// is printed, as a program can print no more than the result's name.
func imageResult(err error) cuda.Result {
	switch {
	case errors.Is(err, errMachineCode), errors.Is(err, fatbin.ErrNoPTX):
		fmt.Fprintf(os.Stderr, "gridstride: an image does not load: %v\n", err)
		return cuda.NoBinaryForGPU
	case errors.Is(err, fatbin.ErrDamaged):
		return 200 // CUDA_ERROR_INVALID_IMAGE
	}
	return cuda.InvalidPTX
}
