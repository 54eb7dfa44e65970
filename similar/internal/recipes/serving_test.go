package recipes

import (
	"bytes"
	"os"
	"strconv"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

// objects are the types of what serving.yaml has, in its order.
func objects() []any {
	return []any{new(core.ConfigMap), new(core.Service), new(apps.StatefulSet), new(policy.PodDisruptionBudget), new(networking.NetworkPolicy), new(apps.Deployment), new(core.Service)}
}

// TestServing decodes the objects strictly, and holds them to each other.
func TestServing(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/scale/serving.yaml")
	if err != nil {
		t.Fatal(err)
	}
	parts := bytes.Split(text, []byte("\n---\n"))
	list := objects()
	if len(parts) != len(list) {
		t.Fatalf("%d objects", len(parts))
	}
	for i, part := range parts {
		if err := yaml.UnmarshalStrict(part, list[i]); err != nil {
			t.Fatalf("object %d: %v", i, err)
		}
		var kind struct{ APIVersion, Kind string }
		if err := yaml.Unmarshal(part, &kind); err != nil || kind.Kind == "" || kind.APIVersion == "" {
			t.Errorf("object %d: %+v, %v", i, kind, err)
		}
	}
	names, servers, set, budget, network, front, outside := list[0].(*core.ConfigMap), list[1].(*core.Service), list[2].(*apps.StatefulSet), list[3].(*policy.PodDisruptionBudget), list[4].(*networking.NetworkPolicy), list[5].(*apps.Deployment), list[6].(*core.Service)
	shards := env(t, set.Spec.Template.Spec, "SHARDS")
	if env(t, front.Spec.Template.Spec, "SHARDS") != shards || env(t, front.Spec.Template.Spec, "PODS") != int(*set.Spec.Replicas) || int(*set.Spec.Replicas)%shards != 0 {
		t.Errorf("%d shards on %d pods, and the front has others", shards, *set.Spec.Replicas)
	}
	if set.Spec.ServiceName != servers.Name || servers.Spec.ClusterIP != core.ClusterIPNone || names.Data["current"] == "" {
		t.Errorf("the pods have no names: %+v, %+v", set.Spec.ServiceName, servers.Spec)
	}
	for name, selects := range map[string]map[string]string{
		"service": servers.Spec.Selector, "set": set.Spec.Selector.MatchLabels, "budget": budget.Spec.Selector.MatchLabels, "network": network.Spec.PodSelector.MatchLabels,
	} {
		if len(selects) != 1 || set.Spec.Template.Labels["app"] != selects["app"] {
			t.Errorf("the %s selects %v, and the pods have %v", name, selects, set.Spec.Template.Labels)
		}
	}
	if app := front.Spec.Template.Labels["app"]; outside.Spec.Selector["app"] != app || front.Spec.Selector.MatchLabels["app"] != app || network.Spec.Ingress[0].From[0].PodSelector.MatchLabels["app"] != app {
		t.Errorf("the front's pods have the label %q, which others do not select", app)
	}
	for _, pod := range []core.PodSpec{set.Spec.Template.Spec, front.Spec.Template.Spec} {
		c := pod.Containers[0]
		if c.LivenessProbe.HTTPGet.Path != "/livez" || c.ReadinessProbe.HTTPGet == nil || *pod.TerminationGracePeriodSeconds < 10+10+5 {
			t.Errorf("%s ends before it has drained, or has other probes", c.Name)
		}
	}
	for _, wrong := range []string{"serviceName", "maxUnavailable", "podSelector", "readinessProbe", "clusterIP", "data:"} {
		found := false
		for i, part := range bytes.Split(bytes.Replace(text, []byte(wrong), []byte("x"+wrong), 1), []byte("\n---\n")) {
			found = found || yaml.UnmarshalStrict(part, objects()[i]) != nil
		}
		if !found {
			t.Errorf("x%s is decoded", wrong)
		}
	}
}

// env is a number of a container's environment.
func env(t *testing.T, pod core.PodSpec, name string) int {
	t.Helper()
	for _, e := range pod.Containers[0].Env {
		if e.Name == name {
			n, err := strconv.Atoi(e.Value)
			if err != nil {
				t.Error(err)
			}
			return n
		}
	}
	t.Errorf("no %s", name)
	return 1
}
