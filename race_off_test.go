//go:build !race

package gridstride_test

const raceEnabled = false
