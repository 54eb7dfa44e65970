package site

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/gridstride/gridstride/internal/tour/course"
)

var shots = flag.String("shots", "", "write pictures of the pages into a `folder`, for people to look at")

// assembled is the folder of a tour, which all tests share.
var assembled = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "tour")
	if err != nil {
		return "", err
	}
	exercises, err := course.Own()
	if err != nil {
		return "", err
	}
	return dir, Assemble(context.Background(), "../../..", dir, exercises)
})

// TestMain removes the tour that the tests have assembled.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if used {
		if dir, err := assembled(); err == nil {
			os.RemoveAll(dir)
		}
	}
	os.Exit(code)
}

var used bool

// patient serves pages that wait longer for their programs: the machine may have much else to do.
func patient(files http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, ".html") && !strings.HasSuffix(r.URL.Path, "/") {
			files.ServeHTTP(w, r)
			return
		}
		page := httptest.NewRecorder()
		r.Header.Del("If-Modified-Since")
		r.Header.Del("Range")
		files.ServeHTTP(page, r)
		for _, name := range []string{"Content-Type", "Location"} {
			w.Header()[name] = page.Header()[name]
		}
		w.WriteHeader(page.Code)
		io.WriteString(w, strings.Replace(page.Body.String(), "<html ", `<html data-patience="90" `, 1))
	})
}

// serve serves the tour as any web server does, and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	used = true
	dir, err := assembled()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(compressing(patient(http.FileServer(http.Dir(dir)))))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// browser starts Chromium, or skips the test if there is none. Each call of the function that it
// returns opens a page.
func browser(t *testing.T) func(t *testing.T) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("the browser takes a minute")
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("!!! THE TOUR IS NOT TESTED IN A BROWSER: there is no Chromium here; install Debian's package chromium")
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1200, 900),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true))
	first, cancel := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		if err := chromedp.Cancel(first); err != nil {
			t.Log(err)
		}
		cancel()
		stop()
	})
	if err := chromedp.Do(first); err != nil {
		t.Fatalf("Chromium does not start: %v", err)
	}
	return func(t *testing.T) context.Context {
		ctx, cancel := chromedp.NewContext(first)
		t.Cleanup(cancel)
		ctx, cancel = context.WithTimeout(ctx, 8*time.Minute)
		t.Cleanup(cancel)
		return ctx
	}
}

// A deed is something done on a page that gives no value.
type deed = chromedp.Action[chromedp.Void]

// do does deeds on a page.
func do(t *testing.T, ctx context.Context, deeds ...deed) {
	t.Helper()
	for i, s := range deeds {
		if err := chromedp.Do(ctx, s); err != nil {
			late, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			body, _ := chromedp.Run(late, chromedp.Evaluate[string](`location + "\n" + document.body.innerText`))
			t.Fatalf("step %d: %v; the page is %.3000s", i+1, err, body)
		}
	}
}

// js evaluates an expression on a page.
func js[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits for an expression to become true.
func until(expression string) deed {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		var last error
		for range 6000 {
			done, err := chromedp.Evaluate[bool]("!!("+expression+")")(ctx, target)
			if done && err == nil {
				return chromedp.Void{}, nil
			}
			last = err
			time.Sleep(20 * time.Millisecond)
			if ctx.Err() != nil {
				break
			}
		}
		return chromedp.Void{}, fmt.Errorf("never came true: %s (%w)", expression, errors.Join(last, ctx.Err()))
	}
}

// run evaluates an expression for what it does.
func run(expression string) deed {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Evaluate[bool]("("+expression+", true)")(ctx, target)
		return chromedp.Void{}, err
	}
}

// shoot takes a picture of what is to be seen of a page, if it is wanted.
func shoot(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	if *shots == "" {
		return
	}
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(*shots, name+".png"), png, 0o666)
	}
	if err != nil {
		t.Error(err)
	}
}
