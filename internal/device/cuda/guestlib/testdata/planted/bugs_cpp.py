"""Compiles kernels.cu with NVRTC to PTX, and runs its kernels by CUDA's driver API."""

import ctypes
import pathlib
import sys

import numpy as np
from cuda.bindings import driver, nvrtc

KERNELS = ["transpose", "scan", "count", "shift", "bins", "largest", "loop"]


def ok(result):
    assert result[0] == 0, result[0]
    return result[1] if len(result) == 2 else result[1:]


def compiled(right):
    path = pathlib.Path(__file__).with_name("kernels.cu")
    program = ok(nvrtc.nvrtcCreateProgram(path.read_bytes(), str(path).encode(), 0, [], []))
    options = [b"--gpu-architecture=compute_90", b"-lineinfo"] + ([] if right else [b"-DWRONG"])
    result = nvrtc.nvrtcCompileProgram(program, len(options), options)
    if result[0] != 0:
        log = b" " * ok(nvrtc.nvrtcGetProgramLogSize(program))
        ok(nvrtc.nvrtcGetProgramLog(program, log))
        raise RuntimeError(log.decode())
    ptx = b" " * ok(nvrtc.nvrtcGetPTXSize(program))
    ok(nvrtc.nvrtcGetPTX(program, ptx))
    return ptx


def main(right):
    ok(driver.cuInit(0))
    ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(0))))
    module = ok(driver.cuModuleLoadData(compiled(right)))
    x = np.arange(256, dtype=np.float32)
    for name in KERNELS:
        kernel = ok(driver.cuModuleGetFunction(module, name.encode()))
        a, b = ok(driver.cuMemAlloc(1024)), ok(driver.cuMemAlloc(1024))
        ok(driver.cuMemcpyHtoD(a, x.ctypes.data, 1024))
        values = (int(a), int(b)), (ctypes.c_void_p, ctypes.c_void_p)
        ok(driver.cuLaunchKernel(kernel, 1, 1, 1, 16, 16, 1, 0, 0, values, 0))
        ok(driver.cuCtxSynchronize())


main(sys.argv[1] == "right")
