package onhost

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestAnswers holds the answers to the functions of package gpu that pass their calls on.
func TestAnswers(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\tthreadCall\[.*\]\("(\w+)"|return threadCall\[.*\]\("(\w+)"`).FindAllSubmatch(text, -1) {
			asked[string(m[1])+string(m[2])] = true
		}
	}
	for name := range asked {
		if answers[name] == nil {
			t.Errorf("gpu.%s asks package onhost, which has no answer", name)
		}
	}
	for name := range answers {
		if !asked[name] {
			t.Errorf("package onhost has an answer for gpu.%s, which does not ask", name)
		}
	}
}
