"""What TestEpilogue is set beside: torch's products of bfloat16 with a bias and an activation.

    python3 epilogue.py

prints a JSON list of rows, times in microseconds, medians of rounds. The product in one call leaves
bfloat16, half the bytes of ours; the one in several leaves float32 between them.
"""
import json, statistics
import torch
import torch.nn.functional as F


def clock(call, rounds=11, repeat=5):
    times = []
    for i in range(rounds + 2):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(repeat):
            call()
        end.record()
        end.synchronize()
        if i > 1:
            times.append(start.elapsed_time(end) * 1e3 / repeat)
    return statistics.median(times)


rows = []
for n in (2048, 4096, 8192):
    a, b = (torch.randn(n, n, device="cuda").bfloat16() for _ in range(2))
    bias, bias32 = torch.randn(n, device="cuda").bfloat16(), torch.randn(n, device="cuda")
    calls = {
        "product": lambda: a @ b.T,
        "bias": lambda: F.linear(a, b, bias),
        "bias-relu": lambda: torch._addmm_activation(bias, a, b.T),
        "bias-gelutanh": lambda: torch._addmm_activation(bias, a, b.T, use_gelu=True),
        "bias-gelu in two": lambda: F.gelu(F.linear(a, b, bias)),
        "product to float32": lambda: torch.mm(a, b.T, out_dtype=torch.float32),
        "bias-relu to float32 in two": lambda: torch.relu_(torch.mm(a, b.T, out_dtype=torch.float32).add_(bias32)),
        "bias-gelu to float32 in two": lambda: F.gelu(torch.mm(a, b.T, out_dtype=torch.float32).add_(bias32)),
    }
    for name, call in calls.items():
        try:
            rows.append({"what": name, "n": n, "torch_us": clock(call)})
        except Exception as e:
            rows.append({"what": name, "n": n, "error": str(e)[:200]})
print(json.dumps({"torch": torch.__version__, "rows": rows}, indent="\t"))
