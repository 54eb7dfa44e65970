package vet

import (
	"os"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// TestFindings compares what the analyzers find with the comments "// want" in testdata. The
// packages there are read as parts of this module, so that they see gpu, gpu/collective and the
// host's side as they are.
func TestFindings(t *testing.T) {
	t.Parallel()
	if err := analysis.Validate(Analyzers); err != nil {
		t.Fatal(err)
	}
	all := &analysis.Analyzer{
		Name: "vet", Doc: "run all analyzers",
		Run: func(pass *analysis.Pass) (any, error) {
			for _, a := range Analyzers {
				if _, err := a.Run(pass); err != nil {
					return nil, err
				}
			}
			return nil, nil
		},
	}
	all.Requires = append(all.Requires, finders...)
	for _, a := range Analyzers {
		all.Requires = append(all.Requires, a.Requires...)
	}
	folders, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var patterns []string
	for _, f := range folders {
		patterns = append(patterns, "./internal/language/vet/testdata/"+f.Name())
	}
	analysistest.Run(t, "../../..", all, patterns...)
}
