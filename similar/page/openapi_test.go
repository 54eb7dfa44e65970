package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// conforms holds a JSON value to a schema.
func conforms(value any, schema map[string]any, where string) error {
	kinds := map[string]func() bool{
		"string": func() bool { _, ok := value.(string); return ok }, "number": func() bool { _, ok := value.(float64); return ok },
		"boolean": func() bool { _, ok := value.(bool); return ok }, "object": func() bool { _, ok := value.(map[string]any); return ok },
		"array": func() bool { _, ok := value.([]any); return ok }, "integer": func() bool { f, ok := value.(float64); return ok && f == float64(int64(f)) },
	}
	kind, _ := schema["type"].(string)
	if is := kinds[kind]; is == nil || !is() {
		return fmt.Errorf("%s is %v, want a value of type %q", where, value, kind)
	}
	switch value := value.(type) {
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		required, _ := schema["required"].([]any)
		for _, name := range required {
			if _, ok := value[name.(string)]; !ok {
				return fmt.Errorf("%s has no %s", where, name)
			}
		}
		for name, v := range value {
			inner, ok := properties[name].(map[string]any)
			if !ok {
				inner, ok = schema["additionalProperties"].(map[string]any)
			}
			if !ok {
				return fmt.Errorf("%s has %s, which is not described", where, name)
			}
			if err := conforms(v, inner, where+"."+name); err != nil {
				return err
			}
		}
	case []any:
		for i, v := range value {
			if err := conforms(v, schema["items"].(map[string]any), fmt.Sprintf("%s[%d]", where, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// dig returns what is at a path of members.
func dig(t *testing.T, v any, path ...string) map[string]any {
	t.Helper()
	for _, name := range path {
		v = v.(map[string]any)[name]
	}
	m, ok := v.(map[string]any)
	if !ok {
		t.Fatalf("there is nothing at %q", path)
	}
	return m
}

// TestOpenAPI compares the handlers with the document that describes them: they answer every
// operation as described, also if it fails, accept every parameter of the document, and no other.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "books")
	save(t, dir, library...)
	tokens, err := ReadTokens(strings.NewReader(token))
	if err != nil {
		t.Fatal(err)
	}
	synced := func(context.Context, string) (Synced, error) { return Synced{New: 1, Documents: 4}, nil }
	s := site(t, Options{Tokens: tokens, Sync: synced}, dir)
	document := ask[map[string]any](t, s, "/api/openapi.json")
	if document["openapi"] != "3.1.0" || dig(t, document, "info")["title"] != "similar: books" {
		t.Errorf("%v", document["info"])
	}
	values := map[string]string{"q": "heap queue", "like": "sort", "terms": "5", "good": "sort", "where": "kind=chain", "field": "kind", "id": "container/heap", "k": "3", "from": "1", "sort": "-kind", "threshold": "0.01", "collapse": "0.9"}
	operations := 0
	for path, methods := range dig(t, document, "paths") {
		for method, operation := range methods.(map[string]any) {
			operations++
			o := operation.(map[string]any)
			method = strings.ToUpper(method)
			headers, body := []string{"Authorization: Bearer " + token, "Content-Type: application/json"}, ""
			if o["requestBody"] != nil {
				body = `{"id": "new", "text": "text"}`
				document := map[string]any{"id": "new", "title": "", "text": "text", "fields": map[string]any{}}
				if path == "/api/like" {
					body, document = `{"text": "a queue of nodes"}`, map[string]any{"title": "", "text": "text"}
				}
				if err := conforms(document, dig(t, o, "requestBody", "content", "application/json", "schema"), "body"); err != nil {
					t.Errorf("%s %s: %v", method, path, err)
				}
			}
			answered := func(query url.Values, want ...int) {
				t.Helper()
				code, text := send(s, method, path+"?"+query.Encode(), body, headers...)
				kind := "default"
				if code == 200 {
					kind = "200"
				}
				var v any
				err := json.Unmarshal([]byte(text), &v)
				if err == nil {
					err = conforms(v, dig(t, o, "responses", kind, "content", "application/json", "schema"), "answer")
				}
				if err != nil || !slices.Contains(want, code) {
					t.Errorf("%s %s?%s: status %d, %v: %s", method, path, query.Encode(), code, err, text)
				}
			}
			all, minimal := url.Values{}, url.Values{}
			if method == "DELETE" {
				minimal.Set("id", "container/ring")
			}
			for _, p := range o["parameters"].([]any) {
				name := p.(map[string]any)["name"].(string)
				all.Set(name, values[name])
				if (name == "q" || name == "id" || name == "field") && !minimal.Has(name) {
					minimal.Set(name, values[name])
				}
			}
			if method != "DELETE" {
				answered(all, 200)
			}
			answered(minimal, 200)
			answered(url.Values{"none": {"x"}}, 400)
			answered(url.Values{"id": {"nobody"}, "q": {"heap"}}, 400, 404)
		}
	}
	if operations != len(Endpoints) || operations < 7 {
		t.Errorf("%d operations are described, of %d", operations, len(Endpoints))
	}
	if err := conforms(map[string]any{"a": 1.0, "b": 1.0}, map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "integer"}}}, "test"); err == nil {
		t.Error("a member that is not described conforms")
	}
}
