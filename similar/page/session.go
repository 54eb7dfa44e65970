package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/internal/scatter"
)

// A sharded collection is the documents of shards, which other servers have.
type sharded struct {
	cluster *scatter.Cluster

	mu     sync.Mutex
	recent []*edited // the last ones, the first first
}

// An edited collection is one version of it, as a front remembers it.
type edited struct {
	version  string
	language *similar.Searcher // of an index without documents

	mu     sync.Mutex
	fields map[string]bool // whether documents have a field
	words  map[string][]similar.Word
}

// A front remembers this many fields and words of a version, and this many versions.
const (
	maxKeptFields = 10_000
	maxKeptWords  = 4096
	maxVersions   = 4
)

// edition returns what the front remembers of a version.
func (s *sharded) edition(v scatter.Version) (*edited, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.recent {
		if e.version == v.Name {
			return e, nil
		}
	}
	var o similar.Options
	if err := json.Unmarshal(v.Options, &o); err != nil {
		return nil, fmt.Errorf("similar: the options of the shards cannot be read: %w", err)
	}
	x, err := similar.New(o)
	if err != nil {
		return nil, err
	}
	e := &edited{version: v.Name, language: x.Searcher, fields: map[string]bool{}, words: map[string][]similar.Word{}}
	s.recent = append(s.recent, e)
	s.recent = s.recent[max(0, len(s.recent)-maxVersions):]
	return e, nil
}

// documents counts the documents of the version that requests see now.
func (s *sharded) documents() (n int) {
	for _, d := range known(s.cluster).Documents {
		n += d
	}
	return n
}

// known is the version that requests see, without a wait: its name is empty where no shard answers.
func known(c *scatter.Cluster) scatter.Version {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	v, err := c.Version(ctx)
	if err != nil {
		return scatter.Version{}
	}
	return v
}

// A session answers one request with one version of the shards.
type session struct {
	*sharded
	*edited
	again  *repeat
	found  []int // how many documents each shard has
	gone   []int // shards that are not asked
	asked  bool  // whether answers are part of what is known
	owner  map[string]int
	better string // the query that the last matches came with
	held   map[string]*similar.Sample
}

func (s *sharded) begin(ctx context.Context, again *repeat) (answerer, error) {
	v, err := s.cluster.Version(ctx)
	if errors.Is(err, scatter.ErrNone) {
		return nil, busy(time.Second, errors.New("none of the shards answers: try again in a moment"))
	}
	if err != nil {
		return nil, err
	}
	e, err := s.edition(v)
	if err != nil {
		return nil, err
	}
	n := &session{sharded: s, edited: e, again: again, found: v.Documents, owner: map[string]int{}, held: map[string]*similar.Sample{}}
	for _, shard := range append(v.Missing, again.lost...) {
		if !slices.Contains(n.gone, shard) {
			n.gone = append(n.gone, shard)
		}
	}
	slices.Sort(n.gone)
	if len(n.gone) == s.cluster.Len() {
		return nil, busy(time.Second, errors.New("none of the shards answers: try again in a moment"))
	}
	return n, nil
}

func (s *session) missing() []int              { return slices.Clone(s.gone) }
func (s *session) language() *similar.Searcher { return s.edited.language }

// documents counts the documents of the shards that have a part in the answers.
func (s *session) documents() (n int) {
	for _, shard := range s.present() {
		n += s.found[shard]
	}
	return n
}

// present are the shards that the session asks.
func (s *session) present() (list []int) {
	for i := range s.cluster.Len() {
		if !slices.Contains(s.gone, i) {
			list = append(list, i)
		}
	}
	return list
}

// shardPart is the part of the remaining time that a shard has for its answer: after it there is time
// to answer without the shard.
const shardPart = 0.6

// maxGathers is how often a front repeats a question with the words of more terms.
const maxGathers = 3

// A scattered question goes to several shards.
type scattered[T any] struct {
	name   string
	r      *request                         // nil for a question that is of no request
	shards []int                            // to ask
	of     func(shard int) *question        // may be the same for all
	absent bool                             // whether a shard may say that it does not have the document
	accept func(shard int, answer *T) error // an error for an answer that is none; nil if there is no such answer
}

