package gen

import (
	"regexp"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
)

// TestIntrinsics looks for a call of every function of package gpu in random programs, except
// functions for which the table says why they are not called.
func TestIntrinsics(t *testing.T) {
	t.Parallel()
	called := map[string]bool{}
	name := regexp.MustCompile(`\bgpu\.(\w+)[\[(]`)
	for seed := range uint64(3000) {
		for _, m := range name.FindAllStringSubmatch(Program(seed), -1) {
			called[m[1]] = true
		}
	}
	for _, in := range abi.Intrinsics {
		if called[in.Name] == (in.Unfuzzed != "") {
			t.Errorf("gpu.%s: called by random programs: %v; the table says why not: %q", in.Name, called[in.Name], in.Unfuzzed)
		}
	}
}
