"""What TestSimilar is set beside: the same searches with torch, and all pairs with cuSPARSE.

    python3 similar.py [scale]

prints a JSON list of rows, times in microseconds, medians of rounds. Float32 is computed as such,
without TF32. A scale divides the sizes.
"""
import json, math, statistics, sys
import numpy, torch, cupy, cupyx.scipy.sparse

scale = int(sys.argv[1]) if len(sys.argv) > 1 else 1
torch.backends.cuda.matmul.allow_tf32 = False
torch.manual_seed(1)
rows = []


def clock(call, rounds, repeat):
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


def dense():
    n = 1_000_000 // scale
    x = torch.randn(n, 768, device="cuda")
    for q, k in [(1, 10), (1, 128), (8, 10), (48, 10), (64, 10), (1024, 10), (1024, 128)]:
        queries = torch.randn(q, 768, device="cuda")
        product = (lambda: torch.topk(x @ queries[0], k)) if q == 1 else (lambda: torch.topk(queries @ x.T, k, dim=1))
        rounds, repeat = (11, 5) if q <= 8 else (3, 1)
        rows.append({"what": "vectors/dot", "n": n, "queries": q, "k": k, "torch_us": clock(product, rounds, repeat)})


def pairs():
    n, ranks, words = 100_000 // scale, 500_000, 100
    r = numpy.random.default_rng(2)
    term = numpy.exp(r.random(n * words) * math.log(ranks + 1)).astype(numpy.int64)
    key = numpy.unique(numpy.repeat(numpy.arange(n), words) * (ranks + 1) + term)
    doc, term = key // (ranks + 1), key % (ranks + 1)
    starts = numpy.searchsorted(doc, numpy.arange(n + 1))
    a = cupyx.scipy.sparse.csr_matrix((cupy.asarray(r.random(len(key))), cupy.asarray(term.astype(numpy.int32)), cupy.asarray(starts.astype(numpy.int32))),
                                      shape=(n, ranks + 1))
    together, batches = 256, 3
    at = a.T.tocsr()

    def best(dense):
        torch.topk(torch.from_dlpack(dense), 10, dim=1)

    def sparse_product(i):
        best((a[i * together:(i + 1) * together] @ at).toarray())

    def dense_product(i):
        best(cupy.ascontiguousarray((a @ cupy.asfortranarray(a[i * together:(i + 1) * together].toarray().T)).T))

    for name, product in [("spgemm", sparse_product), ("spmm", dense_product)]:
        try:
            step = iter(range(100))
            took = clock(lambda: product(next(step)), batches, 1)
        except Exception as e:
            rows.append({"what": "pairs/" + name, "n": n, "error": str(e)[:200]})
            continue
        rows.append({"what": "pairs/" + name, "n": n, "queries": n, "k": 10, "cusparse_us": took * n / together,
                     "note": f"{together} rows at a time, {batches} batches, taken for all; float64"})


stream = cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)
with stream:
    for part in (dense, pairs):
        part()
        torch.cuda.empty_cache()
        cupy.get_default_memory_pool().free_all_blocks()
print(json.dumps({"torch": torch.__version__, "cupy": cupy.__version__, "rows": rows}, indent="\t"))
