//go:build mutate_effects

package ptx

import (
	"os"
	"strings"
)

// The mutation run of internal/proof/effects builds its tests with this file. It replaces the row of
// the effect table that EFFECT_ROW names by EFFECT_BECOMES.
func init() {
	if row := os.Getenv("EFFECT_ROW"); row != "" {
		effectRows = strings.Replace(effectRows, "\n"+row+"\n", "\n"+os.Getenv("EFFECT_BECOMES")+"\n", 1)
	}
}
