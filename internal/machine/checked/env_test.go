package checked

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// TestEnv writes values of the variable and reads them back.
func TestEnv(t *testing.T) {
	t.Parallel()
	for _, want := range []Env{
		{Dir: "/tmp/x"},
		{Dir: `C:\a folder\dir=x orders=3`, Budget: 1<<64 - 1},
		{Dir: "ä\n", Tools: report.Tools, Orders: 3, Seed: 1 << 63, Pedantic: true, Profile: true, Show: true, Budget: 5, Timeout: 90 * time.Second},
		{Dir: "d", Tools: []report.Tool{report.Racecheck}},
	} {
		if got, err := parseEnv(want.String()); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q is read as %+v (%v), want %+v", want.String(), got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                       "it names no folder",
		"yes":                    "it names no folder",
		"dir=":                   "it names no folder",
		"orders=2":               "it names no folder",
		"orders=two dir=x":       `strconv.Atoi: parsing "two": invalid syntax`,
		"color=red dir=x":        `this version of gridstride does not know "color"`,
		"pedantic=perhaps dir=x": `strconv.ParseBool: parsing "perhaps": invalid syntax`,
	} {
		if _, err := parseEnv(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestFromEnv opens what the variable asks for.
func TestFromEnv(t *testing.T) {
	t.Setenv(EnvVar, "")
	if c, err := FromEnv(); c != nil || err != nil {
		t.Errorf("without the variable: %v, %v", c, err)
	}
	t.Setenv(EnvVar, "yes")
	if _, err := FromEnv(); err == nil || !strings.HasPrefix(err.Error(), `GRIDSTRIDE_CHECK, which gridstride check sets, is "yes": `) {
		t.Errorf("with nonsense in it: %v", err)
	}
	t.Setenv(EnvVar, Env{Dir: t.TempDir(), Tools: []report.Tool{report.Racecheck}, Orders: 3, Seed: 1 << 63, Pedantic: true, Budget: 5, Timeout: time.Hour}.String())
	c, err := FromEnv()
	if err != nil {
		t.Fatal(err)
	}
	o := c.Options
	if o.Tools[0] != report.Racecheck || o.Orders != 3 || o.Seed != 1<<63 || !o.Pedantic || o.Budget != 5 || o.TimeLimit != time.Hour {
		t.Errorf("options are %+v, want those of the variable", o)
	}
	again, err := FromEnv()
	if err != nil || again.Folder != c.Folder {
		t.Errorf("a second device has a folder of its own (%v)", err)
	}
}
