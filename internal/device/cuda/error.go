package cuda

import (
	"fmt"
	"strconv"
)

// Result is a CUresult, the driver's status code. It is comparable and can be matched with
// errors.Is.
type Result uint32

// The results that callers act on. resultNames knows the rest.
const (
	Success                  Result = 0
	InvalidValue             Result = 1
	OutOfMemory              Result = 2
	NotInitialized           Result = 3
	NoDevice                 Result = 100
	InvalidDevice            Result = 101
	InvalidContext           Result = 201
	NoBinaryForGPU           Result = 209
	InvalidPTX               Result = 218
	UnsupportedPTXVersion    Result = 222
	InvalidHandle            Result = 400
	NotFound                 Result = 500
	NotReady                 Result = 600
	IllegalAddress           Result = 700
	LaunchOutOfResources     Result = 701
	LaunchTimeout            Result = 702
	PeerAccessAlreadyEnabled Result = 704
	Assert                   Result = 710
	HardwareStackError       Result = 714
	IllegalInstruction       Result = 715
	MisalignedAddress        Result = 716
	InvalidAddressSpace      Result = 717
	InvalidPC                Result = 718
	LaunchFailed             Result = 719

	CooperativeLaunchTooLarge Result = 720
)

// Name is the driver's name of the result, such as "CUDA_ERROR_OUT_OF_MEMORY".
func (r Result) Name() string {
	if n, ok := resultNames[r]; ok {
		return n.name
	}
	return "CUDA_ERROR_" + strconv.Itoa(int(r))
}

// Error describes the result: its name and what it means.
func (r Result) Error() string {
	if n, ok := resultNames[r]; ok && n.meaning != "" {
		return n.name + " (" + n.meaning + ")"
	}
	return r.Name()
}

// Sticky reports whether the result leaves the context unusable: every later call on it fails the
// same way, and so does making another in the same process.
func (r Result) Sticky() bool {
	switch r {
	case IllegalAddress, LaunchTimeout, Assert, HardwareStackError, IllegalInstruction, MisalignedAddress, InvalidAddressSpace, InvalidPC, LaunchFailed:
		return true
	}
	return false
}

// An Error is a driver call that failed: what was attempted, on what, and the driver's answer.
// errors.Is matches it with its Result.
type Error struct {
	Result Result
	Op     string // the driver function: "cuMemAlloc_v2"
	Object string // of the call: "1048576 bytes on device 0", "" when there is none
	Log    string // the JIT's log, of a module that does not load
}

func (e *Error) Error() string {
	s := e.Op
	if e.Object != "" {
		s += " " + e.Object
	}
	s = fmt.Sprintf("%s: %s", s, e.Result.Error())
	if e.Log != "" {
		s += "\n" + e.Log
	}
	return s
}

// Unwrap returns the Result.
func (e *Error) Unwrap() error { return e.Result }

var resultNames = map[Result]struct{ name, meaning string }{
	0:   {"CUDA_SUCCESS", ""},
	1:   {"CUDA_ERROR_INVALID_VALUE", "an argument is out of range"},
	2:   {"CUDA_ERROR_OUT_OF_MEMORY", "no room on the device"},
	3:   {"CUDA_ERROR_NOT_INITIALIZED", ""},
	4:   {"CUDA_ERROR_DEINITIALIZED", "the driver is shutting down"},
	34:  {"CUDA_ERROR_STUB_LIBRARY", "libcuda is the toolkit's stub: the driver itself is not installed"},
	46:  {"CUDA_ERROR_DEVICE_UNAVAILABLE", "another process holds the device exclusively"},
	100: {"CUDA_ERROR_NO_DEVICE", "the driver sees no GPU"},
	101: {"CUDA_ERROR_INVALID_DEVICE", "no device of this number"},
	200: {"CUDA_ERROR_INVALID_IMAGE", "the module is damaged"},
	201: {"CUDA_ERROR_INVALID_CONTEXT", "no context is current on this thread"},
	205: {"CUDA_ERROR_MAP_FAILED", ""},
	209: {"CUDA_ERROR_NO_BINARY_FOR_GPU", "the module has no code this GPU can run"},
	214: {"CUDA_ERROR_ECC_UNCORRECTABLE", "the device's memory has an uncorrectable error"},
	218: {"CUDA_ERROR_INVALID_PTX", "the driver's compiler refuses the PTX"},
	221: {"CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "libnvidia-ptxjitcompiler is missing next to libcuda"},
	222: {"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the PTX is of a newer version than the driver takes"},
	223: {"CUDA_ERROR_JIT_COMPILATION_DISABLED", "CUDA_DISABLE_PTX_JIT is set"},
	300: {"CUDA_ERROR_INVALID_SOURCE", ""},
	301: {"CUDA_ERROR_FILE_NOT_FOUND", ""},
	304: {"CUDA_ERROR_OPERATING_SYSTEM", ""},
	400: {"CUDA_ERROR_INVALID_HANDLE", "the object does not belong to this context, or is gone"},
	500: {"CUDA_ERROR_NOT_FOUND", "no such name in the module"},
	600: {"CUDA_ERROR_NOT_READY", ""},
	700: {"CUDA_ERROR_ILLEGAL_ADDRESS", "a kernel accessed memory it may not"},
	701: {"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "a block needs more registers or shared memory than there are"},
	702: {"CUDA_ERROR_LAUNCH_TIMEOUT", "the kernel ran longer than the display driver allows"},
	709: {"CUDA_ERROR_CONTEXT_IS_DESTROYED", ""},
	710: {"CUDA_ERROR_ASSERT", "a device-side assert failed"},
	712: {"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", ""},
	714: {"CUDA_ERROR_HARDWARE_STACK_ERROR", ""},
	715: {"CUDA_ERROR_ILLEGAL_INSTRUCTION", "a kernel ran into an illegal instruction or a trap"},
	716: {"CUDA_ERROR_MISALIGNED_ADDRESS", "a kernel accessed an address not aligned to the access"},
	717: {"CUDA_ERROR_INVALID_ADDRESS_SPACE", ""},
	718: {"CUDA_ERROR_INVALID_PC", ""},
	719: {"CUDA_ERROR_LAUNCH_FAILED", "the kernel failed"},
	720: {"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "more blocks than run at once"},
	800: {"CUDA_ERROR_NOT_PERMITTED", ""},
	801: {"CUDA_ERROR_NOT_SUPPORTED", "this device or driver cannot do it"},
	802: {"CUDA_ERROR_SYSTEM_NOT_READY", "the fabric manager or a driver service is not running"},
	803: {"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "libcuda and the kernel driver are of different versions"},
	804: {"CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "the forward-compatibility libcuda does not support this GPU"},
	900: {"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", ""},
	999: {"CUDA_ERROR_UNKNOWN", "often a driver that lost its device: see the kernel's log"},
}
