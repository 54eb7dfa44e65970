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
}

// report prints the summary, and writes it as JSON where that is wanted.
func report(sum difftest.Summary, o options) (differ bool, err error) {
	fmt.Printf("%d programs, %d lines of Go, %d threads (%d failed alike on both sides): %d programs differ; %.0f s\n",
		sum.Programs, sum.Lines, sum.Threads, sum.Failed, sum.Differ, sum.Seconds)
	for kind, n := range sum.Kinds {
		fmt.Printf("\t%s: %d\n", kind, n)
	}
	if o.json == "" {
		return sum.Differ > 0, nil
	}
	r := record{
		What: "differential fuzzing of compiler and device against host Go", Date: time.Now().Format(time.DateOnly),
		Command: strings.Join(append([]string{"difftest"}, os.Args[1:]...), " "), Summary: sum,
	}
	r.readBuild()
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return sum.Differ > 0, err
	}
	return sum.Differ > 0, os.WriteFile(o.json, append(text, '\n'), 0o644)
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
