package similarcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	threads "sync" // sync is a function of this package
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar/page"
	"github.com/gridstride/gridstride/similar/version"
)

var (
	faultRounds = flag.Int("faults", 0, "`number` of rounds of faults of hosts, which are network namespaces (0: none)")
	faultFile   = flag.String("faultsfile", "", "write what happened in the rounds to this `file`")
)

const (
	insideFaults = "SIMILAR_TEST_INSIDE"
	replicas     = 2 // of each shard
)

// TestFaults has each shard on its own hosts, and a front. Each round a host or the front is killed,
// stopped, cut off or slowed, or the object store fails, while queries, builds and switches of the
// version run. Each answer is one index's answer, of one version's documents, without the shards that
// it names, and after each round all is well again by itself.
//
//	go test ./internal/similarcmd -run TestFaults -faults 1000 -timeout 2h -v
func TestFaults(t *testing.T) {
	if *faultRounds == 0 {
		t.Skip("-faults is not given")
	}
	if os.Getenv(insideFaults) == "" {
		if out, err := exec.Command("unshare", "-rnm", "ip", "link").CombinedOutput(); err != nil {
			t.Skipf("!!! NO FAULTS OF HOSTS ARE TESTED: network namespaces cannot be made here: %v: %s", err, out)
		}
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("unshare", append([]string{"-rnm", "--kill-child", exe}, os.Args[1:]...)...)
		cmd.Env = append(os.Environ(), insideFaults+"=1")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		return
	}
	command(t, "ip", "link", "set", "lo", "up")
	c := newCity(t)
	ctx, stop := context.WithCancel(t.Context())
	var all threads.WaitGroup
	for range 3 {
		all.Go(func() { c.query(ctx) })
	}
	all.Go(func() { c.build(ctx) })
	start := time.Now()
	for round := range *faultRounds {
		if c.round(round); t.Failed() {
			break
		}
	}
	stop()
	all.Wait()
	took := time.Since(start)
	c.well("the end")
	c.report(took, c.slowReplica())
}

func command(t testing.TB, args ...string) {
	t.Helper()
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%q: %v: %s", args, err, out)
	}
}

// A host is a network namespace with a server of a shard.
type host struct {
	number, shard int
	holder        *exec.Cmd // keeps the namespace
	args          []string  // of the server
	server        *exec.Cmd
	slow          atomic.Int64 // how long what goes to the server takes
	front         string       // the address that fronts ask: a proxy's
}

// A city is hosts with servers, a front and what clients ask.
type city struct {
	t       testing.TB
	dir     string
	hosts   []*host
	objects *objects
	front   *exec.Cmd
	args    []string // of the front
	address string   // of the front
	wants   map[string]map[string]bool
	now     string // the version that is to be served

	mu       threads.Mutex
	counts   map[string]int
	recovery []time.Duration
}

func (c *city) count(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[what]++
}

// Clients ask askedQueries.
var askedQueries = []string{"q=heap&k=30", "q=word3+word5&k=20", "like=d17&k=10", "q=tree+number11", `q="heap+3"&k=15`}

// newCity writes two versions, and starts servers and a front.
func newCity(t testing.TB) *city {
	dir := t.TempDir()
	c := &city{t: t, dir: dir, counts: map[string]int{}, wants: map[string]map[string]bool{}, objects: &objects{root: dir}}
	for i, name := range []string{"a", "b"} {
		docs := filepath.Join(dir, name+".jsonl")
		var b strings.Builder
		for n := range 1500 + 300*i {
			fmt.Fprintf(&b, `{"id": "d%d", "title": "heap %d", "text": "word%d word%d tree number%d"}`+"\n", n, (n+i)%7, n%(11+i), n%13, n)
		}
		if err := os.WriteFile(docs, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		for s := range shards {
			command(t, append([]string{"similar"}, index(docs, filepath.Join(dir, name), s)...)...)
		}
		command(t, "similar", "seal", filepath.Join(dir, name))
		c.learn(name)
	}
	c.set("a")
	l, err := net.Listen("tcp", "0.0.0.0:7000")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = http.Serve(l, c.objects) }() // it ends with the process
	var list []string
	for s := range shards {
		var urls []string
		for r := range replicas {
			h := c.newHost(s, r)
			urls = append(urls, h.front)
		}
		list = append(list, strings.Join(urls, "|"))
	}
	c.address = "http://127.0.0.1:7001"
	c.args = []string{"front", "-shards", strings.Join(list, ","), "-listen", "127.0.0.1:7001", "-timeout", "2s"}
	c.startFront()
	t.Cleanup(func() { _ = c.front.Process.Kill(); _ = c.front.Wait() })
	c.recover("the start")
	return c
}

