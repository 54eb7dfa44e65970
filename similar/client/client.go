// Package client asks a server that similar serve runs, and changes its index.
//
//	c, err := client.New("http://localhost:8080", client.Options{})
//	answer, err := c.Search(ctx, client.Query{Words: "priority queue", K: 3})
//	for _, hit := range answer.Hits {
//		fmt.Println(hit.Rank, hit.ID, hit.Title)
//	}
//
// On a server of several indexes, each has its address: http://localhost:8080/papers. Answers are of
// package page's types, and docs/similar.md explains their members.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gridstride/gridstride/similar/page"
)

// Options are the options of a client. The zero value is good for what needs no token.
type Options struct {
	Token string       // lets the client write
	HTTP  *http.Client // asks the server; http.DefaultClient where nil
	// Retries is how often a request is made again that the server had no room or no time for, after
	// the time that the server says: 3 where 0, and none where negative.
	Retries int
}

// A Client asks for one index of a server. Any number of goroutines may use it at once.
type Client struct {
	base    string
	options Options
}

// An Error is an answer that says what is wrong.
type Error struct {
	Status  int // of HTTP: 404 for a document that is not there, 401 for a token that is wrong, 409 while another one writes
	Message string
	// Retry is when a server that has no room now (429, or 503 where shards are missing) may have some. It is 0 otherwise.
	Retry time.Duration
}

func (e *Error) Error() string {
	return fmt.Sprintf("similar: the server says: %s (status %d)", e.Message, e.Status)
}

// New returns a client of the index at an address, such as http://localhost:8080, or with the name
// of one of several indexes, http://localhost:8080/papers. It does not ask the server.
func New(address string, o Options) (*Client, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, fmt.Errorf("similar: %w", err)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("similar: %q is not the address of an index; want one such as http://localhost:8080/papers", address)
	case strings.ContainsAny(o.Token, "\r\n"):
		return nil, errors.New("similar: the token has a line end")
	}
	return &Client{strings.TrimRight(u.String(), "/"), o}, nil
}

// do asks, again where the server has no room, and decodes the answer.
func do[T any](ctx context.Context, c *Client, method, path string, parameters url.Values, kind string, body []byte) (*T, error) {
	retries := c.options.Retries
	if retries == 0 {
		retries = 3
	}
	for {
		answer, err := once[T](ctx, c, method, path, parameters, kind, body)
		e, ok := errors.AsType[*Error](err)
		if !ok || !e.passes() || retries <= 0 {
			return answer, err
		}
		retries--
		select {
		case <-ctx.Done():
			return nil, errors.Join(err, ctx.Err())
		case <-time.After(e.Retry):
		}
	}
}

// passes reports whether the error may pass by itself.
func (e *Error) passes() bool {
	return e.Status == http.StatusServiceUnavailable || e.Status == http.StatusTooManyRequests
}

// once asks one time.
func once[T any](ctx context.Context, c *Client, method, path string, parameters url.Values, kind string, body []byte) (*T, error) {
	address := c.base + path
	if len(parameters) > 0 {
		address += "?" + parameters.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if c.options.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.options.Token)
	}
	asks := c.options.HTTP
	if asks == nil {
		asks = http.DefaultClient
	}
	resp, err := asks.Do(req)
	if err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, page.MaxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("similar: the answer of %s broke off: %w", address, err)
	case resp.StatusCode != http.StatusOK:
		return nil, failure(resp, text)
	case len(text) > page.MaxAnswer:
		return nil, fmt.Errorf("similar: the answer of %s has more than %d MB", address, page.MaxAnswer>>20)
	}
	var answer T
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, fmt.Errorf("similar: the answer of %s is none of similar serve: %w", address, err)
	}
	return &answer, nil
}

// failure is the error of an answer.
func failure(resp *http.Response, text []byte) error {
	e := &Error{Status: resp.StatusCode}
	var said struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(text, &said) == nil && said.Error != "" {
		e.Message = said.Error
	} else {
		e.Message = fmt.Sprintf("%.200s", strings.TrimSpace(string(text)))
	}
	if e.passes() {
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // 0 if it is missing
		e.Retry = max(time.Duration(min(max(seconds, 0), 60))*time.Second, 100*time.Millisecond)
	}
	return e
}

// Index says how many documents the index has, and what limits a request has.
func (c *Client) Index(ctx context.Context) (*page.About, error) {
	return do[page.About](ctx, c, http.MethodGet, "/api/index", nil, "", nil)
}

// Document returns a document. Of a text of more than a megabyte it is the beginning, and Shortened
// says so.
func (c *Client) Document(ctx context.Context, id string) (*page.Text, error) {
	return do[page.Text](ctx, c, http.MethodGet, "/api/document", url.Values{"id": {id}}, "", nil)
}

// Map returns the k documents nearest to one, 24 at most and 12 where k is 0, and how like each other
// they are.
func (c *Client) Map(ctx context.Context, id string, k int) (*page.Map, error) {
	return do[page.Map](ctx, c, http.MethodGet, "/api/map", Query{K: k}.values("id", id), "", nil)
}
