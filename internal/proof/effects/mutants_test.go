package effects

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gridstride/gridstride/internal/ptx"
)

var mutantsTo = flag.String("mutants", "", "delete each effect of each row, and write what no test finds to this file")

// mutation is a row of the effect table and what it is made.
type mutation struct {
	Row     string `json:"row"`
	Becomes string `json:"becomes"` // "" for a row that is deleted
	By      string `json:"foundBy,omitempty"`
}

// measurement is the file of TestMutants.
type measurement struct {
	Measurement string     `json:"measurement"`
	Command     string     `json:"command"`
	Date        string     `json:"date"`
	Commit      string     `json:"commit"`
	Processor   string     `json:"processor"`
	Rows        int        `json:"rows"`
	Mutations   int        `json:"mutations"`
	FoundBy     any        `json:"foundBy"`
	Survivors   []mutation `json:"survivors"`
}

// mutations delete a row; each of its effects; each operand, or what is done at its address.
func mutations(row string) (list []mutation) {
	opcode, rest, _ := strings.Cut(row, " :")
	does, operands, _ := strings.Cut(rest, ":")
	add := func(does []string, operands []string) {
		list = append(list, mutation{Row: row, Becomes: opcode + " : " + strings.Join(does, " ") + " : " + strings.Join(operands, ", ")})
	}
	words := strings.Fields(does)
	var uses []string
	if operands = strings.TrimSpace(operands); operands != "" {
		uses = strings.Split(operands, ", ")
	}
	list = append(list, mutation{Row: row})
	for i := range words {
		add(slices.Delete(slices.Clone(words), i, i+1), uses)
	}
	for i, use := range uses {
		add(words, slices.Delete(slices.Clone(uses), i, i+1))
		for _, less := range weaker(use) {
			changed := slices.Clone(uses)
			changed[i] = less
			add(words, changed)
		}
	}
	return list
}

// weaker are uses of an operand that say less than one.
func weaker(use string) (list []string) {
	word, size, _ := strings.Cut(use, " ")
	switch word {
	case "update":
		list = append(list, "read "+size, "write "+size, "address")
	case "read", "write":
		list = append(list, "address")
	case "count", "phase", "size", "stride", "blocks", "index", "callee", "condition", "chooser", "compared",
		"count?", "size?", "stride?", "callee...":
		list = append(list, strings.Replace(use, strings.TrimRight(word, "?."), "constant", 1))
	}
	if word == "update" || word == "read" || word == "write" {
		if size == "T" || size == "8" || size == "16" || size == "128" {
			list = append(list, word+" 3")
		}
	}
	return list
}

// TestMutants deletes effects, one at a time, and runs the tests of the table. It is slow and
// needs -mutants.
func TestMutants(t *testing.T) {
	if *mutantsTo == "" {
		t.Skip("-mutants is not given")
	}
	folder := t.TempDir()
	var suites []string
	for _, p := range []string{"internal/ptx", "internal/proof/effects"} {
		out := filepath.Join(folder, filepath.Base(p)+".test")
		cmd := exec.Command("go", "test", "-c", "-tags", "mutate_effects", "-o", out, "./"+p)
		cmd.Dir = "../../.."
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		suites = append(suites, out)
	}
	if by := found(suites, mutation{}); by != "" {
		t.Fatalf("without a mutation %s fails", by)
	}
	m := measurement{Measurement: "effects deleted from the effect table of internal/ptx, and the tests that find it",
		Command: "go test ./internal/proof/effects -run TestMutants -timeout 2h -mutants FILE", Date: time.Now().UTC().Format(time.DateOnly),
		Processor: runtime.GOARCH, Survivors: []mutation{}}
	if head, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output(); err == nil {
		m.Commit = strings.TrimSpace(string(head))
	}
	rows := ptx.EffectRows()
	m.Rows = len(rows)
	var all []mutation
	for _, e := range rows {
		all = append(all, mutations(e.String())...)
	}
	m.Mutations = len(all)
	each(len(all), func(i int) { all[i].By = found(suites, all[i]) })
	by := map[string]int{}
	for _, a := range all {
		if a.By == "" {
			m.Survivors = append(m.Survivors, a)
			t.Errorf("no test finds that\n\t%s\nbecomes\n\t%s", a.Row, a.Becomes)
			continue
		}
		by[a.By]++
	}
	m.FoundBy = by
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*mutantsTo, append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// each calls do for the numbers below n, on two goroutines.
func each(n int, do func(i int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range 2 {
		wg.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

// found is the name of the package whose tests fail with a mutation, "" where none does.
func found(suites []string, m mutation) string {
	for _, suite := range suites {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		cmd := exec.CommandContext(ctx, suite, "-test.run", "Effects|Machine|Row|Agents|Unwritten|Meetings|Products|Parts|Whole|Conditions|Counters", "-test.failfast", "-test.timeout", "60s")
		cmd.Dir = filepath.Dir(suite)
		cmd.Env = append(os.Environ(), "EFFECT_ROW="+m.Row, "EFFECT_BECOMES="+m.Becomes)
		err := cmd.Run()
		cancel()
		if err != nil {
			return strings.TrimSuffix(filepath.Base(suite), ".test")
		}
	}
	return ""
}