// gathered is the answer of a shard.
type gathered[T any] struct {
	shard  int
	answer T
}

// scatterTo asks shards, and returns the answers in the order of the shards. A shard that does not
// answer is lost. If the shards need the words of terms, it asks again with them.
func scatterTo[T any](ctx context.Context, s *session, q scattered[T]) ([]gathered[T], error) {
	for n := 0; ; n++ {
		answers, err := scatterOnce(ctx, s, q)
		needs, ok := errors.AsType[*errNeeds](err)
		if !ok || n == maxGathers {
			return answers, err
		}
		if err := s.gather(ctx, q.r, needs.terms); err != nil {
			return nil, err
		}
	}
}

func scatterOnce[T any](ctx context.Context, s *session, q scattered[T]) ([]gathered[T], error) {
	if len(q.shards) == 0 {
		return nil, nil
	}
	calls, err := callsOf(ctx, s, q)
	if err != nil {
		return nil, err
	}
	within := ctx
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, time.Duration(float64(time.Until(end))*shardPart))
		defer cancel()
	}
	answers, errs := make([]any, len(calls)), make([]error, len(calls))
	var all sync.WaitGroup
	for i := range calls[1:] {
		all.Go(func() { answers[i+1], errs[i+1] = s.cluster.Ask(within, s.version, q.shards[i+1], calls[i+1]) })
	}
	answers[0], errs[0] = s.cluster.Ask(within, s.version, q.shards[0], calls[0])
	all.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.judge(q.shards, errs, q.absent); err != nil {
		return nil, err
	}
	var list []gathered[T]
	for i, a := range answers {
		if errs[i] == nil {
			list = append(list, gathered[T]{q.shards[i], *a.(*T)})
		}
	}
	s.asked = true
	return list, nil
}

// callsOf are the calls of a question, one a shard.
func callsOf[T any](ctx context.Context, s *session, q scattered[T]) ([]*scatter.Call, error) {
	decode := func(shard int, text []byte) (any, error) {
		var answer T
		err := json.Unmarshal(text, &answer)
		if err == nil && strings.TrimSpace(string(text[:min(5, len(text))])) == "null" {
			err = errors.New("an answer of nothing")
		}
		if err == nil && q.accept != nil {
			err = q.accept(shard, &answer)
		}
		return &answer, err
	}
	trace, state := traceOf(ctx)
	address := ""
	if q.r != nil {
		address = forShards(q.r).encoded()
	}
	var calls []*scatter.Call
	var last *question
	var body []byte
	for _, shard := range q.shards {
		if of := q.of(shard); of != last {
			complete(of, q.r)
			var err error
			if body, err = json.Marshal(of); err != nil {
				return nil, fmt.Errorf("similar: %w", err)
			}
			last = of
		}
		calls = append(calls, &scatter.Call{Path: "/shard/" + q.name, Query: address, Body: body, Absent: q.absent, Trace: trace, TraceState: state, Decode: func(text []byte) (any, error) { return decode(shard, text) }})
	}
	return calls, nil
}

// same asks all shards the same.
func same(q *question) func(int) *question { return func(int) *question { return q } }

// forShards is the request as shards get it.
func forShards(r *request) request {
	f := *r
	f.Trail = nil
	return f
}

// complete adds to a question what the front knows of other shards.
func complete(q *question, r *request) {
	if r == nil {
		return
	}
	q.Pasted, q.Elsewhere, q.Fields = r.pasted, r.elsewhere, r.fields
	if r.words != nil {
		q.Words = r.words.given
	}
}

