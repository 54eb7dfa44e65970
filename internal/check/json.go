package check

import (
	"encoding/json"
	"io"
)

// JSON writes the report as one JSON object, whose findings are a list also where there are none.
func (r *Report) JSON(w io.Writer) error {
	if r.Findings == nil {
		c := *r
		c.Findings = []*Finding{}
		r = &c
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
