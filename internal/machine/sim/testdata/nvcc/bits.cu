// bits: integer instructions one by one. For x = in[2i], y = in[2i+1], out[16i..] = popc(x), clz(x), brev(x), ffs(x), x rotated left by y%32
// (funnel shift), byte_perm(x, y, 0x3715), mulhi(x, y), umul24-like 24 bit product, sad |x-y|, popcll of x:y, clzll of x:y, x/y (0 when y is 0),
// x%y (0 when y is 0), signed x / signed y (0 when y is 0 or overflow), bits 5..12 of x, dp4a(x, y, 1). Grid*block covers n pairs.
extern "C" __global__ void bits(const unsigned *in, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = in[2 * i], y = in[2 * i + 1], *o = out + 16 * i;
    unsigned long long w = (unsigned long long)x << 32 | y;
    int sx = x, sy = y;
    o[0] = __popc(x);
    o[1] = __clz(x);
    o[2] = __brev(x);
    o[3] = __ffs(x);
    o[4] = __funnelshift_l(x, x, y % 32);
    o[5] = __byte_perm(x, y, 0x3715);
    o[6] = __umulhi(x, y);
    o[7] = __umul24(x, y);
    o[8] = __usad(x, y, 0);
    o[9] = __popcll(w);
    o[10] = __clzll(w);
    o[11] = y ? x / y : 0;
    o[12] = y ? x % y : 0;
    o[13] = y && !(sx == (int)0x80000000 && sy == -1) ? sx / sy : 0;
    o[14] = (x >> 5) & 0xff;
    o[15] = __dp4a(sx, sy, 1);
}
