package simdriver

import "strings"

// plainName is the name of a kernel in its source, "reduce::add" for "_ZN6reduce3addEPf": the
// names in it, without the types of its parameters (Itanium C++ ABI, "Mangling"). Numba's names are
// of this form too. Any other name is returned as it is.
func plainName(mangled string) string {
	rest, ok := strings.CutPrefix(mangled, "_Z")
	if !ok {
		return mangled
	}
	rest, nested := strings.CutPrefix(rest, "N")
	var names []string
	for {
		name, more, ok := sourceName(rest)
		if !ok {
			break
		}
		names, rest = append(names, name), more
		for strings.HasPrefix(rest, "B") { // a tag, as numba gives versions
			if _, rest, ok = sourceName(rest[1:]); !ok {
				break
			}
		}
		if !nested {
			break
		}
	}
	if len(names) == 0 {
		return mangled
	}
	return strings.Join(names, "::")
}

// sourceName cuts a name off that follows its length.
func sourceName(s string) (name, rest string, ok bool) {
	n, i := 0, 0
	for ; i < len(s) && '0' <= s[i] && s[i] <= '9' && n < 1<<20; i++ {
		n = 10*n + int(s[i]-'0')
	}
	if i == 0 || n == 0 || n > len(s)-i {
		return "", s, false
	}
	return s[i : i+n], s[i+n:], true
}