var (
	tookPattern    = regexp.MustCompile(`"took_ms":[0-9.e-]+`)
	missingPattern = regexp.MustCompile(`,"missing":\[([0-9,]+)\]`)
)

// learn notes what one index of a version's documents answers, and of some shards alone.
func (c *city) learn(name string) {
	for set := 1; set < 1<<shards; set++ {
		var open []int
		var missing []string
		for s := range shards {
			if set>>s&1 == 1 {
				open = append(open, s)
			} else {
				missing = append(missing, strconv.Itoa(s))
			}
		}
		v, err := version.Open(context.Background(), version.Folder(filepath.Join(c.dir, name)), version.Options{Shards: open})
		if err != nil {
			c.t.Fatal(err)
		}
		h, err := page.New(v.Searcher, page.Options{})
		if err != nil {
			c.t.Fatal(err)
		}
		for _, q := range askedQueries {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/api/search?"+q, nil))
			if w.Code == http.StatusOK {
				key := strings.Join(missing, ",") + " " + tookPattern.ReplaceAllString(w.Body.String(), "")
				if c.wants[key] == nil {
					c.wants[key] = map[string]bool{}
				}
				c.wants[key][name] = true
			}
		}
		if err := v.Close(); err != nil {
			c.t.Fatal(err)
		}
	}
}

// set names the version to serve.
func (c *city) set(name string) {
	next := filepath.Join(c.dir, "current.new")
	if err := os.WriteFile(next, []byte(name+"\n"), 0o600); err != nil {
		c.t.Fatal(err)
	}
	if err := os.Rename(next, filepath.Join(c.dir, "current")); err != nil {
		c.t.Fatal(err)
	}
	c.now = name
}

// newHost makes a host, and starts its server: the first one of a shard reads files, the others ask
// the object store.
func (c *city) newHost(shard, replica int) *host {
	h := &host{number: len(c.hosts), shard: shard}
	c.hosts = append(c.hosts, h)
	h.holder = exec.Command("unshare", "-n", "sleep", "infinity")
	if err := h.holder.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = h.holder.Process.Kill(); _ = h.holder.Wait() })
	time.Sleep(300 * time.Millisecond) // until it has its namespace
	pid, link, inner := strconv.Itoa(h.holder.Process.Pid), h.link(), fmt.Sprint("in", h.number)
	command(c.t, "ip", "link", "add", link, "type", "veth", "peer", "name", inner)
	command(c.t, "ip", "link", "set", inner, "netns", pid)
	command(c.t, "ip", "addr", "add", h.ip(1)+"/30", "dev", link)
	command(c.t, "ip", "link", "set", link, "up")
	command(c.t, "nsenter", "-t", pid, "-n", "sh", "-c", fmt.Sprintf("ip link set lo up && ip addr add %s/30 dev %s && ip link set %s up", h.ip(2), inner, inner))
	listen := h.ip(2) + ":8080"
	h.args = []string{"similar", "serve", filepath.Join(c.dir, "current"), "-shard", fmt.Sprint(shard), "-listen", listen, "-public"}
	if replica > 0 {
		h.args = []string{"similar-remote", "http://" + h.ip(1) + ":7000", fmt.Sprint(shard), filepath.Join(c.dir, fmt.Sprint("cache", h.number)), listen}
	}
	h.args = append([]string{"nsenter", "-t", pid, "-n", "--"}, h.args...)
	h.start(c.t)
	c.t.Cleanup(func() { _ = h.server.Process.Kill(); _ = h.server.Wait() })
	h.front = h.proxy(c.t, listen)
	return h
}

