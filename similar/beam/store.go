package beam

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/gridstride/gridstride/similar/cloud"
	"github.com/gridstride/gridstride/similar/version"
)

// OpenStore opens the store of a version: the path of a folder, a file:///path, or an address of an
// object store whose driver the program imports, as cloud.Open has it. Close it with done.
func OpenStore(ctx context.Context, address string) (store version.Store, done func() error, err error) {
	scheme, _, isURL := strings.Cut(address, "://")
	if !isURL {
		return version.Folder(address), func() error { return nil }, nil
	}
	if scheme != "file" {
		c, err := cloud.Open(ctx, address)
		if err != nil {
			return nil, nil, err
		}
		return c, c.Close, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host != "" || u.Path == "" || u.RawQuery != "" {
		return nil, nil, fmt.Errorf("similar: %s names no folder; want file:///path", address)
	}
	return version.Folder(filepath.FromSlash(u.Path)), func() error { return nil }, nil
}
