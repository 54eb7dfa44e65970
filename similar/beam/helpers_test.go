package beam_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	_ "gocloud.dev/blob/s3blob"

	"github.com/gridstride/gridstride/similar"
	similarbeam "github.com/gridstride/gridstride/similar/beam"
	"github.com/gridstride/gridstride/similar/version"
)

func TestMain(m *testing.M) {
	flag.Parse()
	log.SetupLogging("error", "text")
	log.SetLogger(silent{})
	beam.Init()
	os.Exit(m.Run())
}

// silent is a logger that logs nothing: tests provoke errors.
type silent struct{}

func (silent) Log(context.Context, log.Severity, int, string) {}

// locally are the runners in this process.
var locally = []string{"prism", "direct"}

// build builds a version, and returns its counters.
func build(t *testing.T, runner string, o similarbeam.Options) (map[string]int64, error) {
	t.Helper()
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	return run(t, runner, func(s beam.Scope) { similarbeam.Build(s, o, similarbeam.Read(s, o)) })
}

// run runs a pipeline, and returns its counters.
func run(t *testing.T, runner string, pipeline func(beam.Scope)) (map[string]int64, error) {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	pipeline(s)
	result, err := beam.Run(t.Context(), runner, p)
	if err != nil {
		return nil, err
	}
	n := map[string]int64{}
	for _, c := range result.Metrics().AllMetrics().Counters() {
		n[c.Name()] += c.Result()
	}
	return n, nil
}

// reference writes a version with nothing of Beam.
func reference(t *testing.T, docs []similar.Document, shards int, o similar.Options) string {
	t.Helper()
	dir := t.TempDir()
	for i := range shards {
		x, err := similar.New(o)
		if err != nil {
			t.Fatal(err)
		}
		own := slices.DeleteFunc(slices.Clone(docs), func(d similar.Document) bool { return similar.ShardOf(d.ID, shards) != i })
		if err := x.Add(t.Context(), own...); err != nil {
			t.Fatal(err)
		}
		if err := version.WriteShard(t.Context(), version.Folder(dir), x, version.ShardOptions{Shard: i, Of: shards}); err != nil {
			t.Fatal(err)
		}
		x.Close()
	}
	if err := version.Seal(t.Context(), version.Folder(dir)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// files are the files below a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(filepath.Join(dir, p))
		all[p] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// same fails where two folders differ.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	a, b := files(t, got), files(t, want)
	if !maps.Equal(a, b) {
		t.Fatalf("%s: the files %q, want %q", what, slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)))
	}
}

// answersAlike fails where a version does not answer as one index of the documents.
func answersAlike(t *testing.T, dir string, docs []similar.Document, o similar.Options, queries []string) (hits int) {
	t.Helper()
	x, err := similar.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Add(t.Context(), docs...); err != nil {
		t.Fatal(err)
	}
	v, err := version.Open(t.Context(), version.Folder(dir), version.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for _, q := range queries {
		want, err := x.Search(t.Context(), similar.Query{Text: q, K: 100})
		if err != nil {
			t.Fatal(err)
		}
		got, err := v.Search(t.Context(), similar.Query{Text: q, K: 100})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %v, want %v", q, got, want)
		}
		hits += len(got)
	}
	return hits
}

// words returns n words. Low numbers are frequent.
func words(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "w%d ", int(300*r.Float64()*r.Float64()))
	}
	return b.String()
}

// line is a document as a line of JSON.
func line(d similar.Document) string {
	members := map[string]string{"id": d.ID, "title": d.Title, "text": d.Text}
	maps.Copy(members, d.Fields)
	b, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return string(b) + "\n"
}
