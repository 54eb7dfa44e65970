//! Kernels in Zig, for the tests of programs that call CUDA.

/// saxpy computes y = a*x + y.
export fn saxpy(n: u32, a: f32, x: [*]addrspace(.global) const f32, y: [*]addrspace(.global) f32) callconv(.nvptx_kernel) void {
    const i = @workGroupId(0) * @workGroupSize(0) + @workItemId(0);
    if (i < n) y[i] = a * x[i] + y[i];
}

const block = 128;
var tile: [block]f32 addrspace(.shared) = undefined;

fn barrier() void {
    asm volatile ("bar.sync 0;" ::: .{ .memory = true });
}

/// reverse reverses each block of x.
export fn reverse(x: [*]addrspace(.global) const f32, y: [*]addrspace(.global) f32) callconv(.nvptx_kernel) void {
    const t = @workItemId(0);
    const first = @workGroupId(0) * block;
    tile[t] = x[first + t];
    barrier();
    y[first + t] = tile[block - 1 - t];
}

/// reverse_racing has no barrier between the writes and the reads.
export fn reverse_racing(x: [*]addrspace(.global) const f32, y: [*]addrspace(.global) f32) callconv(.nvptx_kernel) void {
    const t = @workItemId(0);
    const first = @workGroupId(0) * block;
    tile[t] = x[first + t];
    y[first + t] = tile[block - 1 - t];
}
