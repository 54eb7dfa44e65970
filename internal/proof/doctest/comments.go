package doctest

import (
	"strings"
	"testing"
)

// CheckComments holds the code in the comments of a Go file to a file that is compiled: all of it
// together, in its order, must occur there, indented by a tab or not. name is for messages.
func CheckComments(t *testing.T, name, text, compiled string) {
	t.Helper()
	var code strings.Builder
	for line := range strings.Lines(text) {
		if line, ok := strings.CutPrefix(line, "//\t"); ok {
			code.WriteString(line)
		}
	}
	if code.Len() == 0 {
		t.Errorf("%s has no code in its comments", name)
	}
	indented := "\t" + strings.ReplaceAll(strings.TrimSuffix(code.String(), "\n"), "\n", "\n\t")
	if !strings.Contains(compiled, code.String()) && !strings.Contains(compiled, indented) {
		t.Errorf("this code of %s is in no kernel:\n%s", name, code.String())
	}
}
