package guestlib

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
)

// TestFormats checks a program with a race in every format of reports.
func TestFormats(t *testing.T) {
	_, client := built(t)
	report := func(format string) string {
		out, messages, status := gridstride(t, ".", "check", "--format", format, "--", client, "race")
		if status != 1 {
			t.Fatalf("%s: status %d\n%s", format, status, messages)
		}
		return out
	}
	if text := report("text"); !strings.Contains(text, "1 launch checked: 1 finding") || !strings.Contains(text, "launched from client+0x") {
		t.Errorf("text:\n%s", text)
	}
	if list := findings(t, report("json")); len(list) != 1 || list[0].Kind != "race" || list[0].Kernel != "race" {
		t.Errorf("JSON has %+v", list)
	}
	var junit struct {
		Suites []struct {
			Failures int `xml:"failures,attr"`
			Cases    []struct {
				Class   string  `xml:"classname,attr"`
				Failure *string `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(report("junit")), &junit); err != nil || len(junit.Suites) != 1 || junit.Suites[0].Failures != 1 {
		t.Errorf("JUnit has %+v (%v)", junit, err)
	}
	var sarif struct {
		Version string
		Runs    []struct {
			Results []struct {
				RuleID     string
				Properties struct{ LaunchedFrom string }
			}
		}
	}
	if err := json.Unmarshal([]byte(report("sarif")), &sarif); err != nil || sarif.Version != "2.1.0" ||
		len(sarif.Runs[0].Results) != 1 || sarif.Runs[0].Results[0].RuleID != "race" ||
		!strings.HasPrefix(sarif.Runs[0].Results[0].Properties.LaunchedFrom, "client+0x") {
		t.Errorf("SARIF has %+v (%v)", sarif, err)
	}
}

// TestProfileCommand counts what two processes launch, together.
func TestProfileCommand(t *testing.T) {
	_, client := built(t)
	out, messages, status := gridstride(t, ".", "profile", "--format", "json", "--", "sh", "-c", client+" add && "+client+" threads")
	var profile struct {
		Launches int
		Kernels  []struct {
			Kernel string
		}
	}
	if err := json.Unmarshal([]byte(out), &profile); err != nil || status != 0 {
		t.Fatalf("status %d, %v\n%s%s", status, err, out, messages)
	}
	if len(profile.Kernels) != 1 || profile.Kernels[0].Kernel != "add" || profile.Launches != 7+16*20 {
		t.Errorf("counted: %+v, want 327 launches of add", profile)
	}
	text, _, status := gridstride(t, ".", "profile", "--", client, "race")
	if status != 0 || !strings.Contains(text, "race") || !strings.Contains(text, "passes") {
		t.Errorf("status %d\n%s", status, text)
	}
}
