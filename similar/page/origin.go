package page

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"
)

// foreign is an error for a request that a page of another site, or of another port of this
// machine, has a browser make. Such a page may link to a page of ours, and nothing else: it could
// not read the answer, but it could keep the server at work.
func foreign(r *http.Request) error {
	site, mode := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Sec-Fetch-Mode")
	switch site {
	case "", "none", "same-origin":
	default:
		link := mode == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" && r.Method == http.MethodGet
		if !link || strings.HasPrefix(r.URL.Path, "/api/") {
			return errForeign
		}
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return nil
	}
	u, err := url.Parse(origins[0])
	if err != nil || len(origins) > 1 || !strings.EqualFold(u.Host, r.Host) {
		return errForeign
	}
	return nil
}

var errForeign = &statusError{status: http.StatusForbidden, err: errors.New("a page of another site asks; this server answers its own pages, and programs")}

// legible is an error for an address whose query is no UTF-8. net/http's own redirects would repeat
// its bytes in a page.
func legible(r *http.Request) error {
	if !utf8.ValidString(r.URL.RawQuery) {
		return badRequest("the address is no UTF-8: escape its bytes with %%")
	}
	return nil
}

// local answers to requests that call this machine by a name that only it has.
func local(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLocal(r.Host) {
			http.Error(w, "this server answers to localhost alone", http.StatusMisdirectedRequest)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// isLocal reports whether a host, with a port or without, is this machine wherever it is looked up.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(inner, "]")
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}
