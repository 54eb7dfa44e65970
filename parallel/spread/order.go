package spread

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/parallel"
	"github.com/gridstride/gridstride/parallel/spread/internal/orders"
)

// totalLess is the order in which parallel.Sort sorts.
func totalLess[K parallel.Number](a, b K) bool {
	switch a := any(a).(type) {
	case float32:
		return orders.Total32{}.Less(a, any(b).(float32))
	case float64:
		return orders.Total64{}.Less(a, any(b).(float64))
	}
	return a < b
}

// mergeKeys merges keys that parallel.Sort has sorted.
func mergeKeys[K parallel.Number](w *parallel.Workspace, dst, a, b gridstride.Buffer[K]) error {
	switch dst := any(dst).(type) {
	case gridstride.Buffer[float32]:
		return parallel.Merge(w, dst, any(a).(gridstride.Buffer[float32]), any(b).(gridstride.Buffer[float32]), orders.Total32{})
	case gridstride.Buffer[float64]:
		return parallel.Merge(w, dst, any(a).(gridstride.Buffer[float64]), any(b).(gridstride.Buffer[float64]), orders.Total64{})
	}
	return parallel.Merge(w, dst, a, b, parallel.Ascending[K]{})
}
