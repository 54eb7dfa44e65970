// Similar is the command similar with the object stores of clouds: versions may have the addresses
//
//	s3://bucket/papers-7?region=eu-central-1    S3, and what is compatible with it
//	gs://bucket/papers-7                        Google Cloud Storage
//	azblob://container/papers-7                 Azure Blob Storage
//
// Each cloud's library finds the credentials, such as AWS_ACCESS_KEY_ID. The flags -cache and
// -cache-size of all commands name the folder for files that a search reads.
package main

import (
	"context"

	"github.com/gridstride/gridstride/internal/similarcmd"
	"github.com/gridstride/gridstride/similar/cloud"
	"github.com/gridstride/gridstride/similar/version"

	_ "gocloud.dev/blob/azureblob"
	_ "gocloud.dev/blob/gcsblob"
	_ "gocloud.dev/blob/s3blob"
)

func main() {
	similarcmd.Main(similarcmd.Schemes{"s3": open, "gs": open, "azblob": open})
}

// open opens a store of any of the clouds.
func open(ctx context.Context, address string) (version.Store, func() error, error) {
	s, err := cloud.Open(ctx, address)
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}
