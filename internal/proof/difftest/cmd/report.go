package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gridstride/gridstride/internal/proof/difftest"
)

// record is a summary as docs/measurements keeps it.
type record struct {
	What     string `json:"what"`
	Date     string `json:"date"`
	Commit   string `json:"commit,omitempty"` // that this program was built from, if known
	Modified bool   `json:"modified,omitempty"`
	Command  string `json:"command"`
	difftest.Summary
	// Without counts the programs that were compiled without a pass, by the pass's name.
	Without map[string]int `json:"programs_without_pass,omitempty"`
}

// report prints the summary, and writes it as JSON where that is wanted.
func report(sum difftest.Summary, o options) (differ bool, err error) {
	summarize(sum)
	return sum.Differ > 0, write(record{Summary: sum}, o)
}

func summarize(sum difftest.Summary) {
	fmt.Printf("%d programs, %d lines of Go, %d threads (%d failed alike on both sides): %d programs differ; %.0f s\n",
		sum.Programs, sum.Lines, sum.Threads, sum.Failed, sum.Differ, sum.Seconds)
	for kind, n := range sum.Kinds {
		fmt.Printf("\t%s: %d\n", kind, n)
	}
}

// write writes a record as JSON where that is wanted.
func write(r record, o options) error {
	if o.json == "" {
		return nil
	}
	r.What = "differential fuzzing of compiler and device against host Go"
	r.Date = time.Now().Format(time.DateOnly)
	r.Command = strings.Join(append([]string{"difftest"}, os.Args[1:]...), " ")
	r.readBuild()
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(o.json, append(text, '\n'), 0o644)
}

// readBuild fills in what the go command noted of the checkout.
func (r *record) readBuild() {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			r.Commit = s.Value
		case "vcs.modified":
			r.Modified = s.Value == "true"
		}
	}
}
