package perf

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/gpusimilar"
)

var (
	similarFile  = flag.String("similar", "", "measure gpusimilar and write the rows to this `file`; testdata/similar.py measures torch and cuSPARSE")
	similarParts = flag.String("similar-parts", "one,vectors,batch,pairs", "what -similar measures")
	denseFolder  = flag.String("dense", "", "the `folder` in which testdata/dense.py has left its vectors and hits, for the part dense")
	similarScale = flag.Int("similar-scale", 1, "divide the sizes by this `number`, to try it out")
)

// answer is one row: the time of a search for K hits of each of Queries, the median of rounds.
type answer struct {
	What    string  `json:"what"`
	N       int     `json:"n"`
	Queries int     `json:"queries"`
	K       int     `json:"k"`
	Device  float64 `json:"device_us,omitempty"` // of the stream
	Host    float64 `json:"host_us,omitempty"`   // from the call to the hits, copies included
	CPU     float64 `json:"cpu_us,omitempty"`    // similar.Index on all cores of the machine
	Cores   int     `json:"cores,omitempty"`
	Note    string  `json:"note,omitempty"`
}

// TestSimilar measures searches, and compares the hits of the device with the CPU's hits.
func TestSimilar(t *testing.T) {
	if *similarFile == "" {
		t.Skip("-similar is not given")
	}
	dev := open(t)
	h, err := gpusimilar.New(dev.Stream())
	must(t, err)
	defer func() { must(t, h.Close()) }()
	var rows []answer
	for part, measure := range map[string]func(*testing.T, *gridstride.Device, *gpusimilar.Handle) []answer{
		"one": measureStrips, "vectors": measureVectors, "dense": measureDense, "batch": measureBatch, "pairs": measurePairs,
	} {
		if strings.Contains(*similarParts, part) {
			rows = append(rows, measure(t, dev, h)...)
		}
	}
	text, err := json.MarshalIndent(rows, "", "\t")
	must(t, err)
	must(t, os.WriteFile(*similarFile, append(text, '\n'), 0o666))
	for _, r := range rows {
		fmt.Printf("%-22s n %8d  queries %6d  k %3d  device %10.1f us  host %10.1f us  cpu %12.1f us  %s\n", r.What, r.N, r.Queries, r.K, r.Device, r.Host, r.CPU, r.Note)
	}
}

// share runs do for the numbers below n on all cores.
func share(n int, do func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	all.Wait()
}

// median is the median of rounds of f, after two that set things up.
func median(rounds int, f func() time.Duration) float64 {
	var times []time.Duration
	for i := range rounds + 2 {
		if took := f(); i > 1 {
			times = append(times, took)
		}
	}
	slices.Sort(times)
	return float64(times[len(times)/2].Nanoseconds()) / 1e3
}

// deviceTime is the median of the device's times of a call, among repeat calls in a row.
func deviceTime(t *testing.T, s *gridstride.Stream, rounds, repeat int, call func() error) float64 {
	return median(rounds, func() time.Duration {
		start := s.Record()
		for range repeat {
			must(t, call())
		}
		took, err := s.Record().Since(t.Context(), start)
		must(t, err)
		return took / time.Duration(repeat)
	})
}

func measureVectors(t *testing.T, dev *gridstride.Device, h *gpusimilar.Handle) (list []answer) {
	n, most := 1_000_000 / *similarScale, 1024
	const cols = 768
	host := make([]float32, (n+most)*cols)
	share(n+most, func(i int) {
		r := rand.New(rand.NewPCG(1, uint64(i)))
		for j := range cols {
			host[i*cols+j] = float32(r.NormFloat64())
		}
	})
	data, err := gridstride.CopyOf(dev, host)
	must(t, err)
	defer func() { must(t, data.Free()) }()
	rows, queries := gpublas.MatrixOf(n, cols, data.Slice(0, n*cols)), gpublas.MatrixOf(most, cols, data.Slice(n*cols, data.Len()))
	outRows, err := gridstride.Make[int32](dev, most*gpusimilar.MaxK)
	must(t, err)
	scores, err := gridstride.Make[float32](dev, most*gpusimilar.MaxK)
	must(t, err)
	defer func() { must(t, outRows.Free()); must(t, scores.Free()) }()
	for m, name := range map[gpusimilar.Metric]string{gpusimilar.Dot: "dot", gpusimilar.Cosine: "cosine", gpusimilar.Euclidean: "euclidean"} {
		v, err := gpusimilar.NewVectors[float32](h, rows, m)
		must(t, err)
		var first []gpusimilar.Hit[float32]
		for _, c := range [][2]int{{1, 10}, {1, 128}, {8, 10}, {48, 10}, {64, 10}, {1024, 10}, {1024, 128}} {
			q, k := c[0], c[1]
			if q > 8 && q < 1024 && m != gpusimilar.Dot {
				continue
			}
			some := queries.Slice(0, q, 0, cols)
			rounds, repeat := 11, 5
			if q > 8 {
				rounds, repeat = 3, 1
			}
			a := answer{What: "vectors/" + name, N: n, Queries: q, K: k}
			a.Device = deviceTime(t, h.Stream(), rounds, repeat, func() error { return v.SearchTo(some, k, outRows, scores) })
			var hits [][]gpusimilar.Hit[float32]
			a.Host = median(rounds, func() time.Duration {
				start := time.Now()
				hits, err = v.Search(t.Context(), some, k)
				must(t, err)
				return time.Since(start)
			})
			if k == 10 {
				if first == nil {
					first = hits[0]
				} else if !slices.Equal(first, hits[0]) {
					t.Errorf("%s: the first query alone has the hits %v, and with %d others %v", name, first, q-1, hits[0])
				}
			}
			list = append(list, a)
		}
		must(t, v.Close())
	}
	return list
}

