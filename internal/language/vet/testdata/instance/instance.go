// Package instance calls algorithms whose kernels are compiled here, elsewhere, or nowhere.
package instance

import (
	"context"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/parallel"
)

type record struct{ key, value int32 }

type byKey struct{}

func (byKey) Less(a, b record) bool { return a.key < b.key }

type total struct{}

func (total) Identity() record { return record{} }

func (total) Combine(a, b record) record { return record{a.key + b.key, a.value + b.value} }

//gpu:instance parallel.SortBy[record,byKey]
//gpu:instance T=int16,[2]int32 K=uint32 parallel.SortPairs[K,T]

func calls(ctx context.Context, w *parallel.Workspace, x gridstride.Buffer[record], keys gridstride.Buffer[uint32]) {
	parallel.SortBy(w, x, byKey{})
	parallel.Sum(ctx, w, keys)                  // package parallel has its kernel
	parallel.Merge(w, x, x, x, byKey{})         // want `no kernel of parallel.Merge\[record,byKey\] is compiled: write //gpu:instance parallel.Merge\[record,byKey\] in the package of its types, and run gridstride build`
	parallel.Merge(w, x, x, x, byKey{})         // it was said above
	parallel.InclusiveScan(w, x, x, total{})    // want `no kernel of parallel.InclusiveScan\[record,total\]`
	parallel.Reduce[record](ctx, w, x, total{}) // want `no kernel of parallel.Reduce\[record,total\]`
	sort := parallel.Sort[int8]                 // want `no kernel of parallel.Sort\[int8\]`
	_ = sort
	//gpu:allow vet the caller falls back to the host
	parallel.ExclusiveScan(w, keys, keys, parallel.Larger[uint32]{})
	parallel.Max(ctx, w, keys)
}

func pairs(w *parallel.Workspace, keys gridstride.Buffer[uint32], a gridstride.Buffer[int16], b gridstride.Buffer[[2]int32], c gridstride.Buffer[[3]int32]) {
	parallel.SortPairs(w, keys, a)
	parallel.SortPairs(w, keys, b)
	parallel.SortPairs(w, keys, c) // want `no kernel of parallel.SortPairs\[uint32,\[3\]int32\]`
}

// Its callers need the instances.
//
//gpu:needs parallel.SortBy[T,O]
func both[T any, O parallel.Order[T]](w *parallel.Workspace, x, y gridstride.Buffer[T], by O) {
	parallel.SortBy(w, x, by)
	parallel.SortBy(w, y, by)
}

type byValue struct{}

func (byValue) Less(a, b record) bool { return a.value < b.value }

func users(w *parallel.Workspace, x gridstride.Buffer[record]) {
	both(w, x, x, byKey{})
	both(w, x, x, byValue{}) // want `no kernel of both\[record,byValue\]`
}
