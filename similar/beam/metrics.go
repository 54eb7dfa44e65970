package beam

import "github.com/apache/beam/sdks/v2/go/pkg/beam"

// Namespace is the namespace of the counters.
const Namespace = "similar"

// The workers count by counters.
var counters = struct {
	documents, duplicates, skipped, shards, written beam.Counter // of Read and Build
	parts, compared, cut, groups, grouped           beam.Counter // of Duplicates
}{
	documents:  beam.NewCounter(Namespace, "documents"),
	duplicates: beam.NewCounter(Namespace, "duplicates"),
	skipped:    beam.NewCounter(Namespace, "skipped"),
	shards:     beam.NewCounter(Namespace, "shards"),
	written:    beam.NewCounter(Namespace, "written"),
	parts:      beam.NewCounter(Namespace, "parts"),
	compared:   beam.NewCounter(Namespace, "compared"),
	cut:        beam.NewCounter(Namespace, "cut"),
	groups:     beam.NewCounter(Namespace, "groups"),
	grouped:    beam.NewCounter(Namespace, "grouped"),
}
