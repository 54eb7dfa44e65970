package directive_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/abi/directive"
)

// TestInstances reads comments, and lists the instances of all combinations of their types.
func TestInstances(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ comment, want string }{
		{"//gpu:instance lib.Sum[int32]", "lib.Sum[int32]@15"},
		{"//gpu:instance  Sum[int32] lib.Map[[4]int8,P[a,b]]", "Sum[int32]@16 lib.Map[[4]int8,P[a,b]]@27"},
		{"//gpu:instance T=int8,P[a,b] U:V=x:y F[T]", "T=int8 U=x V=y F[T]@37 T=P[a,b] U=x V=y F[T]@37"},
		{"//gpu:needs F[T] G[T]", "F[T]@12 G[T]@17"},
		{"//gpu:needs T=int8 F[T]", `F[T]@19 12: //gpu:needs: cannot read "T=int8": write an instance, such as lib.Sum[float32]`},
		{"//gpu:instance", "0: //gpu:instance: names nothing: write an instance, such as lib.Sum[float32]"},
		{"//gpu:instance T=int8", "T=int8 0: //gpu:instance: names nothing: write an instance, such as lib.Sum[float32]"},
		{"//gpu:instance T= F", `F@18 15: //gpu:instance: cannot read "T=": write an instance, such as lib.Sum[float32]`},
	} {
		in, errs := directive.ParseInstances(tt.comment)
		var got []string
		in.Choices(func(types map[string]string) bool {
			for _, name := range []string{"T", "U", "V"} {
				if types[name] != "" {
					got = append(got, name+"="+types[name])
				}
			}
			for _, of := range in.Of {
				got = append(got, fmt.Sprintf("%s@%d", of.Text, of.Offset))
			}
			return true
		})
		for _, e := range errs {
			got = append(got, fmt.Sprintf("%d: %s", e.Offset, e.Msg))
		}
		if text := strings.Join(slices.DeleteFunc(got, func(s string) bool { return s == "" }), " "); text != tt.want {
			t.Errorf("%s:\n%s, want\n%s", tt.comment, text, tt.want)
		}
	}
}
