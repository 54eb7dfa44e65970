// Package site is the tour as files: its pages, made from the chapters of the tutorial by go generate,
// its script and its style. Assemble adds what is built from the sources of the module: the worker.
package site

//go:generate go run ./generate
//go:generate npm ci --silent --prefix script
//go:generate npm run --silent --prefix script bundle
