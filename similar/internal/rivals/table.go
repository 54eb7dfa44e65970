package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A table compares engines.
type table struct {
	sizes
	names    []string
	commands map[string][]string
	file     string // of the documents
	rows     measurements
}

func measureEngines(ctx context.Context, s sizes, engines, sources []string, rows measurements) error {
	if s.dir == "" {
		dir, err := os.MkdirTemp("", "rivals")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		s.dir = dir
	}
	t := &table{sizes: s, file: filepath.Join(s.dir, "documents"), rows: rows}
	var err error
	if t.commands, err = commands(engines); err != nil {
		return err
	}
	t.names = slices.DeleteFunc(slices.Clone(engines), func(name string) bool { return t.commands[name] == nil })
	if err := t.write(ctx, sources); err != nil {
		return err
	}
	for _, name := range t.names {
		if _, err := os.Stat(t.folder(name)); err == nil {
			continue
		}
		if err := t.index(name); err != nil {
			return err
		}
	}
	return t.search()
}

// write writes the documents, if they are not there, and counts them.
func (t *table) write(ctx context.Context, sources []string) error {
	info, err := os.Stat(t.file)
	if err != nil {
		note("writing documents")
		if err := writeDocuments(ctx, t.sizes, sources, t.file); err != nil {
			return err
		}
		if info, err = os.Stat(t.file); err != nil {
			return err
		}
	}
	t.Documents = 0
	err = readDocuments(t.file, func(docs []document) error { t.Documents += len(docs); return nil })
	t.rows["documents"], t.rows["bytes of their texts"] = t.Documents, info.Size()
	return err
}

// index has an engine index the documents, in a new process.
func (t *table) index(name string) error {
	note("%s: indexing %d documents", name, t.Documents)
	row := map[string]any{}
	t.rows["index, "+name] = row
	p, err := start(name, t.commands[name])
	if err != nil {
		return err
	}
	began := time.Now()
	if _, err := p.ask("index", t.file, t.folder(name), fmt.Sprint(t.Threads), fmt.Sprint(t.Megabytes)); err != nil {
		return err
	}
	wall := time.Since(began)
	peak, err := p.peak()
	if err != nil {
		return err
	}
	if err := p.close(); err != nil {
		return err
	}
	processor := p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
	row["processor_s"], row["wall_s"], row["peak_MB"] = seconds(processor), seconds(wall), peak>>20
	row["documents_a_second_of_processor"] = int(float64(t.Documents) / processor.Seconds())
	if err := t.size(name, "as_indexed_", row); err != nil {
		return err
	}
	if p, err = start(name, t.commands[name]); err != nil {
		return err
	}
	if _, err := p.ask("merge", t.folder(name)); err != nil {
		return err
	}
	if err := p.close(); err != nil {
		return err
	}
	row["merge_processor_s"] = seconds(p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime())
	return t.size(name, "merged_", row)
}

func (t *table) folder(name string) string { return filepath.Join(t.dir, name) }

func seconds(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }

// size notes the bytes of an index, and without the stored texts where the engine tells them apart.
func (t *table) size(name, prefix string, row map[string]any) error {
	var all, stored int64
	err := filepath.WalkDir(t.folder(name), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all += info.Size()
		n, err := storedBytes(path, info.Size())
		stored += n
		return err
	})
	row[prefix+"MB"] = float64(all>>10) / 1024
	if stored > 0 {
		row[prefix+"MB_without_stored"] = float64((all-stored)>>10) / 1024
	}
	return err
}

// search asks all engines all queries, by turns. The first round is not measured.
func (t *table) search() error {
	running := map[string]*process{}
	opened := map[string]float64{}
	for _, name := range t.names {
		p, err := start(name, t.commands[name])
		if err != nil {
			return err
		}
		defer p.close()
		d, _, err := p.timed("open", t.folder(name))
		if err != nil {
			return err
		}
		running[name], opened[name] = p, ms(d)
	}
	t.rows["open_ms"] = opened
	d, err := newDrawer(t.file, t.Seed)
	if err != nil {
		return err
	}
	for _, k := range d.tasks(t.Queries) {
		if err := t.ask(k, running); err != nil {
			return err
		}
	}
	return nil
}

// ask has the engines answer the queries of a task in turns, Rounds+1 times, and notes of each query
// the least time, and how many of their ten best the engines share with ours.
func (t *table) ask(k task, running map[string]*process) error {
	note("%s", k.name)
	best := map[string][]time.Duration{}
	shared := map[string]float64{}
	for round := range t.Rounds + 1 {
		for i, q := range k.queries {
			var ours []string
			for _, name := range t.names {
				if name == "bleve" && k.kind == "like" {
					continue
				}
				d, ids, err := running[name].timed("query", k.kind, q)
				if err != nil {
					return err
				}
				if name == "similar" {
					ours = ids
				}
				switch round {
				case 0:
					shared[name] += overlap(ours, ids) / float64(len(k.queries))
				case 1:
					best[name] = append(best[name], d)
				default:
					best[name][i] = min(d, best[name][i])
				}
			}
		}
	}
	t.note(k, best, shared)
	return nil
}

// overlap returns the part of two lists that is in both, 1 where both are empty.
func overlap(a, b []string) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	n := 0
	for _, id := range b {
		if slices.Contains(a, id) {
			n++
		}
	}
	return float64(n) / float64(max(len(a), len(b)))
}

func (t *table) note(k task, best map[string][]time.Duration, shared map[string]float64) {
	row := map[string]any{}
	ours := spread(best["similar"])
	line := k.name + ":"
	for _, name := range t.names {
		if best[name] == nil {
			continue
		}
		s := spread(best[name])
		if name != "similar" && ours["median_ms"] > 0 {
			s["ratio_median"], s["ratio_p99"] = s["median_ms"]/ours["median_ms"], s["p99_ms"]/ours["p99_ms"]
			s["hits_shared"] = shared[name]
		}
		row[name] = s
		line += fmt.Sprintf("  %s %.3f %.3f", name, s["median_ms"], s["p99_ms"])
		if name != "similar" {
			line += fmt.Sprintf(" (%.2f %.2f; %.2f)", s["ratio_median"], s["ratio_p99"], s["hits_shared"])
		}
	}
	note("%s", line)
	t.rows[k.name] = row
}

var errEngines = errors.New("engines to measure: want similar and others of lucene, tantivy and bleve, parted by commas")

func parseEngines(s string) ([]string, error) {
	list := strings.Split(s, ",")
	if list[0] != "similar" {
		return nil, errEngines
	}
	return list, nil
}
