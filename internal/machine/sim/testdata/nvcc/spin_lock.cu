// spin_lock: every thread of every block takes one lock and adds its index to *sum without atomics; progress needs independent thread
// scheduling. *lock is 0 before and after; *sum = n(n-1)/2 with n = grid*block.
extern "C" __global__ void spin_lock(int *lock, volatile unsigned long long *sum) {
    unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x;
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *sum = *sum + i;
    __threadfence();
    atomicExch(lock, 0);
}
