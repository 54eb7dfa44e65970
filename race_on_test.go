//go:build race

package gridstride_test

const raceEnabled = true
