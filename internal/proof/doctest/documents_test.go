package doctest

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/modfile"
)

// TestDocuments holds the repository's documents to what they say, as Checker describes.
func TestDocuments(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the documents' commands are for a POSIX shell")
	}
	t.Parallel()
	for name, c := range map[string]Checker{
		"README.md":                         {Root: "../../..", Beside: userModule},
		"CONTRIBUTING.md":                   {Root: "../../.."},
		"RATIONALE.md":                      {Root: "../../.."},
		"gpu/RATIONALE.md":                  {Root: "../../.."},
		"similar/RATIONALE.md":              {Root: "../../.."},
		"internal/language/RATIONALE.md":    {Root: "../../.."},
		"internal/library/RATIONALE.md":     {Root: "../../.."},
		"internal/machine/RATIONALE.md":     {Root: "../../.."},
		"internal/math/RATIONALE.md":        {Root: "../../.."},
		"internal/proof/RATIONALE.md":       {Root: "../../.."},
		"internal/device/cuda/RATIONALE.md": {Root: "../../.."},
		"docs/programs.md":                  {Root: "../../.."},
		"docs/host.md":                      {Root: "../../.."},
		"docs/command.md":                   {Root: "../../.."},
		"docs/parallel.md":                  {Root: "../../.."},
		"docs/similar.md":                   {Root: "../../.."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.Check(t, name)
		})
	}
}

// indirect lists the modules that "go mod tidy" puts into a user's go.mod in addition to
// gridstride, once the command is a tool there. Every user downloads, updates and audits each: add
// a line here only for a module that the command cannot do without.
var indirect = []string{
	"github.com/ebitengine/purego",         // libcuda without cgo
	"github.com/google/go-dap",             // the messages of gridstride dap; it needs no others
	"github.com/inconshreveable/mousetrap", // cobra, on Windows
	"github.com/klauspost/compress",        // the command compresses long PTX
	"github.com/spf13/cobra",               // the command line
	"github.com/spf13/pflag",               // cobra
	"golang.org/x/mod",                     // x/tools
	"golang.org/x/sync",                    // x/tools
	"golang.org/x/sys",                     // what the processor can do, files in memory
	"golang.org/x/tools",                   // packages and SSA
}

// userModule holds the go.mod that README's steps have made to the list of modules.
func userModule(t *testing.T, folder string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "hello", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	var direct, others []string
	for _, r := range mod.Require {
		if r.Indirect {
			others = append(others, r.Mod.Path)
		} else {
			direct = append(direct, r.Mod.Path)
		}
	}
	if diff := cmp.Diff([]string{"github.com/gridstride/gridstride"}, direct); diff != "" {
		t.Errorf("direct requirements (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(indirect, others); diff != "" {
		t.Errorf("indirect requirements (-want +got)\n%s", diff)
	}
}
