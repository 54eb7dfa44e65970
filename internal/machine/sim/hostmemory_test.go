package sim

import (
	"io/fs"
	"testing"
)

// TestDefaultMemory reads the limits of containers.
func TestDefaultMemory(t *testing.T) {
	t.Parallel()
	const host = "MemFree: 1 kB\nMemTotal:       16777216 kB\n" // 16 GiB
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no files": {nil, 4 << 30},
		"a host":   {map[string]string{"proc/meminfo": host, "proc/self/cgroup": "0::/user.slice\n"}, 12 << 30},
		"version 2, the container's own root": {map[string]string{"proc/meminfo": host, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "1073741824\n"}, 768 << 20},
		"version 2, no limit": {map[string]string{"proc/meminfo": host, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "max\n"}, 12 << 30},
		"version 2, a group above": {map[string]string{"proc/meminfo": host, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "2147483648\n"}, 1536 << 20},
		"version 1": {map[string]string{"proc/meminfo": host, "proc/self/cgroup": "11:cpu:/x\n4:hugetlb,memory:/docker/x\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes": "536870912\n"}, 384 << 20},
		"version 1, the group is not seen": {map[string]string{"proc/meminfo": host, "proc/self/cgroup": "4:memory:/docker/x\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "536870912\n"}, 384 << 20},
		"more than the host has": {map[string]string{"proc/meminfo": host, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "1099511627776\n"}, 12 << 30},
	} {
		read := func(name string) ([]byte, error) {
			if text, ok := c.files[name[1:]]; ok {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		}
		if got := defaultMemory(read); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
