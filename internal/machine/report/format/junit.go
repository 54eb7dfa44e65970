package format

import (
	"encoding/xml"
	"fmt"
	"io"

	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/internal/tools/plain"
)

// The parts of JUnit's XML, as CI systems read it (github.com/testmoapp/junitxml), that a report needs.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		File    string        `xml:"file,attr,omitempty"`
		Line    int           `xml:"line,attr,omitempty"`
		Failure *junitMessage `xml:"failure"`
		Skipped *junitMessage `xml:"skipped"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes a report as JUnit's XML: a case for each tool, which passes if it found nothing and is
// skipped if it saw nothing, and a failed case for each finding that fails the check.
func JUnit(w io.Writer, r *report.Report) error {
	suite := junitSuite{Name: "gridstride check"}
	names := namesOf(r)
	for _, t := range r.Tools {
		if t.Findings > 0 {
			continue
		}
		c := junitCase{Class: "gridstride", Name: string(t.Tool)}
		if t.Seen == 0 {
			c.Skipped = &junitMessage{Message: "it has seen nothing to check"}
			suite.Skipped++
		}
		suite.Cases = append(suite.Cases, c)
	}
	for _, f := range r.Failures() {
		c := junitCase{Class: "gridstride." + string(f.Tool), Name: headline(f)}
		if f.Kernel != "" {
			c.Name = f.Kernel + ": " + c.Name
		}
		if len(f.Witnesses) > 0 {
			c.File, c.Line = f.Witnesses[0].Source.File, f.Witnesses[0].Source.Line
		}
		c.Failure = &junitMessage{Message: headline(f), Text: findingText(f, names)}
		suite.Failures++
		suite.Cases = append(suite.Cases, c)
	}
	for _, why := range r.Undone {
		suite.Failures++
		suite.Cases = append(suite.Cases, junitCase{Class: "gridstride", Name: "undecided: " + plain.Text(why),
			Failure: &junitMessage{Message: plain.Text(why), Text: count.Of(r.Launches, "launch") + " checked"}})
	}
	suite.Tests = len(suite.Cases)
	text, err := xml.MarshalIndent(junitSuites{Suites: []junitSuite{suite}}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}