// measureDense measures searches of vectors with a norm of 1, and compares their hits with the
// float64 hits that torch found.
func measureDense(t *testing.T, dev *gridstride.Device, h *gpusimilar.Handle) (list []answer) {
	const cols, most = 768, 1024
	host := readNumbers[float32](t, "rows.f32")
	data, err := gridstride.CopyOf(dev, host)
	must(t, err)
	n := len(host)/cols - most
	defer func() { must(t, data.Free()) }()
	rows := gpublas.MatrixOf(n, cols, data.Slice(0, n*cols))
	single, err1 := gpusimilar.NewVectors[float32](h, rows, gpusimilar.Dot)
	double, err2 := gpusimilar.NewVectors[float64](h, rows, gpusimilar.Dot)
	must(t, errors.Join(err1, err2))
	defer func() { must(t, errors.Join(single.Close(), double.Close())) }()
	queries := gpublas.MatrixOf(most, cols, data.Slice(n*cols, data.Len()))
	outRows, err1 := gridstride.Make[int32](dev, most*gpusimilar.MaxK)
	scores32, err2 := gridstride.Make[float32](dev, most*gpusimilar.MaxK)
	scores64, err3 := gridstride.Make[float64](dev, most*gpusimilar.MaxK)
	must(t, errors.Join(err1, err2, err3))
	defer func() { must(t, errors.Join(outRows.Free(), scores32.Free(), scores64.Free())) }()
	for _, c := range [][2]int{{1, 10}, {9, 10}, {16, 10}, {64, 10}, {256, 10}, {1024, 10}, {1024, 128}} {
		q, k := c[0], c[1]
		some := queries.Slice(0, q, 0, cols)
		want := readNumbers[int64](t, fmt.Sprintf("hits-%d.i64", k))
		a := answer{What: "dense/float64", N: n, Queries: q, K: k}
		a.Device = deviceTime(t, h.Stream(), 11, 1, func() error { return double.SearchTo(some, k, outRows, scores64) })
		var hits [][]gpusimilar.Hit[float64]
		a.Host = median(5, func() time.Duration {
			start := time.Now()
			hits, err = double.Search(t.Context(), some, k)
			must(t, err)
			return time.Since(start)
		})
		differ := 0
		for i := range q * k {
			if int64(hits[i/k][i%k].Row) != want[i] {
				differ++
			}
		}
		if a.Note = fmt.Sprintf("%d of %d hits are not those of float64", differ, q*k); differ > 0 {
			t.Error(a.Note)
		}
		b := answer{What: "dense/float32", N: n, Queries: q, K: k}
		b.Device = deviceTime(t, h.Stream(), 11, 1, func() error { return single.SearchTo(some, k, outRows, scores32) })
		list = append(list, a, b)
	}
	return list
}

// readNumbers reads a file of numbers, in the byte order of this machine.
func readNumbers[T float32 | int64](t *testing.T, name string) []T {
	f, err := os.Open(filepath.Join(*denseFolder, name))
	must(t, err)
	defer f.Close()
	info, err := f.Stat()
	must(t, err)
	numbers := make([]T, int(info.Size())/int(unsafe.Sizeof(*new(T))))
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&numbers[0])), info.Size())
	_, err = io.ReadFull(f, bytes)
	must(t, err)
	return numbers
}

// zipf is a text of a number of words. The word of rank r has a share of about 1/r: ranks are the
// exponential of a uniform number.
func zipf(r *rand.Rand, words int) string {
	const ranks = 500_000
	var s []byte
	for range words {
		s = strconv.AppendUint(append(s, " w"...), uint64(math.Exp(r.Float64()*math.Log(ranks+1))), 36)
	}
	return string(s)
}

