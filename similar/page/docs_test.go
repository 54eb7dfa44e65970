package page

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of the API into docs/similar.md")

// TestDocumented holds the tables of docs/similar.md to Endpoints and Parameters.
func TestDocumented(t *testing.T) {
	t.Parallel()
	const name, start = "../../docs/similar.md", "writes them. -->\n\n"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, tables, ok := strings.Cut(string(text), start)
	if !ok {
		t.Fatalf("%s has no tables of the API", name)
	}
	var want strings.Builder
	want.WriteString("| address | what it gives | parameters | members |\n|---|---|---|---|\n")
	for _, e := range Endpoints {
		fmt.Fprintf(&want, "| `%s` | %s | %s | `%s` |\n", e.Address(), e.What, strings.Join(e.Parameters, ", "), e.Result)
	}
	want.WriteString("\n| parameter | what it is |\n|---|---|\n")
	for _, p := range Parameters {
		fmt.Fprintf(&want, "| `%s` | %s |\n", p.Name, p.What)
	}
	if *update {
		if err := os.WriteFile(name, []byte(before+start+want.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if tables != want.String() {
		t.Errorf("%s has\n%swant (run with -update)\n%s", name, tables, &want)
	}
	for _, e := range Endpoints {
		for _, p := range e.Parameters {
			if !strings.Contains(want.String(), "| `"+p+"` |") {
				t.Errorf("%s: parameter %s is not described", e.Path, p)
			}
		}
	}
}
