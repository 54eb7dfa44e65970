package sim

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// defaultMemory is three quarters of the memory that the process may have on Linux, where files
// tell it, and 4 GiB elsewhere.
func defaultMemory(read readFile) int64 {
	if n := hostMemory(read); n > 0 {
		return n / 4 * 3
	}
	return 4 << 30
}

// readFile is os.ReadFile, or a fake of it in tests.
type readFile func(name string) ([]byte, error)

// hostMemory is the memory of the host, or of the container that the process runs in, if that may
// have less. It is 0 if unknown. read reads a file.
func hostMemory(read readFile) int64 {
	text, err := read("/proc/meminfo")
	if err != nil {
		return 0
	}
	var total int64
	for line := range strings.Lines(string(text)) {
		if n, _ := fmt.Sscanf(line, "MemTotal: %d kB", &total); n == 1 {
			break
		}
	}
	total <<= 10
	text, err = read("/proc/self/cgroup")
	if err != nil {
		return total
	}
	for line := range strings.Lines(string(text)) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3) // number, controllers, path
		if len(part) < 3 {
			continue
		}
		switch {
		case part[1] == "": // version 2
			total = groupLimit(read, "/sys/fs/cgroup", part[2], "memory.max", total)
		case strings.Contains(","+part[1]+",", ",memory,"): // version 1
			total = groupLimit(read, "/sys/fs/cgroup/memory", part[2], "memory.limit_in_bytes", total)
		}
	}
	return total
}

// groupLimit is the lowest of limit and the limits of a control group and of the groups that it is
// in. A group that cannot be seen, as a container's own from inside it, sets none.
func groupLimit(read readFile, mount, group, file string, limit int64) int64 {
	for group = path.Clean("/" + group); ; group = path.Dir(group) {
		if text, err := read(path.Join(mount, group, file)); err == nil {
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil { // not "max"
				limit = min(limit, n)
			}
		}
		if group == "/" {
			return limit
		}
	}
}
