package sim

import (
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride/internal/ptx"
)

var mutants = flag.Int("mutants", 100, "the `number` of mutated PTX files to run")

// The most that running a mutant may take.
const (
	mutantTime   = 10 * time.Second
	mutantMemory = 1 << 30
)

// words are the words, numbers and signs of a PTX file.
var words = regexp.MustCompile(`[\w%$.]+|\s+|.`)

// TestMutants runs PTX files in which words are exchanged, dropped, doubled and replaced, by huge
// numbers among others. None panics, and each takes bounded time and memory. The mutants of a number
// are the same in every run.
func TestMutants(t *testing.T) {
	inCheckout(t)
	var seeds [][]string
	for _, pattern := range []string{"testdata/*/*.ptx", "../../language/compile/emit/testdata/*.ptx",
		"../../proof/gpusuite/*/*.ptx"} {
		names, _ := filepath.Glob(pattern)
		if len(names) == 0 {
			t.Fatalf("no seeds in %s", pattern)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(text) < 60_000 {
				seeds = append(seeds, words.FindAllString(string(text), -1))
			}
		}
	}
	ran := 0
	for i := range *mutants {
		text := strings.Join(mutant(rand.New(rand.NewPCG(12, uint64(i))), seeds), "")
		if runMutant(t, i, text) {
			ran++
		}
	}
	t.Logf("%d of %d mutants run", ran, *mutants)
}

// inCheckout skips a test that reads sources where the package's tests run without them.
func inCheckout(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("../../../go.mod"); err != nil {
		t.Skip("the module's sources are not here")
	}
}

// runMutant launches the entries of one mutant, and reports whether it has any that load.
func runMutant(t *testing.T, i int, text string) bool {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("mutant %d: panic: %v\n%s\n%s", i, p, debug.Stack(), text)
		}
	}()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	ran := launchAll(text)
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; took > mutantTime || bytes > mutantMemory {
		t.Errorf("mutant %d: %v and %d bytes\n%s", i, took, bytes, text)
	}
	return ran
}

// launchAll launches every entry of a module for 20 ms at most.
func launchAll(text string) bool {
	mod, err := ptx.Parse("mutant.ptx", text)
	if err != nil {
		return false
	}
	m := New(Config{Memory: 1 << 24, Workers: 1})
	p, err := m.Load(mod)
	if err != nil {
		return false
	}
	for _, e := range p.Entries() {
		if e.ParamSize > 1<<12 || e.StaticShared > 1<<16 {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		_, _ = m.Launch(ctx, e, Launch{Grid: x(2), Block: x(40), Params: make([]byte, e.ParamSize), Budget: 10000, Shared: 64})
		cancel()
	}
	return true
}

// hostile are words that a mutant may get.
var hostile = []string{"0", "1", "-1", "63", "64", "4294967295", "9223372036854775807", "18446744073709551615", "0f7f800000",
	"0d7ff8000000000000", ".shared", ".global", ".local", ".param", ".const", ".b8", ".f64", ".pred", "%r1", "%rd1", "%f1", "%p1",
	"[", "]", "{", "}", ";", ",", "@", "!", "bra", "ret", "bar.sync", "ld.global.u32", "st.shared.f64", "call", "%tid.x"}

// mutant changes one to three words of a seed.
func mutant(r *rand.Rand, seeds [][]string) []string {
	parts := slices.Clone(seeds[r.IntN(len(seeds))])
	for range 1 + r.IntN(3) {
		i, j := r.IntN(len(parts)), r.IntN(len(parts))
		switch r.IntN(8) {
		case 0:
			parts[i] = ""
		case 1:
			parts[i] += " " + parts[i]
		case 2:
			parts[i], parts[j] = parts[j], parts[i]
		case 3:
			parts[i] = hostile[r.IntN(len(hostile))]
		case 4: // a line or two again, somewhere else
			parts[i] += " " + strings.Join(parts[j:min(j+r.IntN(30), len(parts))], "")
		default: // a register or a name in the place of one nearby
			like := func(c byte) bool { return c == '%' || c == '$' || 'a' <= c && c <= 'z' }
			for ; i < len(parts) && (parts[i] == "" || !like(parts[i][0])); i++ {
			}
			for j = i + 1; j < len(parts) && (parts[j] == "" || parts[j][0] != parts[i][0] || r.IntN(4) > 0); j++ {
			}
			if j < len(parts) {
				parts[i] = parts[j]
			}
		}
	}
	return parts
}
