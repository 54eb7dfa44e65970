//go:build linux

package simdriver

import (
	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/device/cuda/driverapi"
)

// needed are the positions of arguments that a program must not give NULL: where results go, strings
// and structures that are read. Functions that are not here look themselves.
var needed = map[string][]int{
	"cuDriverGetVersion": {0}, "cuDeviceGetCount": {0}, "cuDeviceGet": {0}, "cuDeviceGetName": {0},
	"cuDeviceGetAttribute": {0}, "cuDeviceTotalMem": {0}, "cuDeviceTotalMem_v2": {0}, "cuDeviceCanAccessPeer": {0},
	"cuDeviceGetDefaultMemPool": {0}, "cuDeviceGetPCIBusId": {0}, "cuDeviceGetByPCIBusId": {0, 1}, "cuDevicePrimaryCtxRetain": {0},
	"cuDevicePrimaryCtxGetState": {1, 2},
	"cuCtxCreate_v2":             {0}, "cuCtxGetCurrent": {0}, "cuCtxGetDevice": {0}, "cuCtxGetFlags": {0}, "cuCtxGetLimit": {0},
	"cuCtxGetApiVersion": {1},
	"cuGetErrorName":     {1}, "cuGetErrorString": {1},
	"cuMemGetInfo_v2": {0, 1}, "cuMemAlloc_v2": {0}, "cuMemAllocAsync": {0}, "cuMemAllocPitch_v2": {0, 1}, "cuMemAllocManaged": {0},
	"cuMemAllocHost_v2": {0}, "cuMemHostAlloc": {0}, "cuMemHostGetFlags": {0}, "cuMemHostGetDevicePointer_v2": {0},
	"cuMemPoolGetAttribute": {2}, "cuMemPoolSetAttribute": {2}, "cuPointerGetAttribute": {0}, "cuPointerGetAttributes": {1, 2},
	"cuModuleLoad": {0, 1}, "cuModuleLoadData": {0, 1}, "cuModuleLoadDataEx": {0, 1}, "cuModuleLoadFatBinary": {0, 1},
	"cuModuleGetFunction": {0, 2}, "cuModuleGetGlobal_v2": {3}, "cuModuleGetFunctionCount": {0}, "cuModuleEnumerateFunctions": {0},
	"cuLibraryGetKernel": {0, 2}, "cuLibraryGetModule": {0}, "cuLibraryGetGlobal": {3}, "cuKernelGetFunction": {0},
	"cuFuncGetAttribute": {0}, "cuFuncGetModule": {0}, "cuFuncGetName": {0},
	"cuOccupancyMaxActiveBlocksPerMultiprocessor": {0}, "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": {0},
	"cuOccupancyMaxPotentialBlockSize": {0, 1}, "cuOccupancyMaxPotentialBlockSizeWithFlags": {0, 1},
	"cuStreamCreate": {0}, "cuStreamCreateWithPriority": {0}, "cuStreamIsCapturing": {1}, "cuStreamEndCapture": {1},
	"cuEventCreate": {0}, "cuEventElapsedTime": {0}, "cuEventElapsedTime_v2": {0}, "cuGraphCreate": {0},
	"cuGraphInstantiateWithFlags": {0}, "cuGraphInstantiateWithParams": {0, 2}, "cuGraphClone": {0},
	"cuTensorMapEncodeTiled": {0}, "cuTexObjectCreate": {0, 1, 2}, "cuSurfObjectCreate": {0, 1}, "cuArray3DCreate_v2": {0, 1},
	"cuArrayCreate_v2": {0, 1},
}

// checked is a function that refuses NULL where it may not be.
func (f call) checked(name string) call {
	positions := needed[name]
	if f == nil || len(positions) == 0 {
		return f
	}
	return func(a *[driverapi.MaxArgs]uintptr) uintptr {
		for _, i := range positions {
			if a[i] == 0 {
				return code(cuda.InvalidValue)
			}
		}
		return f(a)
	}
}
