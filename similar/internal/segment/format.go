package segment

// The files of an index, in one place. An index on disk is a folder of containers: the manifest, a
// file for each segment, one for the deletions of each segment that has some, and one for the
// catalog, if there is one. Package similar names them and says what the manifest holds
// (manifest.go there).
//
// # Container
//
// A container is a file of sections, with a checksum of each 16 KiB, so that a reader compares no
// more than it reads:
//
//	 0  magic of 8 bytes
//	 8  version, 12  0, 16  checksum of these 64 bytes with 0 in its place, zeros up to 64
//	    the sections, in any order
//	    the checksum of each chunk of chunkBytes of all that comes before
//	    for each section its kind and 0 (4 bytes each), its offset and its length (8 bytes each)
//	    64 bytes: the offsets of the checksums and of the table (8 bytes each), the number of
//	    sections, the checksums of the checksums, of the table, and of these 64 bytes with 0 in
//	    its place (4 bytes each), zeros
//
// Numbers are little-endian and checksums are CRC-32C. Each part is filled with zeros up to a
// multiple of 64 bytes, which its checksums cover. What later versions change begins after the
// first 20 bytes, so that these can always be read. Sections have the kinds 0, 1, 2 and so on.
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
// of a segment follow, each kind once. Pieces (pieces.go) count as three sections, and stored bytes
// (stored.go), which are compressed, as four:
//
//	ids      3  of each document its id
//	heads    4  of each document its title and fields (stored.go of package similar)
//	texts    4  of each document its text
//	counts      how many terms, postings, terms of all documents with repetitions, bytes of heads
//	            and of texts: 8 bytes each
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
//	places   3  of each block of a list where its term is in its documents (places.go)
//	blockAt     of each group of terms the number of blocks that the lists before have, and the number
//	            of all: 4 bytes each. Places and blockAt are empty where the index keeps none
//
// # Earlier versions
//
// Files of versions 2 to 4 are read, too. Versions 3 and 4 have places by document. They are not
// read: phrases are looked for in the texts. In version 3 the blocks of what is stored have 16 KiB
// (stored.go). In version 2 (old.go) a container had its table at the beginning, with one checksum for
// each section, and a segment had, in the place of heads and texts, bodies: 3, of each document its
// title, text and fields. Version 1 was never released.

// Version is the version of the file format that is written.
const Version = 5

// oldVersion is the first that is read.
const oldVersion = 2
