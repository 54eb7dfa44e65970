package main

import (
	"fmt"
	"strings"
)

// A measurement has the numbers of fleet's result that the model takes.
type measurement struct {
	Documents    float64 `json:"documents"`
	VersionBytes float64 `json:"version_bytes"`
	Build        []step
	Serving      []row
	Servers      []step
}

type step struct {
	What      string
	Processes float64
	Wall      float64 `json:"wall_s"`
	Processor float64 `json:"processor_s"`
	Peak      float64 `json:"peak_bytes_of_a_process"`
}

type row struct {
	What      string
	Median    float64   `json:"median_ms"`
	P99       float64   `json:"p99_ms"`
	Quantiles []float64 `json:"quantiles_ms"`
}

// rates are the constants of the model.
type rates struct {
	indexing, merging float64 // seconds of processors a document
	sealing           float64 // seconds a shard
	bytes             float64 // of files a document
	resident          float64 // bytes of memory a document, of servers
	serving           float64 // shards that were served
	fixed, each       float64 // milliseconds of a shard's answer, and of each document of the shard
	fronting          float64 // milliseconds that a front adds for each shard
	size              float64 // documents of a shard that was served
	shard             sample  // a shard's times in the measurement
	slowest           row     // the times of the slowest of the shards
}

// rates takes the constants from a measurement.
func (m *measurement) rates() (*rates, error) {
	var missing []string
	stepOf := func(list []step, what string) step {
		for _, s := range list {
			if s.What == what {
				return s
			}
		}
		missing = append(missing, what)
		return step{}
	}
	rowOf := func(what string) row {
		for _, r := range m.Serving {
			if r.What == "3 words: "+what {
				return r
			}
		}
		missing = append(missing, what)
		return row{}
	}
	jobs, seal, merge := stepOf(m.Build, "index -shard"), stepOf(m.Build, "seal"), stepOf(m.Build, "compact")
	servers := stepOf(m.Servers, "the shards' servers")
	one, front := rowOf("one index"), rowOf("a front of the shards")
	slowest, shard := rowOf("the slowest of the shards, asked together by the client"), rowOf("one of the shards, asked together with the others")
	if len(missing) > 0 || len(shard.Quantiles) < 2 || m.Documents <= 0 || servers.Processes < 2 || jobs.Processes < 1 {
		return nil, fmt.Errorf("it is no whole measurement of fleet; it lacks %s", strings.Join(missing, ", "))
	}
	r := &rates{
		indexing: jobs.Processor / m.Documents,
		merging:  merge.Processor / m.Documents,
		sealing:  seal.Wall / jobs.Processes,
		bytes:    m.VersionBytes / m.Documents,
		resident: servers.Processes * servers.Peak / m.Documents,
		serving:  servers.Processes,
		fronting: (front.Median - slowest.Median) / servers.Processes,
		size:     m.Documents / servers.Processes,
		shard:    shard.Quantiles,
		slowest:  slowest,
	}
	r.each = (one.Median - shard.Median) / (m.Documents - r.size)
	r.fixed = shard.Median - r.each*r.size
	return r, nil
}

// answer is how long a shard of a number of documents takes at the median, in milliseconds.
func (r *rates) answer(documents float64) float64 { return r.fixed + r.each*documents }
