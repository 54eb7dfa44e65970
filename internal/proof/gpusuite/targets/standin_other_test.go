//go:build !linux

package targets

const standIns = false
