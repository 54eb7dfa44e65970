package version

import (
	"fmt"
	"regexp"
)

// MaxShards is the largest number of shards of a version.
const MaxShards = 1 << 16

const (
	manifestName = "manifest"
	segmentEnd   = ".segment"
	tableEnd     = ".table"
	clockFile    = ".clock-" // begins the name of a file that Garbage reads the store's clock from
)

// hashed are the bytes of a file, whose name they give.
type hashed struct {
	SHA256 string `json:"sha256"` // in hexadecimal
	Bytes  int64  `json:"bytes"`
}

func shardFolder(shard int) string   { return fmt.Sprintf("shard-%05d/", shard) }
func shardManifest(shard int) string { return shardFolder(shard) + manifestName }
func segmentName(shard int, segment hashed) string {
	return shardFolder(shard) + segment.SHA256 + segmentEnd
}
func shardTable(shard int, table hashed) string { return shardFolder(shard) + table.SHA256 + tableEnd }
func rootTable(table hashed) string             { return table.SHA256 + tableEnd }

var (
	hash = regexp.MustCompile(`^[0-9a-f]{64}$`)

	// shardManifests are the names of the manifests of shards.
	shardManifests = regexp.MustCompile(`^shard-([0-9]{5})/manifest$`)

	// written are the names of all files that this package writes, apart from manifests.
	written = regexp.MustCompile(`^(shard-[0-9]{5}/[0-9a-f]{64}\.(segment|table)|[0-9a-f]{64}\.table|(shard-[0-9]{5}/)?\.writing-[0-9A-Za-z]+|\.clock-[0-9A-Z]+)$`)
)

// check says what is wrong with what a manifest says of a file.
func (h hashed) check() error {
	if !hash.MatchString(h.SHA256) || h.Bytes < 1 {
		return fmt.Errorf("it names a file of %d bytes with the hash %.70q", h.Bytes, h.SHA256)
	}
	return nil
}
