package format

import (
	"encoding/json"
	"io"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// JSON writes the report as one JSON object, whose findings are a list also if there are none.
func JSON(w io.Writer, r *report.Report) error {
	if r.Findings == nil {
		c := *r
		c.Findings = []*report.Finding{}
		r = &c
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
