package compile_test

import (
	"errors"
	"flag"
	"go/scanner"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
)

var mutants = flag.Int("mutants", 100, "the `number` of mutated kernels to compile")

// The most that compiling a mutant may take.
const (
	mutantTime   = 10 * time.Second
	mutantMemory = 1 << 30
)

// TestMutants compiles kernels in which tokens are exchanged, dropped, doubled and replaced, by huge
// numbers among others. Each gives PTX or an ErrorList, in bounded time and memory. The mutants of a
// number are the same in every run.
func TestMutants(t *testing.T) {
	imp := compiletest.Importer(t)
	var seeds [][]string
	for _, pattern := range []string{"lower/testdata/*.go", "lower/testdata/errors/*.go",
		"frontend/testdata/errors/*.go", "../../proof/gpusuite/*/*.go", "../../../examples/*/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("no seeds in %s: %v", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), "//gpu:kernel") || strings.HasSuffix(name, "_test.go") {
				continue
			}
			src := compiletest.Source("example.com/p", "p.go", string(text))
			if _, err := compile.Compile(src, imp, compile.Options{}); err == nil || strings.Contains(name, "errors") {
				seeds = append(seeds, tokensOf(text))
			}
		}
	}
	compiled := 0
	for i := range *mutants {
		text := strings.Join(mutant(rand.New(rand.NewPCG(26, uint64(i))), seeds), "")
		if took := compileMutant(t, i, text, imp); took {
			compiled++
		}
	}
	t.Logf("%d of %d mutants compile", compiled, *mutants)
}

// compileMutant compiles one mutant, and reports whether it has no error.
func compileMutant(t *testing.T, i int, text string, imp func(string) (*compile.Source, error)) bool {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("mutant %d: panic: %v\n%s\n%s", i, p, debug.Stack(), text)
		}
	}()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	_, err := compile.Compile(compiletest.Source("example.com/p", "p.go", text), imp, compile.Options{Verify: true})
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; took > mutantTime || bytes > mutantMemory {
		t.Errorf("mutant %d: %v and %d bytes\n%s", i, took, bytes, text)
	}
	if _, ok := errors.AsType[compile.ErrorList](err); err != nil && !ok {
		t.Errorf("mutant %d: the error is no ErrorList: %v\n%s", i, err, text)
	}
	return err == nil
}

// tokensOf cuts a file into tokens and what is between them.
func tokensOf(text []byte) []string {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("p.go", -1, len(text)), text, nil, scanner.ScanComments)
	var parts []string
	last := 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return append(parts, string(text[last:]))
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		at, n := int(pos)-1, len(lit)
		if n == 0 {
			n = len(tok.String())
		}
		parts = append(parts, string(text[last:at]), string(text[at:at+n]))
		last = at + n
	}
}

// hostile are tokens that a mutant may get.
var hostile = []string{"0", "1", "-1", "63", "64", "1<<31", "1<<62", "9223372036854775807", "18446744073709551615", "1e308",
	"0x1p-1074", "nil", "true", "len", "cap", "make", "new", "[]int", "[1<<40]int", "[0]int", "func()", "struct{}", "*", "&",
	"<<", ">>", "%", "/", "-", "^", "&^", "==", "go", "defer", "select", "range", "for", "goto", "return", "break", "continue",
	"fallthrough", "panic", "uint64", "float32", "complex128", "string", "any", "[]", "{", "}", "(", ")", ";", ",", "...", "~"}

// mutant changes one to four tokens of a seed.
func mutant(r *rand.Rand, seeds [][]string) []string {
	parts := slices.Clone(seeds[r.IntN(len(seeds))])
	pick := func() int { return 1 + 2*r.IntN(len(parts)/2) } // tokens have odd indices
	for range 1 + r.IntN(3) {
		i, j := pick(), pick()
		switch r.IntN(12) {
		case 0:
			parts[i] = ""
		case 1:
			parts[i] += " " + parts[i]
		case 2:
			parts[i], parts[j] = parts[j], parts[i]
		case 3:
			parts[i] = parts[j]
		case 4:
			parts[i] = hostile[r.IntN(len(hostile))]
		case 5: // a run of tokens again, somewhere else
			run := strings.Join(parts[j:min(j+2*r.IntN(20), len(parts))], "")
			parts[i] += " " + run
		case 6: // a number in the place of a number
			for k := i; k < len(parts); k += 2 {
				if c := parts[k]; c != "" && '0' <= c[0] && c[0] <= '9' {
					parts[k] = hostile[r.IntN(11)]
					break
				}
			}
		default: // a name in the place of a name nearby
			names := func(k int) bool { return token.IsIdentifier(parts[k]) }
			for ; i < len(parts) && !names(i); i += 2 {
			}
			for j = i + 2; j < len(parts) && (!names(j) || r.IntN(8) > 0); j += 2 {
			}
			if j < len(parts) {
				parts[i] = parts[j]
			}
		}
	}
	return parts
}
