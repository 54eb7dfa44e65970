package source

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
)

// recordLines are lines that are records, and lines that are nearly.
var recordLines = []string{
	`{"id": "a", "text": "x"}`, `{"text":"x","id":"a"}`, ` { "id" : 12 , "n":[1,2.5e-3,{"id":"no"}] } `, `{"_id":"b","id":"a"}`,
	`{"doc_id":"c","_id":"b"}`, `{"id":null,"_id":"b"}`, `{"id":null}`, `{}`, `{"id":""}`, `{"id":"a","id":"b"}`, `{"id":"a","x":1,"x":2}`,
	`{"i\u0064":"a"}`, `{"id":"\u0061"}`, `{"id":"a","t":"\ud83d\ude00"}`, `{"id":"a","t":"\ud83d"}`, `{"id":"a","t":"\u0000"}`, `{"id":"a","t":"\x"}`,
	`{"id":"a"`, `{"id":"a"}}`, `{"id":"a"} {}`, `{"id":"a",}`, `{,"id":"a"}`, `{"id" "a"}`, `{"id":01}`, `{"id":-}`, `{"id":-0.0E+1}`, `{"id":1.}`, `{"id":.5}`,
	`{"id":true}`, `{"id":["a","b"]}`, `{"id":{"a":1}}`, `[{"id":"a"}]`, `"id"`, `null`, "{\"id\":\"a\tb\"}", "{\"id\":\"a\xff\"}", `{"id":"ä","t":"é\\\" \/ \b"}`,
	`{"t":{"id":"x"},"id":"y","u":[[],{},[{}],""]}`, `{"t":[1,],"id":"y"}`, `{"t":{"a":1,},"id":"y"}`, `{"t":nul,"id":"y"}`, `{"t":truefalse,"id":"y"}`,
	`{"id":"a","abstract":"b","categories":"c d","update_date":"2020-01-01"}`, `{"ID":"a"}`, `{"id":"a","t":"\u00e9\u12"}`, "{\"id\":\"a\"}\r", `{"":"x","id":"a"}`,
	`{"id":"a","deep":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, `{"id":"a","t":"\`, `{"id":"a","t":"`, `{"id":1e5}`, `{"id":1e}`,
}

// checkRecordID holds the id that is found in a line to the document that the line gives.
func checkRecordID(t *testing.T, line string) (known bool) {
	var s recordID
	s.keys = append(s.keys, []byte("left from a line before"))
	id, known := s.idOf([]byte(line), "f.jsonl", 7)
	if !known {
		return false
	}
	members, err := object([]byte(line))
	if err != nil {
		t.Errorf("%q has the id %q, and is no record: %v", line, id, err)
		return true
	}
	r := newReader(context.Background(), Options{}, func(d similar.Document, err error) bool {
		if err != nil || d.ID != id {
			t.Errorf("%q has the id %q, and is %q, %v", line, id, d.ID, err)
		}
		return true
	})
	r.record("f.jsonl", 1, 7, members)
	return true
}

// TestRecordID finds the ids of lines as reading them does, of lines that people have at least.
func TestRecordID(t *testing.T) {
	t.Parallel()
	known := 0
	for _, line := range recordLines {
		if checkRecordID(t, line) {
			known++
		}
	}
	if known < 16 {
		t.Errorf("the ids of %d lines of %d are known", known, len(recordLines))
	}
	// Lines with bytes that are changed at random.
	rng := rand.New(rand.NewPCG(1, 2))
	const alphabet = "{}[]\",:\\u0123456789abcdefidntrl.-+eE \t\x00\xffé"
	known = 0
	for range 200_000 {
		line := []byte(recordLines[rng.IntN(len(recordLines))])
		for range 1 + rng.IntN(3) {
			i := rng.IntN(len(line) + 1)
			switch b := alphabet[rng.IntN(len(alphabet))]; rng.IntN(3) {
			case 0:
				line = append(line[:i], append([]byte{b}, line[i:]...)...)
			case 1:
				if i < len(line) {
					line[i] = b
				}
			case 2:
				if i < len(line) {
					line = append(line[:i], line[i+1:]...)
				}
			}
		}
		if checkRecordID(t, string(line)) {
			known++
		}
	}
	t.Logf("%d changed lines of 200,000 have an id that is known", known)
	if known < 10_000 {
		t.Errorf("%d lines are too few", known)
	}
}

func FuzzRecordID(f *testing.F) {
	for _, line := range recordLines {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) { checkRecordID(t, line) })
}

// TestOmit deals the records of lines to parts. Each record is in one part, and each part is told of
// each line that is no record.
func TestOmit(t *testing.T) {
	t.Parallel()
	text := strings.Join(recordLines, "\n") + "\n"
	read := func(omit func(string) bool) (list, bad []string) {
		for d, err := range Read(t.Context(), Options{Form: "jsonl", Stdin: strings.NewReader(text), Omit: omit}, "-") {
			if err != nil {
				bad = append(bad, err.Error())
			} else {
				list = append(list, fmt.Sprint(d))
			}
		}
		return list, bad
	}
	all, wantBad := read(nil)
	for part := range 3 {
		var want []string
		keep := func(id string) bool { return similar.ShardOf(id, 3) == part }
		got, bad := read(func(id string) bool { return !keep(id) })
		filter := func(list []string) (kept []string) {
			for _, d := range list {
				if keep(strings.Fields(strings.TrimPrefix(d, "{"))[0]) {
					kept = append(kept, d)
				}
			}
			return kept
		}
		if want = filter(all); fmt.Sprint(filter(got)) != fmt.Sprint(want) || len(got) >= len(all) {
			t.Errorf("part %d: %q\nwant %q", part, got, want)
		}
		if fmt.Sprint(bad) != fmt.Sprint(wantBad) || len(bad) == 0 {
			t.Errorf("part %d is told of %q\nwant %q", part, bad, wantBad)
		}
	}
}
