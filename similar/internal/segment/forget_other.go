//go:build !linux

package segment

// forget does nothing: the system takes files out of memory when it needs that.
func (m *mapping) forget() {}
