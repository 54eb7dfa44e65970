package similarcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gridstride/gridstride/similar/page"
	"github.com/gridstride/gridstride/similar/version"
)

// An objects server gives the files below a folder, as an object store does. Of a hundred requests
// faults are answered with 503 or cut off.
type objects struct {
	root   string
	faults atomic.Int64
	failed atomic.Int64 // requests
}

func (o *objects) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fault := rand.Int64N(100) < o.faults.Load()
	if fault {
		o.failed.Add(1)
		if rand.IntN(2) == 0 {
			http.Error(w, "try again", http.StatusServiceUnavailable)
			return
		}
	}
	q := r.URL.Query()
	path := filepath.Join(o.root, filepath.FromSlash(q.Get("name")))
	var text []byte
	var err error
	if r.URL.Path == "/list" {
		var files []version.File
		for f, e := range version.Folder(path).List(r.Context(), q.Get("prefix")) {
			files, err = append(files, f), e
		}
		if err == nil {
			text, err = json.Marshal(files)
		}
	} else {
		text, err = os.ReadFile(path)
		from, _ := strconv.Atoi(q.Get("offset"))
		length, _ := strconv.Atoi(q.Get("length"))
		text = text[min(from, len(text)):min(from+length, len(text))]
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	if fault {
		_, _ = w.Write(text[:len(text)/2])
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(text)
}

// remote is the store of a version that an objects server has.
type remote struct{ address, name string }

func (s remote) String() string { return s.address + "/" + s.name }

// get asks the server.
func (s remote) get(ctx context.Context, path string, q url.Values) (io.ReadCloser, error) {
	q.Set("name", strings.Trim(s.name+"/"+q.Get("name"), "/"))
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address+path+"?"+q.Encode(), nil)
	if err != nil {
		cancel()
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		cancel()
		return nil, err
	}
	body := &canceled{res.Body, cancel}
	switch res.StatusCode {
	case http.StatusOK:
		return body, nil
	case http.StatusNotFound:
		return nil, errors.Join(fs.ErrNotExist, body.Close())
	}
	return nil, errors.Join(fmt.Errorf("status %d", res.StatusCode), body.Close())
}

// canceled is a body with a deadline, which ends with it.
type canceled struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (c *canceled) Close() error {
	defer c.cancel()
	return c.ReadCloser.Close()
}

func (s remote) Read(ctx context.Context, name string, offset, length int64) (io.ReadCloser, error) {
	return s.get(ctx, "/get", url.Values{"name": {name}, "offset": {fmt.Sprint(offset)}, "length": {fmt.Sprint(length)}})
}

func (s remote) List(ctx context.Context, prefix string) iter.Seq2[version.File, error] {
	return func(yield func(version.File, error) bool) {
		var files []version.File
		body, err := s.get(ctx, "/list", url.Values{"prefix": {prefix}})
		if err == nil {
			err = json.NewDecoder(body).Decode(&files)
			_ = body.Close()
		}
		if err != nil {
			yield(version.File{}, err)
			return
		}
		for _, f := range files {
			if !yield(f, nil) {
				return
			}
		}
	}
}

func (s remote) Create(context.Context, string, func(io.Writer) error) error { return fs.ErrPermission }
func (s remote) Delete(context.Context, string) error                        { return fs.ErrPermission }

// remoteSource is the version that the file current of an objects server names.
type remoteSource struct {
	address string
	shard   int
	cache   *version.Cache
}

// Place implements page.VersionSource.
func (s *remoteSource) Place(ctx context.Context) (string, error) {
	body, err := remote{s.address, ""}.Read(ctx, "current", 0, 100)
	if err != nil {
		return "", err
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	return strings.TrimSpace(string(text)), err
}

// Open implements page.VersionSource.
func (s *remoteSource) Open(ctx context.Context, place string) (*page.Version, error) {
	v, err := version.Open(ctx, remote{s.address, place}, version.Options{Shards: []int{s.shard}, Cache: s.cache})
	if err != nil {
		return nil, err
	}
	return &page.Version{Place: place, Sum: v.Sum(), Shard: s.shard, Of: v.Of(), Searcher: v.Searcher, Close: v.Close}, nil
}

// serveRemote is the command similar-remote of tests: it serves a shard of what an objects server has,
// at an address.
func serveRemote() {
	err := func() error {
		address, shard, dir, listen := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
		cache, err := version.NewCache(dir, 1<<30)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(shard)
		if err != nil {
			return err
		}
		v, err := page.NewVersions(context.Background(), page.Options{}, &remoteSource{address, n, cache})
		for tries := 0; err != nil && tries < 100; tries++ { // as a platform starts it again
			time.Sleep(100 * time.Millisecond)
			v, err = page.NewVersions(context.Background(), page.Options{}, &remoteSource{address, n, cache})
		}
		if err != nil {
			return err
		}
		go v.Watch(context.Background(), watchEvery)
		return page.Serve(context.Background(), listen, v, nil)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
