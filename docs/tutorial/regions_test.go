package tutorial

import (
	"fmt"
	"strings"
)

// regions make the computed parts of the chapters, by name.
var regions = map[string]func() (string, error){
	"costs":  costsTable,
	"matmul": matmulTable,
	"memory": memoryTable,
	"steps":  stepsTable,
	"tensor": tensorTable,
	"tree":   treeTable,
}

// table is a Markdown table under way.
type table struct{ strings.Builder }

// row adds a row. The first one is the head: its first column is text, the others are numbers.
func (t *table) row(cells ...any) {
	first := t.Len() == 0
	for _, c := range cells {
		fmt.Fprintf(t, "| %v ", c)
	}
	t.WriteString("|\n")
	if first {
		t.WriteString("|---|" + strings.Repeat("---:|", len(cells)-1) + "\n")
	}
}

// source adds a line that names the files that times are from.
func (t *table) source(note string, files ...string) string {
	for i, file := range files {
		files[i] = fmt.Sprintf("[%s](%s)", file, measurements+file)
	}
	return t.String() + fmt.Sprintf("\n(%s; from %s)\n", note, strings.Join(files, ", "))
}
