"""CUDA's driver API by ctypes: no more of it than the tests need."""

import ctypes

PTX = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry reverse(.param .u64 a)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 tile[512];
    ld.param.u64 %rd1, [a];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, tile;
    shl.b32 %r3, %r1, 2;
    add.u32 %r2, %r2, %r3;
    st.shared.u32 [%r2], %r1;
    BARRIER
    xor.b32 %r3, %r3, 508;
    mov.u32 %r4, tile;
    add.u32 %r4, %r4, %r3;
    ld.shared.u32 %r4, [%r4];
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.u32 [%rd3], %r4;
    ret;
}
"""

cuda = ctypes.CDLL("libcuda.so.1")
state = {}


def ok(result):
    assert result == 0, f"CUDA's error {result}"


def context():
    if not state:
        device, state["context"] = ctypes.c_int(), ctypes.c_void_p()
        ok(cuda.cuInit(0))
        ok(cuda.cuDeviceGet(ctypes.byref(device), 0))
        ok(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(state["context"]), device))
    ok(cuda.cuCtxSetCurrent(state["context"]))


def reverse(barrier):
    """Launches a kernel that has a race without its barrier, and does not wait for it."""
    context()
    module, function, buffer = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
    text = PTX.replace(b"BARRIER", b"bar.sync 0;" if barrier else b"")
    ok(cuda.cuModuleLoadData(ctypes.byref(module), text))
    ok(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"reverse"))
    ok(cuda.cuMemAlloc_v2(ctypes.byref(buffer), 512))
    params = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(buffer), ctypes.c_void_p))
    ok(cuda.cuLaunchKernel(function, 1, 1, 1, 128, 1, 1, 0, None, params, None))


if __name__ == "__main__":
    reverse(barrier=False)
