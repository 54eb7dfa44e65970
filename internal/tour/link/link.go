// Package link makes links to the tour that carry a program. The program is in the fragment, which no
// server sees. The page that such a link opens runs nothing before its reader says so.
package link

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
)

// Program is a program with a launch, as the tour's page for a program of one's own takes it.
type Program struct {
	Text   string `json:"text"` // Go or PTX
	Launch Launch `json:"launch"`
}

// Launch is how the program is launched.
type Launch struct {
	Kernel string   `json:"kernel"` // empty for the first
	Grid   []int    `json:"grid"`
	Block  []int    `json:"block"` // empty if the kernel says it
	Args   []string `json:"args"`  // as package argspec reads them
}

// The bounds of a link, which the page holds it to.
const (
	mostBytes = 1 << 20
	mostArgs  = 64
	// MostArg is how many bytes an argument has less than.
	MostArg = 4000
)

// To is the address of a page with a program. base is the address of a tour.
func To(base string, p Program) (string, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("%q is no address of a tour; want one such as http://localhost:7755/", base)
	}
	fragment, err := Fragment(p)
	if err != nil {
		return "", err
	}
	u = u.JoinPath("try.html")
	u.RawQuery, u.Fragment = "", ""
	return u.String() + fragment, nil
}

// Fragment is the fragment of the address of a page with a program. All its bytes may be in an address.
func Fragment(p Program) (string, error) {
	if len(p.Launch.Args) > mostArgs {
		return "", fmt.Errorf("there are %d arguments; a link has at most %d", len(p.Launch.Args), mostArgs)
	}
	for _, a := range p.Launch.Args {
		if len(a) >= MostArg {
			return "", fmt.Errorf("an argument has %d bytes; in a link it has less than %d", len(a), MostArg)
		}
	}
	if p.Launch.Block == nil {
		p.Launch.Block = []int{}
	}
	if p.Launch.Args == nil {
		p.Launch.Args = []string{}
	}
	text, err := json.Marshal(p)
	if err != nil {
		return "", err
	}
	if len(text) > mostBytes {
		return "", fmt.Errorf("the program has %d bytes with its launch; a link carries at most %d", len(text), mostBytes)
	}
	return Of(text)
}

// Of is the fragment with a text, which need be no program.
func Of(text []byte) (string, error) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	return "#p=" + base64.RawURLEncoding.EncodeToString(b.Bytes()), err
}
