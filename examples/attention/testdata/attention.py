"""The yardstick of BenchmarkForwardOnGPU: PyTorch's scaled_dot_product_attention, 16 heads of size
128 with 4,096 tokens each, bfloat16. Prints the median of 50 runs, in microseconds, as JSON."""

import json

import torch
import torch.nn.functional as F

q, k, v = (torch.rand(1, 16, 4096, 128, device="cuda").mul(2).sub(1).bfloat16() for _ in range(3))
result = {"device": torch.cuda.get_device_name(), "torch": torch.__version__}
for causal in (False, True):
    times = []
    for _ in range(60):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        end.record()
        end.synchronize()
        times.append(1000 * start.elapsed_time(end))
    result[f"causal={str(causal).lower()}"] = sorted(times[10:])[25]
print(json.dumps(result))
