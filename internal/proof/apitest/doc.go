// Package apitest holds what the module exports to the conventions of CONTRIBUTING.md.
package apitest
