// Package beam builds versions of package version by pipelines of Apache Beam: on prism in this
// process, on Flink, Spark or Dataflow. It is a separate module, so that only its users' go.mod has
// what Beam needs. The command similarbeam runs it.
//
//	p := beam.NewPipeline()
//	docs := similarbeam.Read(p.Root(), o)
//	sealed := similarbeam.Build(p.Root(), o, docs)
//	similarbeam.Duplicates(p.Root(), near, sealed) // where they are wanted
//	err := beamx.Run(ctx, p)
//
// The pipeline to a version has two shuffles. Read gives each document to its shard, as similar.ShardOf says, so
// that the documents of one id meet there, and Build keeps the newest of them. It writes each shard
// by one worker, with nothing of the others, and seals the version when all are there. The files are
// those that similar index -shard and similar seal write of the same documents, byte for byte. So a
// bundle or a job that failed may run again, also while its first run still does.
//
// Duplicates finds the near-duplicates of a version that is sealed, as package duplicates does, in parts.
// Its file has the bytes of similar duplicates.
//
// # Newest
//
// Of documents with one id Build keeps the one with the greatest value of Options.Newest. Numbers are
// greater than dates (RFC 3339, or 2006-01-02), dates than other texts, and texts than no value. Of
// equal ones, or without Options.Newest, it keeps the one of the later source, then of the later file
// by its path, then the later one in the file, as similar index does.
//
// # Counters
//
// The workers count by Beam's metrics, in the namespace similar: documents that were read,
// duplicates in whose place a newer one is, skipped files and records that could not be read, shards
// that were written, and written documents. Of near-duplicates they count parts that are done, pairs
// that were compared, sets of documents that were cut, groups, and grouped documents. A runner that
// repeats bundles may count them again.
package beam
