// vectors: saxpy over float4 and a struct argument: y[i] = p.a*x[i] + y[i] for 4*p.n floats, p = {a, n}; and half precision: h[i] = half(p.a)*h[i] + half(1)
// for p.n halfs. Grid*block covers p.n.
#include <cuda_fp16.h>
struct Params { float a; int n; };
extern "C" __global__ void vectors(Params p, const float4 *x, float4 *y, __half *h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.n) return;
    float4 u = x[i], v = y[i];
    y[i] = make_float4(p.a * u.x + v.x, p.a * u.y + v.y, p.a * u.z + v.z, p.a * u.w + v.w);
    h[i] = __hfma(__float2half(p.a), h[i], __float2half(1.0f));
}
