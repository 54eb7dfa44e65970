package segment

// The files of an index, in one place. An index on disk is a folder of containers: the manifest, a
// file for each segment, one for the deletions of each segment that has some, and one for the
// catalog, if there is one. Package similar names them and says what the manifest holds (manifest.go there).
//
// # Container
//
// A container is a file of sections, each with its checksum:
//
//	 0  magic of 8 bytes
//	 8  version, 12  number of sections, 16  checksum of this header with 0 in its place, 20  0
//	24  for each section its offset, its length (8 bytes each), its checksum, 0 (4 bytes each)
//
// Numbers are little-endian and checksums are CRC-32C. The header and every section are filled with
// zeros up to a multiple of 64 bytes, which the checksums cover; the file ends with the last
// section. What later versions change begins after the first 20 bytes, so that these can always be
// read. A version reads only its own files; version 1 was never released.
//
//	magic     sections
//	GSmanifs  1: JSON
//	GSdelete  1: a bit for each document of the segment, which is 1 if it is deleted
//	GScatalo  1: the bytes of SetCatalog
//	GSsegmnt  the sections of a segment
//
// # Segment
//
// Documents are numbered in the byte order of their ids, and terms in two ways: by place, in byte
// order, and by rank, by descending number of documents, and of equal ones by place. The sections
// of a segment follow. Pieces (pieces.go) count as three sections:
//
//	ids      3  of each document its id
//	bodies   3  of each document its stored form (stored.go of package similar)
//	counts      how many terms, postings, and terms of all documents with repetitions: 8 bytes each
//	lengths     of each document how many terms it has, with repetitions: 4 bytes
//	names       the terms by place, in groups (dictionary.go)
//	nameAt      of each group its offset in names: 4 bytes
//	listAt      of each group where its first list begins in lists: 4 bytes
//	lists       of each term by place its documents and frequencies (list.go), and 8 zeros
//	rank        of each place its rank, packed (pack.go), and 8 zeros
//	place       of each rank its place, packed, and 8 zeros
//	rows     3  of each document its terms by rank and their frequencies (rows.go), and 8 zeros
//	shape       of the vectors, if there are any, their dimension and Storage: 4 bytes each
//	ords        of each vector its document, rising: 4 bytes
//	scale       of each vector the factor of its elements, a float32
//	norms       of each vector the Euclidean norm of its stored form, a float32
//	data        the elements of the vectors, one vector after the other

// Version is the version of the file format that is written, and the only one that is read.
const Version = 2
