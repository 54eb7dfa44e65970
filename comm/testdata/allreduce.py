"""Times NCCL's all-reduce of float32 in PyTorch on all GPUs of the machine, as BenchmarkAllReduce of
package comm times ours, and prints JSON:

    python3 allreduce.py > nccl.json
"""

import json
import os
import statistics

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

CALLS, ROUNDS = 10, 20


def measure(size, ranks):
    data = torch.zeros(size // 4, dtype=torch.float32, device="cuda")
    for _ in range(3):
        dist.all_reduce(data)
    torch.cuda.synchronize()
    times = []
    for _ in range(ROUNDS):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(CALLS):
            dist.all_reduce(data)
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1e3 / CALLS)
    us = statistics.median(times)
    return {"bytes": size, "us": us, "bus_GB_per_s": 2 * (ranks - 1) / ranks * size / us / 1e3}


def work(rank, ranks):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=ranks)
    figures = [measure(4**k, ranks) for k in range(5, 16)]
    if rank == 0:
        print(json.dumps({
            "torch": torch.__version__, "nccl": ".".join(map(str, torch.cuda.nccl.version())),
            "gpu": torch.cuda.get_device_name(0), "ranks": ranks, "figures": figures,
        }, indent=1))
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29531")
    os.environ["NCCL_NVLS_ENABLE"] = "0"  # NVLink multicast stays off
    mp.spawn(work, args=(torch.cuda.device_count(),), nprocs=torch.cuda.device_count())
