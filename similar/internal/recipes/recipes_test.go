package recipes

import (
	"bytes"
	"os"
	"strconv"
	"testing"

	batch "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"
)

// TestKubernetes decodes the jobs strictly: a member that Kubernetes does not have is an error.
func TestKubernetes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/scale/kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var jobs []batch.Job
	for part := range bytes.SplitSeq(text, []byte("\n---\n")) {
		var job batch.Job
		if err := yaml.UnmarshalStrict(part, &job); err != nil {
			t.Fatal(err)
		}
		if job.APIVersion != "batch/v1" || job.Kind != "Job" {
			t.Errorf("%s %s", job.APIVersion, job.Kind)
		}
		jobs = append(jobs, job)
	}
	if len(jobs) != 2 {
		t.Fatalf("%d jobs", len(jobs))
	}
	shards, seal := jobs[0].Spec, jobs[1].Spec
	env := map[string]string{}
	for _, e := range shards.Template.Spec.Containers[0].Env {
		env[e.Name] = e.Value
	}
	if *shards.CompletionMode != batch.IndexedCompletion || strconv.Itoa(int(*shards.Completions)) != env["SHARDS"] || shards.BackoffLimitPerIndex == nil {
		t.Errorf("%+v with %v", shards, env)
	}
	if !*seal.Suspend || seal.Template.Spec.Containers[0].Env[0].Value != env["VERSION"] {
		t.Errorf("%+v", seal)
	}
	for name, wrong := range map[string]string{"completionMode": "completionsMode", "containers": "container", "mountPath": "mount"} {
		if err := yaml.UnmarshalStrict(bytes.Replace(text, []byte(name), []byte(wrong), 1), new(batch.Job)); err == nil {
			t.Errorf("%s is decoded", wrong)
		}
	}
}
