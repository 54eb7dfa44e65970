package similarcmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestJSONParses writes documents whose ids, titles, fields and words hold every character up to
// U+2100 and a few beyond, and reads back all that is written as JSON.
func TestJSONParses(t *testing.T) {
	t.Parallel()
	var hostile strings.Builder
	for r := rune(1); r <= 0x2100; r++ {
		hostile.WriteRune(r)
	}
	hostile.WriteString("\\u0085 \\x85 \"\U000e0001😀")
	name := hostile.String()
	dir := t.TempDir()
	file := func(file, text string) string {
		path := filepath.Join(dir, file)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var docs strings.Builder
	for _, id := range []string{name, name + "2"} {
		line, err := json.Marshal(map[string]string{"id": id, "title": id, "text": "heap \u0085queue\u009b ac\u0085cu " + id, id: id})
		if err != nil {
			t.Fatal(err)
		}
		docs.Write(append(line, '\n'))
	}
	idx := filepath.Join(dir, "idx")
	queries, qrels := file("queries.tsv", "q\u0081\u007f\theap\n"), file("qrels", "q\u0081\u007f 0 x 1\n")
	run := func(args ...string) string {
		var stdout strings.Builder
		if status := run(nil, args, &stdout, t.Output()); status != 0 {
			t.Fatalf("similar %.60q: status %d", args, status)
		}
		return stdout.String()
	}
	run("index", file("docs.jsonl", docs.String()), "-o", idx)
	for _, args := range [][]string{
		{"query", idx, "heap", "-json"}, {"query", idx, "heap", "-json", "-why"}, {"like", idx, name, "-json", "-why"},
		{"eval", idx, "-queries", queries, "-qrels", qrels, "-json"}, {"pairs", idx}, {"pairs", idx, "-groups", "-threshold", "0.1"},
	} {
		out := run(args...)
		lines := 0
		for line := range strings.Lines(out) {
			if !json.Valid([]byte(line)) {
				t.Errorf("similar %.60q writes no JSON: %.300q", args, line)
			}
			lines++
		}
		if lines == 0 {
			t.Errorf("similar %.60q writes nothing", args)
		}
		if args[0] == "query" || args[0] == "like" {
			var hit found
			if err := json.NewDecoder(strings.NewReader(out)).Decode(&hit); err != nil || !strings.HasPrefix(hit.Title, name) {
				t.Errorf("similar %.60q: the title is %.300q, %v", args, hit.Title, err)
			}
		}
	}
}
