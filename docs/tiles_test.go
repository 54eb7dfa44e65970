package docs

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/gridstride/gridstride/internal/proof/gpusuite/tiles"
)

// tilesFile has an H200's results of every product of matrices.
const tilesFile = "measurements/2026-11-23-h200-tiles.json"

// TestTiles holds that the simulator runs no product of matrices which a million tiles on an H200
// have not confirmed to the bit.
func TestTiles(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(tilesFile)
	if err != nil {
		t.Fatal(err)
	}
	var measured struct {
		Rows []struct {
			Instruction             string
			Tiles, Elements, Differ int
			Ways                    int `json:"differ_by_way"`
		}
	}
	if err := json.Unmarshal(text, &measured); err != nil {
		t.Fatalf("%s: %v", tilesFile, err)
	}
	confirmed := map[string]bool{}
	for _, r := range measured.Rows {
		confirmed[r.Instruction] = r.Tiles >= 1_000_000 && r.Elements >= r.Tiles && r.Differ == 0 && r.Ways == 0
	}
	for _, p := range tiles.Products() {
		if !confirmed[p.Name] {
			t.Errorf("%s has no row in %s with a million tiles of which nothing differs", p.Name, tilesFile)
		}
		delete(confirmed, p.Name)
	}
	for name := range confirmed {
		t.Errorf("%s: there is no instruction %s", tilesFile, name)
	}
}