func (h *host) link() string            { return fmt.Sprint("sv", h.number) }
func (h *host) ip(n int) string         { return fmt.Sprintf("10.77.%d.%d", h.number, n) }
func (h *host) signal(s syscall.Signal) { _ = h.server.Process.Signal(s) }

func (h *host) start(t testing.TB) {
	h.server = exec.Command(h.args[0], h.args[1:]...)
	h.server.Stderr = os.Stderr
	if err := h.server.Start(); err != nil {
		t.Fatal(err)
	}
}

// proxy leads to a server, and takes as long for what goes there as h.slow says.
func (h *host) proxy(t testing.TB, to string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer in.Close()
				out, err := net.DialTimeout("tcp", to, 2*time.Second)
				if err != nil {
					return
				}
				defer out.Close()
				go func() {
					defer in.Close()
					_, _ = io.Copy(in, out)
				}()
				b := make([]byte, 32<<10)
				for {
					n, err := in.Read(b)
					time.Sleep(time.Duration(h.slow.Load()))
					if _, failed := out.Write(b[:n]); err != nil || failed != nil {
						return
					}
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

func (c *city) startFront() {
	c.front = exec.Command("similar", c.args...)
	c.front.Stderr = os.Stderr
	if err := c.front.Start(); err != nil {
		c.t.Fatal(err)
	}
}

// A fault happens to the city for a while. It returns what ends it.
type fault func(c *city, h *host) (end func())

var cityFaults = map[string]fault{
	"killed": func(c *city, h *host) func() {
		_ = h.server.Process.Kill()
		_ = h.server.Wait()
		return func() { h.start(c.t) } // the platform does so
	},
	"ended": func(c *city, h *host) func() {
		h.signal(syscall.SIGTERM)
		return func() { _ = h.server.Process.Kill(); _ = h.server.Wait(); h.start(c.t) }
	},
	"stopped": func(_ *city, h *host) func() {
		h.signal(syscall.SIGSTOP)
		return func() { h.signal(syscall.SIGCONT) }
	},
	"cut off": func(c *city, h *host) func() {
		command(c.t, "ip", "link", "set", h.link(), "down")
		return func() { command(c.t, "ip", "link", "set", h.link(), "up") }
	},
	"slowed by 500 ms": func(_ *city, h *host) func() {
		h.slow.Store(int64(500 * time.Millisecond))
		return func() { h.slow.Store(0) }
	},
	"front killed": func(c *city, _ *host) func() {
		_ = c.front.Process.Kill()
		_ = c.front.Wait()
		return c.startFront
	},
	"front stopped": func(c *city, _ *host) func() {
		_ = c.front.Process.Signal(syscall.SIGSTOP)
		return func() { _ = c.front.Process.Signal(syscall.SIGCONT) }
	},
	"object store fails": func(c *city, h *host) func() {
		c.objects.faults.Store(40)
		// A server without a cache has to ask for all it needs.
		_ = h.server.Process.Kill()
		_ = h.server.Wait()
		if err := os.RemoveAll(filepath.Join(c.dir, fmt.Sprint("cache", h.number))); err != nil {
			c.t.Error(err)
		}
		h.start(c.t)
		return func() { c.objects.faults.Store(0) }
	},
}

// round makes one or two faults of different hosts, and every third time another version is to be
// served meanwhile.
func (c *city) round(round int) {
	r := rand.New(rand.NewPCG(uint64(round), 77))
	kinds := slices.Sorted(maps.Keys(cityFaults))
	r.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	var ends []func()
	var said []string
	front := false
	for i, n := range r.Perm(len(c.hosts))[:1+r.IntN(2)] {
		kind := kinds[i]
		if strings.HasPrefix(kind, "front") {
			if front {
				continue
			}
			front = true
		}
		c.count("fault: " + kind)
		said = append(said, fmt.Sprintf("%s (host %d)", kind, n))
		ends = append(ends, cityFaults[kind](c, c.hosts[n]))
	}
	if r.IntN(3) == 0 {
		c.count("version switches")
		c.set(map[string]string{"a": "b", "b": "a"}[c.now])
	}
	time.Sleep(time.Duration(100+r.IntN(500)) * time.Millisecond)
	for _, end := range ends {
		end()
	}
	c.recover(fmt.Sprintf("round %d: %s", round, strings.Join(said, ", ")))
	if round%10 == 9 {
		c.well(fmt.Sprintf("round %d: %s", round, strings.Join(said, ", ")))
	}
	c.count("rounds")
}

// recover waits until an answer of the version that is to be served has all documents.
func (c *city) recover(what string) {
	c.t.Helper()
	start := time.Now()
	last := ""
	for time.Since(start) < time.Minute {
		body, status := c.ask(askedQueries[0], 5*time.Second)
		last = fmt.Sprint(status, " ", body)
		if status == http.StatusOK && c.wants[" "+tookPattern.ReplaceAllString(body, "")][c.now] {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.recovery = append(c.recovery, time.Since(start))
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	health, _ := c.get("/healthz", 5*time.Second)
	c.t.Errorf("%s: no whole answer of %s after %v: %.300s\n%s", what, c.now, time.Since(start), last, health)
}

// well waits until all servers are well and are to serve the version.
func (c *city) well(what string) {
	c.t.Helper()
	start, text := time.Now(), ""
	for time.Since(start) < time.Minute {
		var health page.FrontHealth
		text, _ = c.get("/healthz", 5*time.Second)
		if json.Unmarshal([]byte(text), &health) == nil && health.Status == "ok" {
			well := true
			for _, s := range health.Shards {
				for _, server := range s.Servers {
					well = well && server.Error == "" && server.Version == health.Version
				}
			}
			if well {
				c.count("rounds after which all servers are well")
				return
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	c.t.Errorf("%s: not all servers are well: %s", what, text)
}

func (c *city) ask(query string, limit time.Duration) (body string, status int) {
	return c.get("/api/search?"+query, limit)
}

var cityClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 10}}

// get asks the front. The status is 0 where it cannot be reached.
func (c *city) get(path string, limit time.Duration) (body string, status int) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	u, err := url.Parse(c.address)
	if err != nil {
		c.t.Error(err)
		return "", 0
	}
	u.Path, u.RawQuery, _ = strings.Cut(path, "?")
	u.RawQuery = strings.TrimPrefix(path[len(u.Path):], "?")
	u.RawQuery = strings.ReplaceAll(u.RawQuery, `"`, "%22")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		c.t.Error(err)
		return "", 0
	}
	res, err := cityClient.Do(req)
	if err != nil {
		return err.Error(), 0
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err.Error(), 0
	}
	return string(text), res.StatusCode
}

// query asks again and again, and judges the answers.
func (c *city) query(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		body, status := c.ask(askedQueries[n%len(askedQueries)], 5*time.Second)
		switch status {
		case http.StatusOK:
		case 0:
			c.count("requests: the front does not answer")
			time.Sleep(20 * time.Millisecond)
			continue
		case http.StatusServiceUnavailable, http.StatusTooManyRequests:
			c.count(fmt.Sprint("requests: status ", status))
			continue
		default:
			c.t.Errorf("status %d: %.300s", status, body)
			c.count("requests: WRONG")
			continue
		}
		missing := ""
		if m := missingPattern.FindStringSubmatch(body); m != nil {
			missing = m[1]
			body = strings.Replace(body, m[0], "", 1)
		}
		of := c.wants[missing+" "+tookPattern.ReplaceAllString(body, "")]
		switch {
		case of == nil:
			c.count("requests: WRONG")
			c.t.Errorf("%s without %q is no version's: %.500s", askedQueries[n%len(askedQueries)], missing, body)
		case missing == "":
			c.count("requests: whole and right")
		default:
			c.count("requests: right without the shards named")
		}
	}
}

// build builds a version again and again, with jobs that are killed, and on a disk that is full at
// first, and compares its bytes.
func (c *city) build(ctx context.Context) {
	disk := filepath.Join(c.dir, "disk")
	if err := os.Mkdir(disk, 0o700); err != nil {
		c.t.Error(err)
		return
	}
	want := c.tree("a")
	for n := 0; ctx.Err() == nil && !c.t.Failed(); n++ {
		r := rand.New(rand.NewPCG(uint64(n), 78))
		command(c.t, "mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dk", 8+r.IntN(80)), "tmpfs", disk)
		v := filepath.Join(disk, "v")
		full := 0
		for s := range shards {
			if exec.CommandContext(ctx, "similar", index(filepath.Join(c.dir, "a.jsonl"), v, s)...).Run() != nil {
				full++
			}
		}
		if full > 0 {
			c.count("builds: on a full disk")
		}
		command(c.t, "mount", "-o", "remount,size=64m", disk)
		for range 2 {
			killed, cancel := context.WithTimeout(ctx, time.Duration(r.IntN(400))*time.Millisecond)
			if exec.CommandContext(killed, "similar", index(filepath.Join(c.dir, "a.jsonl"), v, r.IntN(shards))...).Run() != nil {
				c.count("builds: jobs killed")
			}
			cancel()
		}
		for _, s := range r.Perm(shards) {
			c.job(ctx, index(filepath.Join(c.dir, "a.jsonl"), v, s))
		}
		c.job(ctx, []string{"seal", v})
		c.job(ctx, []string{"gc", v, "-older", "0s"})
		if got := c.tree("disk/v"); ctx.Err() == nil {
			if !maps.EqualFunc(got, want, bytes.Equal) {
				c.t.Error("a version has other bytes")
			}
			c.count("builds: the same bytes")
		}
		command(c.t, "umount", disk)
		for wait := 0; wait < 20 && ctx.Err() == nil; wait++ {
			time.Sleep(100 * time.Millisecond)
		}
	}
}

func (c *city) job(ctx context.Context, args []string) {
	if out, err := exec.CommandContext(ctx, "similar", args...).CombinedOutput(); err != nil && ctx.Err() == nil {
		c.t.Errorf("similar %q: %v: %s", args, err, out)
	}
}

// tree are the files of a folder of the city.
func (c *city) tree(name string) map[string][]byte {
	files := map[string][]byte{}
	_ = filepath.WalkDir(filepath.Join(c.dir, name), func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[strings.TrimPrefix(p, filepath.Join(c.dir, name))], err = os.ReadFile(p)
		}
		return err
	})
	return files
}

// report says what happened.
func (c *city) report(took time.Duration, slow any) {
	slices.Sort(c.recovery)
	at := func(part float64) float64 {
		return c.recovery[min(len(c.recovery)-1, int(part*float64(len(c.recovery))))].Seconds()
	}
	c.counts["object store: requests failed"] = int(c.objects.failed.Load())
	rows := map[string]any{
		"counts": c.counts, "seconds": took.Seconds(), "times of answers": slow,
		"seconds to a whole answer of the version, from the end of the faults": map[string]float64{"median": at(0.5), "p99": at(0.99), "most": at(1)},
	}
	text, err := json.MarshalIndent(rows, "", "\t")
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Logf("%s", text)
	if *faultFile != "" {
		if err := os.WriteFile(*faultFile, append(text, '\n'), 0o600); err != nil {
			c.t.Error(err)
		}
	}
}
