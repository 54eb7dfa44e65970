// Package count says how many there are of something: "1 launch", "3 launches".
package count

import (
	"fmt"
	"strings"
)

// Of is a number with its noun. many is the plural, where English does not make it of the singular
// by an s or, after a hiss, by es.
func Of[N int | uint64](n N, one string, many ...string) string {
	switch {
	case n == 1:
		return "1 " + one
	case len(many) > 0:
		return fmt.Sprintf("%d %s", n, many[0])
	case strings.HasSuffix(one, "s"), strings.HasSuffix(one, "ch"), strings.HasSuffix(one, "sh"), strings.HasSuffix(one, "x"):
		one += "e"
	}
	return fmt.Sprintf("%d %ss", n, one)
}
