package indigo

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// graph is a graph of the suite, in compressed rows: the neighbours of node i are
// list[index[i]:index[i+1]].
type graph struct {
	name        string
	index, list []int32
}

func (g *graph) nodes() int { return len(g.index) - 1 }

// readGraph reads an .egr file: the numbers of nodes and of edges, the rows' starts and the
// neighbours, all 32-bit and little-endian. What follows are weights, which the suite ignores.
func readGraph(path string) (*graph, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	words := make([]int32, len(data)/4)
	if _, err := binary.Decode(data, binary.LittleEndian, words); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(words) < 2 || words[0] < 1 || words[1] < 0 || len(words)-2 < int(words[0])+1+int(words[1]) {
		return nil, fmt.Errorf("%s: no graph, or cut short", path)
	}
	nodes, edges := int(words[0]), int(words[1])
	return &graph{filepath.Base(path), words[2 : nodes+3], words[nodes+3 : nodes+3+edges]}, nil
}

// readGraphs reads graphs of limited size from a folder and the folders in it: n from each
// folder, at even distances in the order of their names.
func readGraphs(dir string, nodes, n int) ([]*graph, error) {
	folders, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return nil, err
	}
	var list []*graph
	for _, folder := range folders {
		names, err := filepath.Glob(filepath.Join(folder, "*.egr"))
		if err != nil {
			return nil, err
		}
		var small []*graph
		for _, name := range names {
			g, err := readGraph(name)
			if err != nil {
				return nil, err
			}
			if g.nodes() <= nodes {
				small = append(small, g)
			}
		}
		for i := range min(n, len(small)) {
			list = append(list, small[i*len(small)/min(n, len(small))])
		}
	}
	return list, nil
}

func TestReadGraph(t *testing.T) {
	t.Parallel()
	write := func(name string, words ...int32) string {
		path := filepath.Join(t.TempDir(), name)
		data, err := binary.Append(nil, binary.LittleEndian, words)
		if err == nil {
			err = os.WriteFile(path, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	g, err := readGraph(write("three.egr", 3, 4, 0, 2, 3, 4, 1, 2, 0, 0, 99))
	if err != nil || !slices.Equal(g.index, []int32{0, 2, 3, 4}) || !slices.Equal(g.list, []int32{1, 2, 0, 0}) {
		t.Errorf("%+v, %v", g, err)
	}
	if _, err := readGraph(write("short.egr", 3, 4, 0, 2, 3, 4, 1, 2, 0)); err == nil {
		t.Error("a graph that is cut short is taken")
	}
}
