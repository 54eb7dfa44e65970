package ptx

import (
	"fmt"
	"strings"
	"testing"
)

// TestLimits holds the sizes that PTX may declare at their last byte.
func TestLimits(t *testing.T) {
	t.Parallel()
	kernel := func(bytes int) string { return fmt.Sprintf(".entry k(.param .b8 p[%d]) { ret; }", bytes) }
	for _, c := range []struct{ version, target, text, want string }{
		{"8.0", "sm_90", kernel(4352), ""},
		{"8.0", "sm_90", kernel(4353),
			"the parameters of kernel k take 4353 bytes, the limit is 4352 with PTX 8.0 for sm_90"},
		{"8.1", "sm_70", kernel(32764), ""},
		{"8.1", "sm_90a", kernel(32765),
			"the parameters of kernel k take 32765 bytes, the limit is 32764 with PTX 8.1 for sm_90a"},
		{"8.1", "sm_61", kernel(4353), "the limit is 4352 with PTX 8.1 for sm_61"},
		{"8.0", "sm_90", ".entry k(.param .b8 a, .param .align 8 .b8 p[4345]) { ret; }", "take 4353 bytes"},
		{"6.0", "sm_70", ".const .b8 a[65536];", ""},
		{"6.0", "sm_70", ".const .b8 a[65529]; .const .b64 b;",
			"the .const variables take 65544 bytes with b, the limit is 65536: use .global"},
		{"6.0", "sm_70", ".const .b8 a[1]; .const .b64 b[8191];", ""},
	} {
		_, err := check(fmt.Sprintf(".version %s\n.target %s\n.address_size 64\n%s\n", c.version, c.target, c.text))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.text, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: got %v, want %s", c.text, err, c.want)
		}
	}
}
