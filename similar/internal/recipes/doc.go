// Package recipes holds the recipe for Kubernetes in docs/scale to Kubernetes' own types. It is a
// separate module, so that no other one needs these.
package recipes
