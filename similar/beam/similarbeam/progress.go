package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	similarbeam "github.com/gridstride/gridstride/similar/beam"
)

// counts are the counters of a job by their names.
type counts map[string]int64

// countsOf returns the counters of a job that has ended.
func countsOf(results metrics.Results) counts {
	n := counts{}
	for _, c := range results.AllMetrics().Counters() {
		if c.Namespace() == similarbeam.Namespace {
			n[c.Name()] += c.Result()
		}
	}
	return n
}

// startPrism starts prism in this process, where no other runner is named. Beam would start it, too,
// and not say where.
func startPrism(ctx context.Context) error {
	name := strings.ToLower(*runners.Runner)
	if name != "" && name != "prism" && name != "prismrunner" || *jobopts.Endpoint != "" {
		return nil
	}
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return err
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		return err
	}
	if _, err := prism.CreateJobServer(ctx, prism.Options{Port: port}); err != nil {
		return err
	}
	*jobopts.Endpoint = fmt.Sprint("localhost:", port)
	if *jobopts.EnvironmentType == "" {
		*jobopts.EnvironmentType = "loopback"
	}
	return nil
}

// watchEvery is how often the counters of a job that runs are read.
const watchEvery = 5 * time.Second

// watch says how far the job of a name is, until ctx ends. Runners without a job service, such as
// Dataflow, show it themselves.
func watch(ctx context.Context, w io.Writer, endpoint, job string) {
	if endpoint == "" {
		return
	}
	conn, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return // the job's own connection says what is wrong
	}
	defer conn.Close()
	client := jobpb.NewJobServiceClient(conn)
	said := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(watchEvery):
		}
		n, err := running(ctx, client, job)
		if err != nil {
			continue // it may come again
		}
		line := fmt.Sprintf("similarbeam: %d documents read, %d skipped, %d of %d shards written", n["documents"], n["skipped"], n["shards"], options.Shards)
		if near.Output != "" {
			line += fmt.Sprintf(", %d of %d parts of the near-duplicates found", n["parts"], near.Parts)
		}
		if line != said {
			fmt.Fprintln(w, line)
			said = line
		}
	}
}

// running returns the counters of a job that runs.
func running(ctx context.Context, client jobpb.JobServiceClient, name string) (counts, error) {
	jobs, err := client.GetJobs(ctx, &jobpb.GetJobsRequest{})
	if err != nil {
		return nil, err
	}
	for _, job := range jobs.GetJobInfo() {
		if job.GetJobName() != name {
			continue
		}
		m, err := client.GetJobMetrics(ctx, &jobpb.GetJobMetricsRequest{JobId: job.GetJobId()})
		if err != nil {
			return nil, err
		}
		return sums(m.GetMetrics().GetAttempted()), nil
	}
	return nil, fmt.Errorf("no job is named %s", name)
}

// sums are the counters among metrics.
func sums(infos []*pipepb.MonitoringInfo) counts {
	n := counts{}
	for _, info := range infos {
		if labels := info.GetLabels(); info.GetType() == "beam:metrics:sum_int64:v1" && labels["NAMESPACE"] == similarbeam.Namespace {
			if v, read := binary.Uvarint(info.GetPayload()); read > 0 {
				n[labels["NAME"]] += int64(v)
			}
		}
	}
	return n
}
