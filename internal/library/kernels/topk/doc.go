// Package topk selects the best of many scores on a device while they are computed. Nothing but a
// block's best candidates is ever in memory.
//
// A block keeps a [Lists] for its queries. A score that is among the k best so far, by (score
// descending, row ascending), is a candidate and goes to the end of its query's list. The block
// sorts a nearly full list and cuts it to its k best, as [collective.TopK] does. The last of these
// is the limit from then on. Of n scores in a random order some k*ln(n/k) become candidates, so
// that this is rare. In the end every block leaves its best in order, and the kernel merge chooses
// among all of these.
//
// Which scores are chosen depends on the scores alone: not on the blocks, and not on the order in
// which candidates arrive. NaN is never chosen.
package topk
