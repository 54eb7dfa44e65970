"""What the dense search of TestSimilar is set beside: torch's bfloat16 product and topk.

    python3 dense.py folder [scale]

prints a JSON list of rows, times in microseconds, medians of rounds. A chunk is how many rows are
multiplied at a time; 0 is all. Of the hits, found says how many are those of float64. It leaves the
vectors in the folder, which are rows.f32 with the queries behind, and the hits of float64,
hits-10.i64 and hits-128.i64, for TestSimilar -dense.
"""
import json, os, statistics, sys
import torch

folder = sys.argv[1]
scale = int(sys.argv[2]) if len(sys.argv) > 2 else 1
torch.manual_seed(1)
n, cols, most = 1_000_000 // scale, 768, 1024


def clock(call, rounds):
    times = []
    for i in range(rounds + 2):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        end.record()
        end.synchronize()
        if i > 1:
            times.append(start.elapsed_time(end) * 1e3)
    return statistics.median(times)


def normal(n):
    x = torch.randn(n, cols, device="cuda")
    return x / x.norm(dim=1, keepdim=True)


def search(x, q, k, chunk):
    if not chunk:
        return torch.topk(q @ x.T, k, dim=1)
    values, at = [], []
    for first in range(0, len(x), chunk):
        v, i = torch.topk(q @ x[first:first + chunk].T, k, dim=1)
        values.append(v)
        at.append(i + first)
    v, i = torch.topk(torch.cat(values, 1), k, dim=1)
    return v, torch.cat(at, 1).gather(1, i)


x32, q32 = normal(n), normal(most)
x, q = x32.bfloat16(), q32.bfloat16()
rows = []
exact = {}
for k in (10, 128):
    q64, step = q32.double(), max(1, n // 16)
    parts = [(torch.topk(q64 @ x32[i:i + step].double().T, k, dim=1), i) for i in range(0, n, step)]
    v, i = torch.topk(torch.cat([p.values for p, _ in parts], 1), k, dim=1)
    exact[k] = torch.cat([p.indices + first for p, first in parts], 1).gather(1, i)
    exact[k].cpu().numpy().tofile(os.path.join(folder, f"hits-{k}.i64"))
torch.cat([x32, q32]).cpu().numpy().tofile(os.path.join(folder, "rows.f32"))
for count, k in [(16, 10), (64, 10), (256, 10), (1024, 10), (1024, 128)]:
    some = q[:count]
    rows.append({"what": "matmul", "n": n, "queries": count, "torch_us": clock(lambda: some @ x.T, 9)})
    rows.append({"what": "max", "n": n, "queries": count, "torch_us": clock(lambda: torch.max(some @ x.T, dim=1), 5)})
    scores = some @ x.T
    rows.append({"what": "topk", "n": n, "queries": count, "k": k, "torch_us": clock(lambda: torch.topk(scores, k, dim=1), 5)})
    del scores
    for chunk in (0, 262144):
        took = clock(lambda: search(x, some, k, chunk), 5)
        hits = search(x, some, k, chunk)[1]
        found = sum(len(set(a) & set(b)) for a, b in zip(hits.tolist(), exact[k][:count].tolist())) / (count * k)
        rows.append({"what": "dense", "n": n, "queries": count, "k": k, "chunk": chunk, "torch_us": took, "found": found})
print(json.dumps({"torch": torch.__version__, "device": torch.cuda.get_device_name(), "rows": rows}, indent="\t"))
