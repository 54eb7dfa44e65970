package source_test

import (
	"testing"

	"github.com/gridstride/gridstride/similar/source"
)

const (
	manMan = `'\" t
.\" Copyright
.de Vb
hidden
..
.ie n \{\
.    ds -- \(*W-
.    ds L" ""
'br\}
.el\{\
.    ds L" hidden
hidden
'br\}
.if t .ds -- hidden
.TH HEAP 1 "2020-01-01" "Version 1" "User Commands"
.ad l
.SH NAME
heap, heapify \- sort with a heap \" a comment
.SH "SYNOPSIS"
.B heap
[\fB\-n\fR \fInumber\fP] [\|\fI\s-1FILE\s0\fR.\|.\|.]
.SH DESCRIPTION
Sorts
.IR file ,
as \*(L"G\(:odel\*(L" and Erd\['o]s, \[u00FC]ber\h'2'\(aqx\(aq \e\&.
.TP
.BR \-k ", " "\-\-keep all"
Keeps a ""quote"".
.nf
int x;
.fi
.TS
l l.
one	two
.TE
See
.UR http://x.org
.UE
.zZ unknown
`
	manDoc = `.Dd January 1, 2020
.Dt HEAP 3
.Os
.Sh NAME
.Nm heap
.Nd sort with a heap
.Sh SYNOPSIS
.Nm
.Op Fl k Ar number
.Bl -tag -width indent
.It Fl r , Fl Fl reverse
Reverse, see
.Xr sort 1 ,
.Pf x Ns Em y .
.El
`
)

// TestManuals reads pages of manuals, and leaves out other files with such names.
func TestManuals(t *testing.T) {
	t.Parallel()
	const no = "not a form that is read"
	for _, c := range []struct{ name, text, want string }{
		{"heap.1", manMan, `heap.1|heap, heapify - sort with a heap|NAME/heap, heapify - sort with a heap/SYNOPSIS/heap/[-n number] [ FILE. . .]/DESCRIPTION/Sorts/file,/` +
			`as "Gödel" and Erdós, über'x' \./-k, --keep all/Keeps a ""quote""./int x;/one two/See/http://x.org`},
		{"heap.3.gz", gzipped(manDoc), "heap.3.gz|heap – sort with a heap|NAME/heap/– sort with a heap/SYNOPSIS/heap/-k number/-r, - -reverse/Reverse, see/sort(1),/xy."},
		{"name.7", ".TH ONLY 7\ntext", "name.7|ONLY(7)|text"},
		{"latin.5", ".TH A 5\n.SH NAME\ncaf\xe9 \\- a place", "latin.5|café - a place|NAME/café - a place"},
		{"libheap.so.1", "\x7fELF\x00\x01", "! libheap.so.1: " + no},
		{"notes.2", "notes of .TH and .Dt", "! notes.2: " + no},
		{"link.3", ".so man3/heap.3\n", "! link.3: " + no},
		{"no.3ssl", ".TH A 3\n.SH DESCRIPTION\nLong", "no.3ssl|A(3)|DESCRIPTION/Long"},
		{"a.7z", "7z", "! a.7z: " + no},
		{"log.0", ".TH A 0\n", "! log.0: " + no},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			same(t, collect(source.FS(t.Context(), folder(map[string]string{c.name: c.text}), source.Options{Strict: true})), c.want)
		})
	}
}
