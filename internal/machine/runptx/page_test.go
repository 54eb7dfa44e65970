package runptx

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/sourcefs"
	"github.com/gridstride/gridstride/internal/language/sourcetext"
	"github.com/gridstride/gridstride/internal/machine/argspec"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/report/format"
)

// racy doubles the elements of a slice, and has all threads write the first of another.
const racy = `package page

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=64
func Double(x, last []float32) {
	for i := range gpu.GridStride(len(x)) {
		x[i] *= 2
		last[0] = x[i]
	}
}
`

// racyLine is where the threads race.
const racyLine = "last[0] = x[i]"

// compiled is the PTX of racy, without the go command.
func compiled(t *testing.T) string {
	t.Helper()
	src := &compile.Source{Path: "example.com/page", Name: "page",
		Files: []compile.File{{Name: "page.go", Text: []byte(racy)}}}
	module := os.DirFS("../../..") // a page has an archive instead
	r, err := compile.Compile(src, sourcefs.Importer(module, "github.com/gridstride/gridstride"), compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Stamp.String() + r.PTX.String()
}

// TestPage does what a page in a browser does with the source of a kernel: it compiles it, runs it,
// checks it and profiles it, without flags, files and processes.
func TestPage(t *testing.T) {
	t.Parallel()
	job := &Job{Name: "page.ptx", PTX: compiled(t)}
	job.Config.GridDim = gridstride.Dim3{X: 2, Y: 1, Z: 1}
	for _, text := range []string{"f32[100]=ramp", "f32[1]=zeros"} {
		arg, err := argspec.Parse(text, argspec.NoFiles)
		if err != nil {
			t.Fatal(err)
		}
		job.Args = append(job.Args, arg)
	}
	out, err := argspec.ParseOut("0", job.Args)
	if err != nil {
		t.Fatal(err)
	}
	job.Outs = append(job.Outs, out)

	t.Run("run", func(t *testing.T) { runPage(t, job) })
	o := Observation{Sources: sourcetext.Texts{"example.com/page/page.go": racy}}
	t.Run("check", func(t *testing.T) { checkPage(t, job, o) })
	t.Run("profile", func(t *testing.T) { profilePage(t, job, o) })
}

func runPage(t *testing.T, job *Job) {
	dev, err := gridstride.Open(gridstride.Use("sim"))
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	var b bytes.Buffer
	if err := job.Run(t.Context(), dev, &b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "0 x: 0 2 4 6 ") || !strings.Contains(b.String(), " 196 198\n") {
		t.Errorf("Run prints %q, want the doubled elements", b.String())
	}
}

func checkPage(t *testing.T, job *Job, o Observation) {
	found, err := job.Check(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Findings) != 1 || found.Findings[0].Tool != report.Racecheck {
		t.Fatalf("%d findings, want one race", len(found.Findings))
	}
	var b bytes.Buffer
	if err := format.Text(&b, found); err != nil {
		t.Fatal(err)
	}
	if line := strings.Count(racy[:strings.Index(racy, racyLine)], "\n") + 1; found.Findings[0].Witnesses[0].Source.Line != line ||
		!strings.Contains(b.String(), racyLine) {
		t.Errorf("the report is\n%s\nwant line %d, %q", b.String(), line, racyLine)
	}
}

func profilePage(t *testing.T, job *Job, o Observation) {
	counts, failed, err := job.Profile(t.Context(), o)
	if err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	var b bytes.Buffer
	if err := counts.HTML(&b, "page", o.Sources.Line); err != nil {
		t.Fatal(err)
	}
	if counts.Launches != 1 || len(counts.Kernels) != 1 || counts.Total.Instructions == 0 {
		t.Fatalf("%d launches of %d kernels are counted, want one", counts.Launches, len(counts.Kernels))
	}
	for _, l := range counts.Kernels[0].Lines {
		if l.Text == racyLine && l.Instructions > 0 {
			return
		}
	}
	t.Errorf("no line %q is counted", racyLine)
}

// TestNoFiles refuses arguments from files.
func TestNoFiles(t *testing.T) {
	t.Parallel()
	want := "x.npy: files cannot be read here; want TYPE[N]=CONTENTS"
	for _, text := range []string{"x.npy", "f32[3]=x.npy"} {
		if _, err := argspec.Parse(text, argspec.NoFiles); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
