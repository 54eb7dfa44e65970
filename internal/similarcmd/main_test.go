package similarcmd

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gridstride/gridstride/internal/tools/cli/clitest"
)

// commands are the programs that the test is, by their names.
var commands = map[string]func(){"similar": func() { Main(nil) }, "similar-get": getAddress}

func TestMain(m *testing.M) { testscript.Main(m, commands) }

// getAddress is the command similar-get of scripts: it writes what an address answers.
func getAddress() {
	client := http.Client{Timeout: 30 * time.Second}
	res, err := client.Get(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stdout, err)
		os.Exit(1)
	}
	defer res.Body.Close()
	_, _ = io.Copy(os.Stdout, res.Body) // a script sees what is missing
}

// TestScripts runs the command as a user does.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"served": served,
			"await":  clitest.Await,
		},
	})
}

// served is a command of scripts: "served path text" asks the server whose first line is in file
// address, and holds the answer to a text.
func served(ts *testscript.TestScript, negated bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: served path text")
	}
	line, err := os.ReadFile(ts.MkAbs("address"))
	ts.Check(err)
	_, url, ok := strings.Cut(strings.TrimSpace(string(line)), " at ")
	if !ok {
		ts.Fatalf("the server says %q", line)
	}
	res, err := http.Get(strings.TrimSuffix(url, "/") + args[0])
	ts.Check(err)
	defer res.Body.Close()
	body, err := io.ReadAll(bufio.NewReader(res.Body))
	ts.Check(err)
	if strings.Contains(string(body), args[1]) == negated {
		ts.Fatalf("%s: %s\n%s", args[0], res.Status, body)
	}
}

// TestExitStatus tells failures from command lines that make no sense.
func TestExitStatus(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	idx, text := filepath.Join(dir, "idx"), filepath.Join(dir, "a.txt")
	if err := os.WriteFile(text, []byte("A heap is a tree."), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := run(nil, []string{"index", text, "-o", idx}, io.Discard, io.Discard); got != 0 {
		t.Fatalf("exit status %d", got)
	}
	for line, want := range map[string]int{
		"":                                     0,
		"version":                              0,
		"help like":                            0,
		"query IDX heap":                       0,
		"query IDX -k 1 -json heap":            0,
		"find":                                 2,
		"add a.txt":                            2,
		"add -o IDX":                           2,
		"add a.txt -o NEW":                     1,
		"add a.txt -o IDX":                     0,
		"sync":                                 2,
		"sync -o IDX":                          0,
		"sync none.txt -o IDX":                 1,
		"delete IDX":                           2,
		"delete IDX nobody":                    1,
		"delete IDX a.txt -source b":           2,
		"delete NEW a":                         1,
		"index":                                2,
		"index a.txt":                          2,
		"index a.txt -o":                       2,
		"index a.txt -o NEW -weight heavy":     2,
		"index a.txt -o NEW -language klingon": 2,
		"index none.txt -o NEW":                1,
		"index a.txt -o IDX -weight counts":    1,
		"query IDX":                            2,
		"query IDX heap -k 0":                  2,
		"query IDX heap -k many":               2,
		"query IDX heap -threshold NaN":        2,
		"query IDX heap -where kind":           2,
		"query NEW heap":                       1,
		"query IDX the of":                     1,
		"like IDX":                             2,
		"like IDX nobody":                      1,
		"query IDX heap -feedback rocchio":     0,
		"query IDX heap -feedback guess":       2,
		"eval IDX -queries q -qrels r -feedback x": 2,
		"pairs":                                     2,
		"pairs IDX":                                 0,
		"pairs IDX -n 0":                            2,
		"pairs IDX -threshold NaN":                  2,
		"pairs IDX -o pairs.xml":                    2,
		"pairs IDX -resume":                         2,
		"pairs IDX -groups -o p.csv":                2,
		"pairs IDX -resume -o missing.csv":          1,
		"eval IDX":                                  2,
		"eval IDX -queries q -qrels r":              1,
		"eval IDX -queries q -qrels r -depth 0":     2,
		"serve":                                     2,
		"serve IDX -listen localhost:99999":         1,
		"serve IDX -timeout -1s":                    2,
		"serve NEW":                                 1,
		"serve IDX -drain -1s":                      2,
		"front -shards http://a -quorum 2":          2,
		"front -shards http://a -quorum 0":          2,
		"serve IDX -table NEW":                      1,
		"serve IDX -table a.txt":                    1,
		"serve IDX -table a.txt -tokens a.txt":      2,
		"table":                                     2,
		"table IDX":                                 2,
		"table IDX -o NEW.table":                    0,
		"table IDX IDX -o NEW.table":                0,
		"table NEW -o NEW.table":                    1,
		"table a.txt -o NEW.table":                  1,
		"front":                                     2,
		"front IDX":                                 2,
		"front -shards a":                           2,
		"front -shards http://a,http://a":           2,
		"front -shards http://a|,http://b":          2,
		"front -shards http://a -listen 0.0.0.0:80": 2,
		"query IDX heap -where kind=\x1b[31mred":    0,
		"like IDX \x1b[31mred":                      1,
		"index \x1b]0;title\x07 -o NEW -strict":     1,
		"\x1b[2J":                                   2,
	} {
		var stdout, stderr strings.Builder
		args := strings.Fields(strings.NewReplacer("IDX", idx, "NEW", filepath.Join(dir, "new"), "a.txt", text).Replace(line))
		if got := run(nil, args, &stdout, &stderr); got != want {
			t.Errorf("similar %q: exit status %d, want %d\n%s", line, got, want, &stderr)
		}
		if (want != 0) != (stderr.Len() > 0) || strings.Count(stderr.String(), "\n") > 1 {
			t.Errorf("similar %q: wrote %q to stderr", line, &stderr)
		}
		if out := stdout.String() + stderr.String(); strings.ContainsAny(out, "\x1b\x07\u009b") {
			t.Errorf("similar %q: writes %q", line, out)
		}
	}
}

// TestProgress writes a line now and then if the output is no terminal.
func TestProgress(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := newProgress(&out, "documents", 1000)
	clock := p.start
	p.now = func() time.Time { return clock }
	for range 20 {
		clock = clock.Add(time.Second)
		p.add(10, 50)
	}
	p.add(10, 5000) // more than files were thought to hold
	p.end()
	want := "50 documents, 10 a second, 25 %, about 15s left\n" + "100 documents, 10 a second, 50 %, about 10s left\n" +
		"150 documents, 10 a second, 75 %, about 5s left\n" + "200 documents, 10 a second, 100 %, about 0s left\n"
	if out.String() != want {
		t.Errorf("wrote\n%swant\n%s", &out, want)
	}
}
