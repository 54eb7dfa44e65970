package check

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/report/format"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// golden compares text with a file of testdata/golden.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (rewrite it with -update):\n%s\nwant\n%s", name, got, want)
	}
}

// halves is 1.5 for the first thread of each grid's first block that a witness shows.
func halves(n int) []float32 { return slices.Repeat([]float32{1.5}, n) }

func raceReport(tb testing.TB) result {
	b := compilePackage(tb, "dot")
	one := slices.Repeat([]float32{1}, 1024)
	return b.check("Partial_float32", x(4), x(256), Options{LaunchedFrom: "main.go:41"}, halves(1024), one, make([]float32, 4), 0)
}

func barrierReport(tb testing.TB) result {
	b := compilePackage(tb, "dot")
	return b.check("Caveat_float32", x(1), x(64), Options{}, halves(64), make([]float32, 64))
}

// TestTextGoldens shows the two findings of the documentation.
func TestTextGoldens(t *testing.T) {
	t.Parallel()
	for name, report := range map[string]func(testing.TB) result{"race.txt": raceReport, "barrier.txt": barrierReport} {
		var text bytes.Buffer
		if err := format.Text(&text, report(t).Report); err != nil {
			t.Fatal(err)
		}
		golden(t, name, text.Bytes())
	}
}
