// Command plan reckons what collections that were not built would take, from what command fleet
// measured of one that was, and writes the tables of a document below the comments that name them:
//
//	go run ./similar/internal/plan docs/measurements/2026-11-28-fleet.json docs/scale.md
//
// The model is linear. Building, bytes and memory grow with documents. The time of a shard's answer
// is a constant and a part that grows with its documents, and both are known from two sizes: a shard
// that was measured, and one index of all. A front waits for its slowest shard, whose time is drawn
// from the times that were measured.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("plan: want the file of a measurement of fleet, and a document that takes the tables")
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatalf("plan: %v", err)
	}
}

func run(measured, document string) error {
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	filled, err := fill(string(text), measured)
	if err != nil {
		return err
	}
	return os.WriteFile(document, []byte(filled), 0o666)
}

// fill returns a document with the tables of a measurement in place of those that it has.
func fill(document, measured string) (string, error) {
	text, err := os.ReadFile(measured)
	if err != nil {
		return "", err
	}
	var m measurement
	if err := json.Unmarshal(text, &m); err != nil {
		return "", fmt.Errorf("%s: %w", measured, err)
	}
	r, err := m.rates()
	if err != nil {
		return "", fmt.Errorf("%s: %w", measured, err)
	}
	for name, table := range r.tables() {
		mark := "<!-- plan: " + name + " -->\n\n"
		before, after, found := strings.Cut(document, mark)
		if !found {
			return "", fmt.Errorf("the document has no comment %q", mark)
		}
		for strings.HasPrefix(after, "|") { // the table that is there
			_, after, _ = strings.Cut(after, "\n")
		}
		document = before + mark + table + "\n" + strings.TrimLeft(after, "\n")
	}
	return document, nil
}
