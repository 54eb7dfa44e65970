package page

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gridstride/gridstride/similar"
)

var attacks = flag.Int("attacks", 3000, "how `many` requests the attack makes")

// hostileValues are an attacker's values of a parameter.
var hostileValues = []string{
	"", " ", "0", "1", "-1", "-0", "+1", "10000", "10001", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e400", "1e-400",
	"inf", "Inf", "-inf", "NaN", "infinity", "0x1p4", "0x", "1_000", "٣", "1.5", "1 ", "null", "true", "[]", "{}", "a=b", "=", "==", "kind=", "=queue", "kind=tree; queue",
	"sort", "container/heap", "nobody", hostile, "bad ?&#<id>", "../../etc/passwd", "..\\..", "/", "//", "\x00", "\xff\xfe", "\u202e", "\u0085\u009b2J", "\ufeff",
	"\r\nSet-Cookie: a=b", "%", "%00", "%zz", "${x}", "{{.}}", "{{template \"search\"}}", "javascript:alert(1)", "' OR 1=1 --", "*", "heap queue list sort ring",
	strings.Repeat("a", 4096), strings.Repeat("a", 4097), strings.Repeat("heap ", 800), strings.Repeat("é", 2048), strings.Repeat("\u0301", 1000), strings.Repeat("(", 2000),
}

// routes are all that the handler has, and some that it has not.
func routes() []string {
	list := []string{"/", "/api/openapi.json", "/results", "/document", "/why", "/map", "/api", "/api/", "/api/none", "/none", "/static/page.js", "/static/..%2ftemplates", "/static/%00", "//", "/%2e%2e/", "/api/search/"}
	for _, e := range Endpoints {
		list = append(list, e.Path)
	}
	return list
}

// parameterNames are all parameters, and some that there are not.
func parameterNames() []string {
	list := []string{"trail", "v", "none", "", "Q"}
	for _, p := range Parameters {
		list = append(list, p.Name)
	}
	return list
}

// attacked asks once, and holds the answer to what every answer is: of a status that the request
// explains, JSON or a page, in UTF-8, with the headers that keep a browser out of trouble.
func attacked(t *testing.T, h http.Handler, method, target string, headers http.Header) {
	t.Helper()
	u, err := url.ParseRequestURI(target)
	if err != nil {
		return // no server would get it
	}
	r := &http.Request{Method: method, URL: u, Host: "localhost", Header: headers, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, RequestURI: target, Body: http.NoBody}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r.WithContext(t.Context()))
	body := w.Body.String()
	if !slices.Contains([]int{200, 301, 304, 307, 308, 400, 403, 404, 405, 415, 416, 422}, w.Code) {
		t.Errorf("%s %.200s: status %d: %.300s", method, target, w.Code, body)
	}
	if !utf8.ValidString(body) {
		t.Errorf("%s %.200s: no UTF-8", method, target)
	}
	kind := w.Header().Get("Content-Type")
	if strings.HasPrefix(kind, "application/json") && !json.Valid([]byte(body)) {
		t.Errorf("%s %.200s: no JSON: %.300q", method, target, body)
	}
	if w.Code == 200 && strings.HasPrefix(u.Path, "/api/") && u.Path != "/api/" && !strings.HasPrefix(kind, "application/json") {
		t.Errorf("%s %.200s: is %s", method, target, kind)
	}
	if strings.HasPrefix(kind, "text/html") && (strings.Contains(body, "<img") || strings.Contains(body, "<script>")) {
		t.Errorf("%s %.200s: has an element of the attacker's: %.300s", method, target, body)
	}
	if w.Header().Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") || w.Header().Get("Set-Cookie") != "" {
		t.Errorf("%s %.200s: headers %v", method, target, w.Header())
	}
}

// TestAttack asks every route with every parameter for every hostile value, and then with random
// ones of each, several at a time.
func TestAttack(t *testing.T) {
	t.Parallel()
	h := serve(t, Options{}, library...)
	names, n := parameterNames(), 0
	for _, route := range routes() {
		for _, name := range names {
			for _, value := range hostileValues {
				if !testing.Short() || n%7 == 0 {
					attacked(t, h, "GET", route+"?"+url.Values{name: {value}}.Encode(), nil)
				}
				n++
			}
		}
	}
	for _, target := range []string{"//?q=\xff\xfe", "/api/../?q=\xff", "/?q=\xff", "/?q=é"} { // the bytes as they are
		attacked(t, h, "GET", target, nil)
	}
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(list []string) string { return list[random.IntN(len(list))] }
	for range *attacks {
		var query []string
		for range random.IntN(6) {
			value := url.QueryEscape(pick(hostileValues))
			if random.IntN(20) == 0 {
				value = pick(hostileValues) // as it is
			}
			query = append(query, pick(names)+"="+value)
		}
		headers := http.Header{}
		if random.IntN(10) == 0 {
			headers.Set(pick([]string{"Origin", "Sec-Fetch-Site", "Sec-Fetch-Mode", "Accept", "Range", "If-None-Match", "X-Forwarded-Host"}), pick(hostileValues))
		}
		attacked(t, h, pick([]string{"GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW"}), pick(routes())+"?"+strings.Join(query, "&"), headers)
		n++
	}
	t.Logf("%d requests", n)
}

// FuzzHandler asks for any address.
func FuzzHandler(f *testing.F) {
	x, err := similar.New(similar.Options{})
	if err != nil {
		f.Fatal(err)
	}
	defer x.Close()
	if err := x.Add(f.Context(), library...); err != nil {
		f.Fatal(err)
	}
	h, err := New(x.Searcher, Options{})
	if err != nil {
		f.Fatal(err)
	}
	for _, route := range routes() {
		f.Add("GET", route, "q=queue&id=sort&k=3", "")
	}
	for _, value := range hostileValues[:40] {
		f.Add("GET", "/api/search", fmt.Sprintf("q=%s&where=%s", url.QueryEscape(value), url.QueryEscape(value)), value)
	}
	f.Fuzz(func(t *testing.T, method, path, query, origin string) {
		headers := http.Header{}
		if origin != "" {
			headers.Set("Origin", origin)
		}
		attacked(t, h, method, path+"?"+query, headers)
	})
}
