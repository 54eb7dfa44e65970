package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"connectrpc.com/connect"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// transports starts a server of each kind, and returns how to ask it, and how to stop all.
func transports() (list []transport, stop func() error, err error) {
	var stops []func() error
	stop = func() (err error) {
		for _, s := range stops {
			err = errors.Join(err, s())
		}
		return err
	}
	for _, start := range []func(net.Listener) (transport, func() error, error){
		plain, connected("Connect over HTTP/1.1", false), connected("Connect over HTTP/2", true), connected("Connect's gRPC", true, connect.WithGRPC()), googles,
	} {
		l, err := net.Listen("tcp", "localhost:0")
		if err != nil {
			return nil, nil, errors.Join(err, stop())
		}
		t, end, err := start(l)
		if err != nil {
			return nil, nil, errors.Join(err, l.Close(), stop())
		}
		list, stops = append(list, t), append(stops, end)
	}
	return list, stop, nil
}

// serve serves a handler, also over HTTP/2 without TLS, and returns a client that uses it where two.
func serve(l net.Listener, h http.Handler, two bool) (*http.Client, func() error) {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	s := &http.Server{Handler: h, Protocols: &protocols}
	go func() { _ = s.Serve(l) }() // it ends with Close
	var spoken http.Protocols
	spoken.SetHTTP1(!two)
	spoken.SetUnencryptedHTTP2(two)
	return &http.Client{Transport: &http.Transport{Protocols: &spoken, MaxIdleConnsPerHost: 32}}, s.Close
}

// plain is JSON over HTTP/1.1, by the standard library.
func plain(l net.Listener) (transport, func() error, error) {
	client, stop := serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q question
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		text, err := json.Marshal(answer(q.Query, q.N))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text) // an error is of the client's connection
	}), false)
	url := "http://" + l.Addr().String() + "/shard/matches"
	return transport{"JSON over HTTP/1.1", func(ctx context.Context, query string, n int) (list []match, err error) {
		body, err := json.Marshal(question{query, n})
		if err != nil {
			return nil, err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Content-Type", "application/json")
		res, err := client.Do(req)
		if err != nil {
			return nil, err
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			return nil, err
		}
		if res.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("status %d: %s", res.StatusCode, text)
		}
		return list, json.Unmarshal(text, &list)
	}}, stop, nil
}

const procedure = "/wire.Shard/Matches"

// reply is the answer to a question as messages.
func reply(q *Question) *Matches {
	m := new(Matches)
	for _, one := range answer(q.Query, int(q.N)) {
		m.Matches = append(m.Matches, &Match{Id: one.ID, Score: one.Score})
	}
	return m
}

// matches are the matches of a message.
func (m *Matches) matches() []match {
	list := make([]match, len(m.Matches))
	for i, one := range m.Matches {
		list[i] = match{one.Id, one.Score}
	}
	return list
}

// connected is messages by the library Connect, over HTTP/2 where two.
func connected(name string, two bool, options ...connect.ClientOption) func(net.Listener) (transport, func() error, error) {
	return func(l net.Listener) (transport, func() error, error) {
		mux := http.NewServeMux()
		mux.Handle(procedure, connect.NewUnaryHandler(procedure, func(_ context.Context, r *connect.Request[Question]) (*connect.Response[Matches], error) {
			return connect.NewResponse(reply(r.Msg)), nil
		}))
		client, stop := serve(l, mux, two)
		c := connect.NewClient[Question, Matches](client, "http://"+l.Addr().String()+procedure, options...)
		return transport{name, func(ctx context.Context, query string, n int) ([]match, error) {
			res, err := c.CallUnary(ctx, connect.NewRequest(&Question{Query: query, N: int32(n)}))
			if err != nil {
				return nil, err
			}
			return res.Msg.matches(), nil
		}}, stop, nil
	}
}

// googles is messages by gRPC's own library.
func googles(l net.Listener) (transport, func() error, error) {
	s := grpc.NewServer()
	s.RegisterService(&grpc.ServiceDesc{
		ServiceName: "wire.Shard", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "Matches", Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			q := new(Question)
			if err := decode(q); err != nil {
				return nil, err
			}
			return reply(q), nil
		}}},
	}, struct{}{})
	go func() { _ = s.Serve(l) }() // it ends with Stop
	c, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		s.Stop()
		return transport{}, nil, err
	}
	return transport{"gRPC", func(ctx context.Context, query string, n int) ([]match, error) {
			m := new(Matches)
			if err := c.Invoke(ctx, procedure, &Question{Query: query, N: int32(n)}, m); err != nil {
				return nil, err
			}
			return m.matches(), nil
		}}, func() error {
			s.Stop()
			return c.Close()
		}, nil
}
