package page

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io/fs"
	"net/http"
	"path"
	"time"
)

// types are the types of assets by the ends of their names. Systems' own tables differ.
var types = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// An asset is a file of folder static.
type asset struct {
	text    []byte
	version string // changes with the text
}

// assets are the files of folder static by name.
func assets() (map[string]asset, error) {
	entries, err := fs.ReadDir(files, "static")
	if err != nil {
		return nil, err
	}
	list := map[string]asset{}
	for _, e := range entries {
		text, err := files.ReadFile("static/" + e.Name())
		if err != nil {
			return nil, err
		}
		sum := fnv.New64a()
		sum.Write(text)
		list[e.Name()] = asset{text, fmt.Sprintf("%x", sum.Sum64())}
	}
	return list, nil
}

// static is the address of an asset.
func (h *Handler) static(name string) (string, error) {
	a, ok := h.assets[name]
	if !ok {
		return "", fmt.Errorf("BUG: there is no asset %s", name)
	}
	return h.base + "/static/" + name + "?v=" + a.version, nil
}

// serveAsset serves the asset of a request's path. An asset requested with its version may be
// cached for ever.
func (h *Handler) serveAsset(w http.ResponseWriter, r *http.Request) {
	a, ok := h.assets[r.PathValue("name")]
	if !ok {
		h.html("error", free, h.notFound)(w, r)
		return
	}
	if r.URL.Query().Get("v") == a.version {
		w.Header().Set("Cache-Control", "max-age=31536000, immutable")
	}
	w.Header().Set("Content-Type", types[path.Ext(r.PathValue("name"))])
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.text))
}
