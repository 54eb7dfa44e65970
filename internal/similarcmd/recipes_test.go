//go:build unix

package similarcmd

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// recipe is the absolute path of a file of docs/scale.
func recipe(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "docs", "scale", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// sources writes a collection, and its version that no recipe made.
func sources(t *testing.T) (docs, want string) {
	t.Helper()
	docs, want = filepath.Join(t.TempDir(), "docs.jsonl"), filepath.Join(t.TempDir(), "want")
	writeDocuments(t, docs, 300)
	for i := range shards {
		finish(t, index(docs, want, i)...)
	}
	finish(t, "seal", want)
	return docs, want
}

func sameTree(t *testing.T, got, want string) {
	t.Helper()
	if a, b := tree(t, got), tree(t, want); !maps.EqualFunc(a, b, bytes.Equal) {
		t.Errorf("%d files, and %d or others without the recipe", len(a), len(b))
	}
}

func ran(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", cmd.Args, err, out)
	}
}

// TestMakeRecipe builds a version with GNU make, twice, and again without a shard.
func TestMakeRecipe(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("GNU make is not installed: its recipe is NOT tested")
	}
	docs, want := sources(t)
	v := filepath.Join(t.TempDir(), "v")
	build := func() {
		ran(t, exec.Command("make", "-f", recipe(t, "version.mk"), "-j", "3", "SOURCES="+docs, "VERSION="+v, fmt.Sprint("SHARDS=", shards)))
		sameTree(t, v, want)
	}
	build()
	build()
	if err := os.Remove(filepath.Join(v, "shard-00001", "manifest")); err != nil {
		t.Fatal(err)
	}
	build()
}

// TestKubernetesRecipe runs the commands of the pods, in the reverse order of their indices. Module
// similar/internal/recipes decodes the file into Kubernetes' own types.
func TestKubernetesRecipe(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(recipe(t, "kubernetes.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^ *args: \['(.*)'\]$`).FindAllSubmatch(text, -1)
	if len(commands) != 2 {
		t.Fatalf("%d commands", len(commands))
	}
	docs, want := sources(t)
	v := filepath.Join(t.TempDir(), "v")
	pod := func(command []byte, index int) {
		cmd := exec.Command("sh", "-c", string(command))
		cmd.Env = append(os.Environ(), "SOURCES="+docs, "VERSION="+v, fmt.Sprint("SHARDS=", shards), fmt.Sprint("JOB_COMPLETION_INDEX=", index))
		ran(t, cmd)
	}
	for i := range shards {
		pod(commands[0][1], shards-1-i)
	}
	pod(commands[1][1], 0)
	sameTree(t, v, want)
}

// TestSlurmScript runs the script of the array without Slurm.
func TestSlurmScript(t *testing.T) {
	t.Parallel()
	docs, want := sources(t)
	v := filepath.Join(t.TempDir(), "v")
	for i := range shards {
		cmd := exec.Command("sh", recipe(t, "slurm.sh"), docs, v)
		cmd.Env = append(os.Environ(), fmt.Sprint("SLURM_ARRAY_TASK_ID=", i), fmt.Sprint("SLURM_ARRAY_TASK_COUNT=", shards))
		ran(t, cmd)
	}
	finish(t, "seal", v)
	sameTree(t, v, want)
}
