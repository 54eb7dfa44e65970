// dispatch: a byte-code interpreter, so that the switch becomes a jump table and lanes diverge. Program p of thread i is code[(i%4)*8 ..+8]; each op
// acts on acc (starting at i): 0 add 3, 1 mul 5, 2 xor 0x55, 3 shift left 1, 4 subtract i, 5 not, 6 square, 7 stop. out[i] = acc. Grid*block covers n.
extern "C" __global__ void dispatch(const unsigned char *code, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int acc = i;
    for (int pc = 0; pc < 8; pc++) {
        switch (code[(i % 4) * 8 + pc]) {
        case 0: acc += 3; break;
        case 1: acc *= 5; break;
        case 2: acc ^= 0x55; break;
        case 3: acc <<= 1; break;
        case 4: acc -= i; break;
        case 5: acc = ~acc; break;
        case 6: acc *= acc; break;
        case 7: pc = 8; break;
        }
    }
    out[i] = acc;
}
