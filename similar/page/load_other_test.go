//go:build !unix

package page

import "time"

// processorTime is not known here.
func processorTime() time.Duration { return 0 }
