package version

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzManifest reads manifests of any bytes, with the checksum that they should have. One that is
// read is in canonical form, and opening a version with it ends without a panic.
func FuzzManifest(f *testing.F) {
	whole := built(f, documents(12, 1), 2)
	f.Add(whole.files[manifestName])
	f.Add(whole.files[shardManifest(1)])
	f.Add([]byte(`{"format":1,"documents":-1,"options":{},"table":{"sha256":"..","bytes":9},"shards":[{}],"sum":""}`))
	cache := newCache(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		m := new(manifest)
		if err := json.Unmarshal(b, m); err != nil {
			return
		}
		forged, err := encode(m)
		if err != nil {
			return
		}
		read := new(manifest)
		if err := decode(forged, read); err == nil {
			if again, err := encode(read); err != nil || !bytes.Equal(again, forged) {
				t.Fatalf("%s is read as %s, %v", forged, again, err)
			}
		}
		_ = decode(b, new(shard))
		store := whole.copied()
		store.files[manifestName] = forged
		if v, err := Open(t.Context(), store, Options{Cache: cache}); err == nil {
			if int64(v.Len()) != v.Documents() {
				t.Errorf("%d documents of %d", v.Len(), v.Documents())
			}
			v.Close()
		}
	})
}
