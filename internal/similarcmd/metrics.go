package similarcmd

import (
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/gridstride/gridstride/similar/page"
)

// metrics counts the requests of a site, for Prometheus.
type metrics struct {
	registry *prometheus.Registry
	register prometheus.Registerer // of the registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	bytes    *prometheus.CounterVec
}

// newMetrics returns the metrics of a server. If it is of a shard, all have the number of the shard.
func newMetrics(shard int) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "similar_requests_total", Help: "Requests that were answered."}, []string{"index", "route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "similar_request_seconds", Help: "Time from a request to the end of its answer.",
			Buckets: []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10},
		}, []string{"index", "route"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "similar_answer_bytes_total", Help: "Bytes of answers."}, []string{"index", "route"}),
	}
	m.register = m.registry
	if shard >= 0 {
		m.register = prometheus.WrapRegistererWith(prometheus.Labels{"shard": strconv.Itoa(shard)}, m.registry)
	}
	m.register.MustRegister(m.requests, m.seconds, m.bytes, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// observe counts a request. Routes are patterns, and there are few of them.
func (m *metrics) observe(o page.Observation) {
	m.requests.WithLabelValues(o.Index, o.Route, strconv.Itoa(o.Status)).Inc()
	m.seconds.WithLabelValues(o.Index, o.Route).Observe(o.Took.Seconds())
	m.bytes.WithLabelValues(o.Index, o.Route).Add(float64(o.Bytes))
}

// handler answers with the counts.
func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}

// A shelves collector reports the indexes at the time of the request.
type shelves struct {
	health                       func() page.Health
	documents, generation, stale *prometheus.Desc
}

func newShelves(health func() page.Health) *shelves {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, []string{"index"}, nil)
	}
	return &shelves{
		health, desc("similar_documents", "Documents of an index."), desc("similar_generation", "The generation of an index that is served."),
		desc("similar_stale", "1 where the folder of an index could not be opened again, and 0 elsewhere."),
	}
}

// Describe implements prometheus.Collector.
func (s *shelves) Describe(c chan<- *prometheus.Desc) { prometheus.DescribeByCollect(s, c) }

// Collect implements prometheus.Collector.
func (s *shelves) Collect(c chan<- prometheus.Metric) {
	for _, i := range s.health().Indexes {
		gauge := func(d *prometheus.Desc, v float64) {
			c <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, i.Name)
		}
		gauge(s.documents, float64(i.Documents))
		gauge(s.generation, float64(i.Generation))
		stale := 0.0
		if i.Error != "" {
			stale = 1
		}
		gauge(s.stale, stale)
	}
}

// shardMetrics counts what a front asks the servers of shards.
type shardMetrics struct {
	asked   *prometheus.CounterVec
	hedged  *prometheus.CounterVec
	seconds *prometheus.HistogramVec
	bytes   *prometheus.CounterVec
}

func newShardMetrics(m *metrics) *shardMetrics {
	s := &shardMetrics{
		asked:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "similar_shard_requests_total", Help: "Requests to servers of shards, by how they went."}, []string{"shard", "route", "result"}),
		hedged: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "similar_shard_hedges_total", Help: "Requests to a server of a shard after another one was asked."}, []string{"shard"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "similar_shard_request_seconds", Help: "Time from a request to a server of a shard to the end of its answer.",
			Buckets: []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10},
		}, []string{"shard", "route"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "similar_shard_answer_bytes_total", Help: "Bytes of answers of servers of shards."}, []string{"shard", "route"}),
	}
	m.register.MustRegister(s.asked, s.hedged, s.seconds, s.bytes)
	return s
}

// observe counts a request to a server.
func (s *shardMetrics) observe(o page.ShardObservation) {
	shard := strconv.Itoa(o.Shard)
	s.asked.WithLabelValues(shard, o.Route, o.Result).Inc()
	s.seconds.WithLabelValues(shard, o.Route).Observe(o.Took.Seconds())
	s.bytes.WithLabelValues(shard, o.Route).Add(float64(o.Bytes))
	if o.Hedge {
		s.hedged.WithLabelValues(shard).Inc()
	}
}

// newMissing reports how many shards are missing at the time of the request.
func newMissing(health func() page.FrontHealth) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "similar_shards_missing", Help: "Shards without a server that answers."}, func() float64 {
		if h := health(); h.Status != "down" {
			return float64(len(h.Missing))
		} else {
			return float64(len(h.Shards))
		}
	})
}
