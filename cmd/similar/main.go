// Similar indexes documents and finds those most like a text or a document.
//
//	similar index SOURCE… -o IDX                read files, folders or Go packages into an index
//	similar add SOURCE… -o IDX                  add documents to an index
//	similar sync [SOURCE…] -o IDX               make an index equal to its sources
//	similar delete IDX ID…                      delete documents
//	similar copy IDX -o COPY                    copy an index, or bring a copy up to date
//	similar verify IDX                          read all of an index and compare its checksums
//	similar seal VERSION                        end a version whose shards similar index -shard wrote
//	similar compact VERSION -o OTHER            merge the shards of a version to fewer
//	similar gc VERSION                          remove what killed jobs left
//	similar query IDX words…                    find the documents most like some words, or that match a query
//	similar like IDX ID|FILE                    … like a document of the index, or a file
//	similar pairs IDX                           find for each document those nearest to it
//	similar duplicates IDX                      find groups of documents that are nearly the same
//	similar eval IDX -queries Q -qrels J        measure the answers by a test collection's judgements
//	similar serve IDX…                          show indexes as pages and a JSON API
//	similar table IDX… -o FILE                  write the statistics of a collection in several indexes
//	similar front -shards LIST                  show a collection that is in shards of several servers
//	similar version                             say which version this is
//
// An index is a folder. "similar help index" explains the flags of a command. The exit status is 1
// for a failure, 2 for a command line that makes no sense, and 3 if documents were read, and some were
// skipped or took the place of others.
package main

import "github.com/gridstride/gridstride/internal/similarcmd"

func main() { similarcmd.Main(nil) }
