package similarcmd

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// byteSize is the value of a flag: a number of bytes, or of KB, MB or GB, of 1024 of the next
// smaller each.
type byteSize int64

var byteUnits = []struct {
	name  string
	bytes float64
}{{"KB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}, {"B", 1}, {"", 1}}

func (b *byteSize) Type() string { return "bytes" }

func (b *byteSize) String() string { return strconv.FormatInt(int64(*b), 10) }

func (b *byteSize) Set(s string) error {
	for _, unit := range byteUnits {
		number, ok := strings.CutSuffix(strings.ToUpper(s), unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(n >= 0) || n*unit.bytes >= math.MaxInt64 {
			break
		}
		*b = byteSize(n * unit.bytes)
		return nil
	}
	return fmt.Errorf("want a number of bytes, or one with KB, MB or GB, such as 512MB")
}
