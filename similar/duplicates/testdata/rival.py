# Prints how many microseconds of processor time datasketch takes for a document of standard input, a
# line each: MinHash of sequences of five words, and a table of 20 bands of 6 values.
import sys
import time

from datasketch import MinHash, MinHashLSH

texts = sys.stdin.read().split("\n")
lsh = MinHashLSH(num_perm=120, params=(20, 6))
start = time.process_time()
for i, text in enumerate(texts):
    words = text.lower().split()
    shingles = {" ".join(words[k : k + 5]).encode() for k in range(len(words) - 4)}
    m = MinHash(num_perm=120)
    m.update_batch(shingles)
    lsh.query(m)
    lsh.insert(i, m)
print((time.process_time() - start) * 1e6 / len(texts))
