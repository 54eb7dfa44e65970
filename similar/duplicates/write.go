package duplicates

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
)

// Write writes a line for each group: a JSON list of the ids of its documents, in the order of All.
// It does not hold the ids of a group in memory. It returns how many groups there are, and how many
// documents they have. Errors: All's and w's.
func (g *Groups) Write(ctx context.Context, w io.Writer, id func(document int) string) (groups, documents int, err error) {
	b := bufio.NewWriter(w)
	var quoted bytes.Buffer
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)
	for group, err := range g.All(ctx) {
		if err != nil {
			return groups, documents, err
		}
		between := byte('[')
		for _, document := range group {
			quoted.Reset()
			if err := e.Encode(id(document)); err != nil {
				return groups, documents, err
			}
			b.WriteByte(between) // Flush returns its errors
			b.Write(bytes.TrimSuffix(quoted.Bytes(), []byte("\n")))
			between = ','
		}
		if _, err := b.WriteString("]\n"); err != nil {
			return groups, documents, err
		}
		groups, documents = groups+1, documents+len(group)
	}
	return groups, documents, b.Flush()
}
