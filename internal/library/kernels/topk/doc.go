// Package topk selects the best of many scores on a device while they are computed. Nothing but a
// block's best candidates is ever in memory.
//
// A block keeps a [Lists] for its queries. A score that is among the k best so far, by (score
// descending, row ascending), is a candidate and goes to the end of its query's list. A nearly full
// list is put in order and cut to its k best, as in [collective.TopK], and the last of these is the
// limit from then on. Of n scores in a random order some k*ln(n/k) become candidates, so that this
// is rare. In the end every block leaves its best in order, and the kernel merge chooses among
// those of all blocks.
//
// Which scores are chosen depends on the scores alone: not on the blocks, and not on the order in
// which candidates arrive. NaN is never chosen.
package topk