// corpus is an index of n documents of 100 words, and the same on the device.
func corpus(t *testing.T, h *gpusimilar.Handle, n int) (x *similar.Index, d *gpusimilar.Index) {
	const block = 1000
	x, err := similar.New(similar.Options{})
	must(t, err)
	began := time.Now()
	docs := make([]similar.Document, n)
	share((n+block-1)/block, func(b int) {
		r := rand.New(rand.NewPCG(2, uint64(b)))
		for i := b * block; i < min((b+1)*block, n); i++ {
			docs[i] = similar.Document{ID: fmt.Sprintf("%08d", i), Text: zipf(r, 100)}
		}
	})
	generated := time.Since(began)
	for first := 0; first < n; first += 100 * block {
		must(t, x.Add(t.Context(), docs[first:min(first+100*block, n)]...))
	}
	must(t, x.Compact(t.Context()))
	indexed := time.Since(began) - generated
	d, err = gpusimilar.NewIndex(t.Context(), h, x)
	must(t, err)
	fmt.Printf("%d documents: %v to generate, %v to index, %v to copy to the device\n", n, generated, indexed, time.Since(began)-generated-indexed)
	return x, d
}

// onCPU is the time of searches on all cores. It compares their hits with the device's.
func onCPU(t *testing.T, x *similar.Index, n int, query func(i int) similar.Query, got func(i int) []gpusimilar.Match) float64 {
	answers := make([][]similar.Hit, n)
	start := time.Now()
	share(n, func(i int) {
		hits, err := x.Search(context.Background(), query(i))
		if err != nil {
			panic(err)
		}
		answers[i] = hits
	})
	took := time.Since(start)
	for i, hits := range answers {
		same := len(hits) == len(got(i))
		for j := 0; same && j < len(hits); j++ {
			same = got(i)[j] == gpusimilar.Match{ID: hits[j].Document.ID, Score: hits[j].Score}
		}
		if !same {
			t.Errorf("query %d has other hits on the device", i)
			break
		}
	}
	return float64(took.Nanoseconds()) / 1e3
}

func measureBatch(t *testing.T, _ *gridstride.Device, h *gpusimilar.Handle) []answer {
	n := 1_000_000 / *similarScale
	x, d := corpus(t, h, n)
	defer func() { must(t, d.Close()); must(t, x.Close()) }()
	var list []answer
	for _, words := range []int{10, 100} {
		queries := make([]similar.Query, 1024)
		for i := range queries {
			queries[i].Text = zipf(rand.New(rand.NewPCG(3, uint64(i))), words)
		}
		a := answer{What: fmt.Sprintf("batch/%d words", words), N: n, Queries: len(queries), K: 10, Cores: runtime.GOMAXPROCS(0)}
		var got [][]gpusimilar.Match
		a.Host = median(3, func() time.Duration {
			start := time.Now()
			var err error
			got, err = d.Search(t.Context(), queries...)
			must(t, err)
			return time.Since(start)
		})
		a.Note = "the analysis of the queries' text on one core is in the host's time"
		a.CPU = onCPU(t, x, len(queries), func(i int) similar.Query { return queries[i] }, func(i int) []gpusimilar.Match { return got[i] })
		list = append(list, a)
	}
	return list
}

func measurePairs(t *testing.T, _ *gridstride.Device, h *gpusimilar.Handle) []answer {
	n := 100_000 / *similarScale
	x, d := corpus(t, h, n)
	defer func() { must(t, d.Close()); must(t, x.Close()) }()
	all := make([][]gpusimilar.Match, n)
	a := answer{What: "pairs", N: n, Queries: n, K: 10, Cores: runtime.GOMAXPROCS(0)}
	a.Host = median(1, func() time.Duration {
		start := time.Now()
		for near, err := range d.Pairs(t.Context(), gpusimilar.PairOptions[float64]{K: 10}) {
			must(t, err)
			all[near.Row] = all[near.Row][:0]
			for _, hit := range near.Nearest {
				all[near.Row] = append(all[near.Row], gpusimilar.Match{ID: d.ID(hit.Row), Score: hit.Score})
			}
		}
		return time.Since(start)
	})
	sample := min(4096, n)
	at := func(i int) int { return i * (n / sample) }
	a.CPU = onCPU(t, x, sample, func(i int) similar.Query { return similar.Query{Like: []string{d.ID(at(i))}} },
		func(i int) []gpusimilar.Match { return all[at(i)] }) * float64(n) / float64(sample)
	a.Note = fmt.Sprintf("the CPU's time is that of %d documents, taken for all", sample)
	return []answer{a}
}
