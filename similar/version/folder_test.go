package version

import (
	"path/filepath"
	"testing"
)

// TestFolderAt holds FolderAt to paths and file URLs, and to no other address.
func TestFolderAt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		address, folder string
		ok              bool
	}{
		{"papers-7", "papers-7", true},
		{"", "", true},
		{"/data/papers 7", "/data/papers 7", true},
		{"file:///data/papers-7", filepath.FromSlash("/data/papers-7"), true},
		{"file:///data/papers%207/", filepath.FromSlash("/data/papers 7/"), true},
		{"FILE:///data", filepath.FromSlash("/data"), true},
		{"file:///", filepath.FromSlash("/"), true},
		{"file://host/path", "", false},
		{"file://", "", false},
		{"file:///data?create=true", "", false},
		{"file:///data/papers#7", "", false},
		{"file:///%zz", "", false},
		{"s3://bucket/papers-7", "", false},
		{"://", "", false},
	} {
		if got, ok := FolderAt(test.address); string(got) != test.folder || ok != test.ok {
			t.Errorf("FolderAt(%q) = %q, %v; want %q, %v", test.address, got, ok, test.folder, test.ok)
		}
	}
}
