//! Kernels in Rust, for the tests of programs that call CUDA.
#![no_std]
#![feature(abi_ptx, stdarch_nvptx)]

use core::arch::nvptx::{_block_dim_x, _block_idx_x, _syncthreads, _thread_idx_x};

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

/// saxpy computes y = a*x + y.
#[no_mangle]
pub unsafe extern "ptx-kernel" fn saxpy(n: u32, a: f32, x: *const f32, y: *mut f32) {
    let i = (_block_idx_x() * _block_dim_x() + _thread_idx_x()) as usize;
    if i < n as usize {
        *y.add(i) = a * *x.add(i) + *y.add(i);
    }
}

/// reverse reverses each block of x, by way of y.
#[no_mangle]
pub unsafe extern "ptx-kernel" fn reverse(x: *const f32, y: *mut f32) {
    let (t, n) = (_thread_idx_x() as usize, _block_dim_x() as usize);
    let first = _block_idx_x() as usize * n;
    *y.add(first + t) = *x.add(first + t);
    _syncthreads();
    let opposite = *y.add(first + n - 1 - t);
    _syncthreads();
    *y.add(first + t) = opposite;
}
