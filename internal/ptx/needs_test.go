package ptx

import (
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
)

// TestNeedsOfSuffixes combines needs of one architecture alone with needs of all newer ones.
func TestNeedsOfSuffixes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, want string }{
		{"7.0 sm_80", "8.0 sm_90a", "8.0 sm_90a"},
		{"8.0 sm_90a", "7.8 sm_90", "8.0 sm_90a"},
		{"8.6 sm_100f", "8.6 sm_100a", "8.6 sm_100a"},
		{"8.6 sm_100f", "8.8 sm_103", "8.8 sm_103"}, // nothing meets both
		{"8.3", "8.0 sm_90a", "8.3 sm_90a"},
	} {
		got, want := parseNeeds(c.a).and(parseNeeds(c.b)), parseNeeds(c.want)
		if got != want {
			t.Errorf("%s and %s need %v, want %v", c.a, c.b, got, want)
		}
	}
}

// TestLeastVersionOfTargets checks the versions that brought the targets with a letter.
func TestLeastVersionOfTargets(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{"sm_90": "7.8", "sm_90a": "8.0", "sm_100a": "8.6",
		"sm_100f": "8.8", "sm_120a": "8.7"} {
		m, err := Parse("t.ptx", ".version 9.0\n.target "+target+"\n.address_size 64\n.func f() { ret; }")
		if err != nil {
			t.Fatal(err)
		}
		if got := MinNeeds(m, m.MainTarget()); got.Version.String() != want || got.Target.String() != target {
			t.Errorf("%s: %v, want PTX %s", target, got, want)
		}
		m.Version = Version{7, 7}
		if err := Verify(m); err == nil || !strings.Contains(err.Error(), ".target "+target+" needs .version "+want) {
			t.Errorf("%s with PTX 7.7: %v", target, err)
		}
	}
}

// TestNeedsOfOneArchitecture refuses what is of sm_90a alone for every other target.
func TestNeedsOfOneArchitecture(t *testing.T) {
	t.Parallel()
	for target, ok := range map[string]bool{"sm_90a": true, "sm_90": false, "sm_100": false, "sm_100a": false} {
		v := &verifier{m: &Module{Version: Version{9, 0}, Target: []string{target}}}
		v.target = v.m.MainTarget()
		refused := false
		v.needs("wgmma.fence", Needs{Version{8, 0}, abi.Target{SM: 90, Suffix: 'a'}},
			func(string, ...any) { refused = true })
		if refused == ok {
			t.Errorf("for %s: refused is %v", target, refused)
		}
	}
}
