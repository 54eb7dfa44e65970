// Package shortlist finds the rows of a matrix that are most like each of many queries, on a device
// whose tensor cores compute rough scores of all, and in float32 or float64 the scores of rows that
// may be among the best. The result equals that from exact scores, bit for bit.
//
// Rows and queries have copies in BFloat16 ([narrow]). For a query q of length 1 and a row y, what
// tensor cores make of the copies, r, differs from q·y by at most
//
//	|q-q'|*|y| + |q'|*|y-y'| + c*|q'|*|y'|
//
// where q' and y' are the copies, and c bounds the errors of their sums and of the exact scores'
// sums. The norms of the differences are measured when the copies are made. So each row has a size,
// which is the larger one of |y| and 2^9*|y-y'|, each query has a slack, and no exact score is off
// from r by more than their product.
//
// A row is worth a look where r + slack*size reaches the k-th largest r - slack*size: k rows have
// at least that score. Rows come in portions ([filter]). Each leaves on a query's list those that
// reach the limit of the ones before, and then the limit is raised ([tighten]). In the end exact
// scores of those on the list are computed, and chosen among ([rank]).
//
// A list has a fixed length. If it runs over, as with many thousands of rows that are equally near,
// and for queries and rows outside of BFloat16's range, all rows of the matrix get an exact score
// for that query ([scan]). A row with numbers that are not finite, or a norm outside of 2^-50 to
// 2^50 that is not 0, has a copy of zeros and an infinite size: it is on each list.
package shortlist
