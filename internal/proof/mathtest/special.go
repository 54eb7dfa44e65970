package mathtest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// value is the value of a function at some argument, or two.
type value struct{ x, y, want float64 }

// special parses the function's special values.
func (f *Function) special() ([]value, error) {
	var list []value
	for _, text := range strings.Fields(f.Special) {
		args, result, ok := strings.Cut(text, ":")
		first, second, pair := strings.Cut(args, ",")
		if !ok || pair != f.Pair {
			return nil, fmt.Errorf("%s: %q is not a special value", f.Name, text)
		}
		var v value
		for s, to := range map[*float64]string{&v.x: first, &v.y: second, &v.want: result} {
			if to == "" {
				continue
			}
			x, err := strconv.ParseFloat(to, 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %q: %w", f.Name, text, err)
			}
			*s = x
		}
		list = append(list, v)
	}
	return list, nil
}

// same reports whether two results are the same number, zeros with their signs, or both NaN.
func same(a, b float64) bool {
	return a == b && math.Signbit(a) == math.Signbit(b) || a != a && b != b
}
