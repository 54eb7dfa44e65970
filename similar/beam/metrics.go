package beam

import "github.com/apache/beam/sdks/v2/go/pkg/beam"

// Namespace is the namespace of the counters.
const Namespace = "similar"

// The workers count by counters.
var counters = struct{ documents, duplicates, skipped, shards, written beam.Counter }{
	beam.NewCounter(Namespace, "documents"),
	beam.NewCounter(Namespace, "duplicates"),
	beam.NewCounter(Namespace, "skipped"),
	beam.NewCounter(Namespace, "shards"),
	beam.NewCounter(Namespace, "written"),
}