// judge sorts the errors of shards: some are the request's, and of the others the shards are lost.
func (s *session) judge(shards []int, errs []error, absent bool) error {
	var lost []int
	moved := false
	for i, err := range errs {
		refused, isRefused := errors.AsType[*scatter.Refused](err)
		room, isBusy := errors.AsType[*scatter.Busy](err)
		switch {
		case err == nil:
		case isRefused && refused.Status == http.StatusPreconditionRequired:
			var said struct {
				Needs []string `json:"needs"`
			}
			if err := json.Unmarshal(refused.Body, &said); err == nil && len(said.Needs) > 0 && len(said.Needs) <= maxTerms {
				return &errNeeds{said.Needs}
			}
			lost = append(lost, shards[i])
		case isRefused && refused.Status == http.StatusNotFound && absent:
			// the shard does not have the document
		case isRefused:
			return &statusError{status: refused.Status, err: errors.New(refused.Message)}
		case isBusy:
			return overload(room.Retry, errors.New(room.Error()))
		case errors.Is(err, scatter.ErrVersion):
			moved = true
		default:
			lost = append(lost, shards[i])
		}
	}
	s.again.lost = append(s.again.lost, lost...)
	if moved || len(lost) > 0 && s.asked {
		return errAgain
	}
	s.gone = append(s.gone, lost...)
	slices.Sort(s.gone)
	if len(s.gone) == s.cluster.Len() {
		return busy(time.Second, errors.New("none of the shards answers: try again in a moment"))
	}
	return nil
}

// gather gathers the words of terms from all shards, for a request.
func (s *session) gather(ctx context.Context, r *request, terms []string) error {
	e := s.edited
	given := map[string][]similar.Word{}
	if r.words != nil {
		for term, words := range r.words.given {
			given[term] = words
		}
	}
	var ask []string
	e.mu.Lock()
	for _, term := range terms {
		if words, ok := e.words[term]; ok {
			given[term] = words
		} else {
			ask = append(ask, term)
		}
	}
	e.mu.Unlock()
	if len(ask) > 0 {
		answers, err := scatterTo(ctx, s, scattered[map[string][]similar.DocumentWords]{name: "words", shards: s.present(), of: same(&question{Terms: ask})})
		if err != nil {
			return err
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, term := range ask {
			var lists [][]similar.DocumentWords
			for _, a := range answers {
				lists = append(lists, a.answer[term])
			}
			given[term] = similar.MergeWords(lists...)
			if len(s.gone) > 0 {
				continue
			}
			if len(e.words) >= maxKeptWords {
				clear(e.words)
			}
			e.words[term] = given[term]
		}
	}
	r.words = &termWords{given: given}
	return nil
}

func (s *session) hasField(ctx context.Context, name string) (bool, error) {
	if name == "title" || name == "text" {
		return true, nil
	}
	e := s.edited
	e.mu.Lock()
	has, ok := e.fields[name]
	e.mu.Unlock()
	if ok {
		return has, nil
	}
	answers, err := scatterTo(ctx, s, scattered[[]string]{name: "fields", shards: s.present(), of: same(&question{Fields: []string{name}})})
	if err != nil {
		return false, err
	}
	for _, a := range answers {
		has = has || slices.Contains(a.answer, name)
	}
	if len(s.gone) == 0 {
		e.mu.Lock()
		defer e.mu.Unlock()
		if len(e.fields) >= maxKeptFields {
			clear(e.fields)
		}
		e.fields[name] = has
	}
	return has, nil
}

// prepare gets the samples of the documents that a request names. Other shards know nothing of them.
func (s *session) prepare(ctx context.Context, r *request) error {
	if r.elsewhere != nil || len(r.Like)+len(r.Good) == 0 {
		return nil
	}
	ids := slices.Concat(r.Like, r.Good)
	list, err := s.samples(ctx, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(list, func(one similar.Sample) bool { return one.ID == id }) {
			return s.unknown(id)
		}
	}
	r.elsewhere = list
	return nil
}

// unknown is the error of a document that no shard has which answers.
func (s *session) unknown(id string) error {
	if len(s.gone) > 0 {
		return busy(time.Second, fmt.Errorf("%q is in none of the shards that answer, and of the others, %s, nobody knows: try again in a moment", id, numbers(s.gone)))
	}
	return fmt.Errorf("similar: %q: %w", id, similar.ErrUnknown)
}
