// math: floating point. For x = in[i]: out[12i..] = sqrtf, rsqrtf, fmaf(x,x,1), x/3, floorf, truncf, rintf, fminf(x,1), copysignf(1,x), expf, logf(|x|), sinf.
// The first eight but rsqrtf, and copysign, are exact (bit for bit) when built without fast math; the rest to a few ulp. Grid*block covers n.
extern "C" __global__ void math(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i], *o = out + 12 * i;
    o[0] = sqrtf(x);
    o[1] = rsqrtf(x);
    o[2] = fmaf(x, x, 1.0f);
    o[3] = x / 3.0f;
    o[4] = floorf(x);
    o[5] = truncf(x);
    o[6] = rintf(x);
    o[7] = fminf(x, 1.0f);
    o[8] = copysignf(1.0f, x);
    o[9] = expf(x);
    o[10] = logf(fabsf(x));
    o[11] = sinf(x);
}
