package simdriver

import "testing"

func TestPlainName(t *testing.T) {
	t.Parallel()
	for mangled, want := range map[string]string{
		"add":               "add",
		"_Z3addPfS_i":       "add",
		"_ZN6reduce3addEPf": "reduce::add",
		"_ZN8__main__7reverseB2v1B106cw51cXTLSUwE5ArrayIfLi1E1C7mutable7alignedE": "__main__::reverse",
		"_ZN3mod1fIfEEvPT_":          "mod::f",
		"_Z":                         "_Z",
		"_Z99add":                    "_Z99add",
		"_ZN0E":                      "_ZN0E",
		"_ZN3abcB":                   "abc",
		"_Z99999999999999999999999a": "_Z99999999999999999999999a",
	} {
		if got := plainName(mangled); got != want {
			t.Errorf("%s is %s, want %s", mangled, got, want)
		}
	}
}
