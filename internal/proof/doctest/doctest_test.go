package doctest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	t.Parallel()
	const text = "# Title\n\n```sh\ngo test ./...\n```\n\nText with ``` in it? No: `code`.\n\n" +
		"- item\n\n  ```go file=a/b.go excerpt\n  func f() {\n  \treturn\n  }\n  ```\n\n" +
		"````\n```\nnested\n```\n````\n"
	got, err := Parse("x.md", text)
	if err != nil {
		t.Fatal(err)
	}
	want := []Block{
		{File: "x.md", Line: 3, Lang: "sh", Args: []string{}, Text: "go test ./...\n"},
		{File: "x.md", Line: 11, Lang: "go", Args: []string{"file=a/b.go", "excerpt"},
			Text: "func f() {\n\treturn\n}\n"},
		{File: "x.md", Line: 17, Text: "```\nnested\n```\n"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if file, ok := got[1].Arg("file"); !ok || file != "a/b.go" {
		t.Errorf("file is %q, %v", file, ok)
	}
	if !got[1].Has("excerpt") || got[1].Has("sh") {
		t.Error("Has is wrong")
	}
	if _, err := Parse("x.md", "text\n```go\n"); err == nil || err.Error() != "x.md:2: the code block is not closed" {
		t.Errorf("open block: %v", err)
	}
}
