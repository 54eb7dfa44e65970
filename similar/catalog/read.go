package catalog

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/source"
)

// Options say how Read reads sources into an index.
type Options struct {
	// Source says how files are read. Name and Visit are Read's own.
	Source source.Options
	// Gone deletes what the sources no longer have: documents of files that are gone, and of files
	// that are read again and do not have them. A document of a file that cannot be read stays.
	Gone bool
	// Keep says which documents the index takes, by their ids: all if it is nil. It is for an index
	// that takes a part of its sources and is made once: all files are read, apart from those whose
	// document it does not take, a file that the system cannot read ends the reading, and the catalog
	// records no hashes.
	Keep func(id string) bool
	// Say is told, in a line each, of what is skipped and of documents with one id. It may be nil.
	Say func(line string)
	// Progress is told how many documents were read since the last call, and about how many bytes
	// they have. It may be nil.
	Progress func(documents int, bytes int64)
}

// A Report says what Read did, in documents, except Skipped.
type Report struct {
	New, Changed, Unchanged, Deleted int
	// Hidden documents have the id of another document, in whose place they are not in the index.
	Hidden int
	// Skipped files and records could not be read.
	Skipped int
	// Foreign files have a form that is not read.
	Foreign int
}

// Read reads sources into an index. A source is a file, a folder, "-" or "go:PATTERN", as source.Read
// takes them. Of two documents with one id the one that is read last takes the place of the other.
// With Gone, the later source's does, and in a source the later file's, in the order in which the
// index recorded the sources, so that the index does not depend on what changed when. Each such pair
// is said and counted. The index and its catalog change in memory: Save makes them last.
//
// Errors: ErrDamaged, a failure that stops the reading of a source, with Source.Strict the first
// file or record that is bad or has another's id, and ctx's error. The index in memory may have
// changed then, and its catalog has not.
func (o Options) Read(ctx context.Context, x *similar.Index, sources ...string) (Report, error) {
	c, err := Of(x)
	if err != nil {
		return Report{}, err
	}
	r := o.newReading(ctx, x, c)
	for _, s := range sources {
		root, err := c.root(s)
		if err != nil {
			return r.report, err
		}
		if err := r.root(root, nil); err != nil {
			return r.report, err
		}
	}
	if err := r.settle(); err != nil {
		return r.report, err
	}
	return r.report, c.keep(x)
}

// Delete deletes documents from an index, and the files that they are from are read again by the next
// Read. With an id that no document has nothing is deleted, and the error is ErrUnknown.
func Delete(x *similar.Index, ids ...string) (int, error) {
	c, err := Of(x)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		if _, err := x.Document(id); err != nil {
			return 0, err
		}
	}
	n, err := x.Delete(ids...)
	if err != nil {
		return n, err
	}
	for _, id := range ids {
		if f := c.owner[id]; f != nil {
			f.Hash = ""
			delete(c.owner, id)
		}
	}
	return n, c.keep(x)
}

// Forget deletes the documents of a source, which the index no longer records, and returns how many
// there were.
func Forget(ctx context.Context, x *similar.Index, name string) (int, error) {
	c, err := Of(x)
	if err != nil {
		return 0, err
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return 0, err
	}
	root := slices.IndexFunc(c.roots, func(r Root) bool { return r.Source == name || r.Source == abs })
	if root < 0 {
		return 0, fmt.Errorf("%s: the index records no such source", name)
	}
	r := Options{}.newReading(ctx, x, c)
	for _, f := range slices.SortedFunc(maps.Values(c.files), compare) {
		if f.Root == root {
			r.forget(f)
		} else if f.Root > root {
			delete(c.files, key{f.Root, f.Path})
			f.Root--
			c.files[key{f.Root, f.Path}] = f
		}
	}
	c.roots = slices.Delete(c.roots, root, root+1)
	if err := r.settle(); err != nil {
		return 0, err
	}
	return r.report.Deleted, c.keep(x)
}

// A state is the state of a document, compared with the index before.
type state uint8

const (
	unchanged state = iota
	changed
	fresh
)

// count counts the documents of the files that were read or had not changed.
func (r *reading) count() {
	states := [...]*int{unchanged: &r.report.Unchanged, changed: &r.report.Changed, fresh: &r.report.New}
	maps.Copy(r.displaced, r.visited)
	for f := range r.displaced {
		if r.c.files[key{f.Root, f.Path}] != f {
			continue
		}
		r.report.Hidden += len(f.Lost)
		for _, id := range f.IDs {
			if r.visited[f] && r.c.owner[id] == f {
				*states[r.state[id]]++
			}
		}
	}
}

// reading is one Read.
type reading struct {
	Options
	ctx    context.Context
	x      *similar.Index
	c      *Catalog
	report Report
	known  bool // whether the index had documents before

	visited   map[*file]bool
	displaced map[*file]bool   // those that lost a document to another file
	failed    map[string]bool  // names of files and folders that could not be read
	freed     map[string]bool  // ids that a file had and has no longer
	state     map[string]state // of the ids of documents that were added
	batch     []similar.Document
	bytes     int64

	rootNumber int
	single     bool            // the source is a file
	now        *file           // the file that is read
	have       map[string]bool // the ids of its documents
	lost       []string
	bad        bool // it could not be read whole
}

func (o Options) newReading(ctx context.Context, x *similar.Index, c *Catalog) *reading {
	return &reading{
		Options: o, ctx: ctx, x: x, c: c, known: x.Len() > 0,
		visited: map[*file]bool{}, displaced: map[*file]bool{}, failed: map[string]bool{}, freed: map[string]bool{}, state: map[string]state{},
	}
}

// root reads a source: the files of only, or all if that is nil.
func (r *reading) root(root int, only map[*file]bool) error {
	r.rootNumber = root
	from := r.c.roots[root]
	info, err := os.Stat(from.Source)
	r.single = err == nil && !info.IsDir()
	o := r.Source
	o.Name = from.Name
	if r.Keep != nil {
		o.Omit = func(id string) bool { return !r.Keep(id) }
	}
	o.Visit = func(f source.File) bool { return r.visit(f, only) }
	if !from.isPath() {
		r.begin(&file{Root: root, Path: ".", Single: true})
	}
	for d, err := range source.Read(r.ctx, o, from.Source) {
		bad, isBad := errors.AsType[*source.BadFile](err)
		switch {
		case isBad && r.Keep != nil && isSystem(bad):
		case isBad && (!o.Strict || errors.Is(err, source.ErrForm)):
			r.skip(bad, only == nil)
			continue
		case err == nil:
			err = r.checked(d, only == nil)
		}
		if err != nil {
			return err
		}
	}
	r.finish()
	if only != nil || !r.Gone {
		return nil
	}
	for _, f := range slices.SortedFunc(maps.Values(r.c.files), compare) {
		if f.Root == root && !r.visited[f] && !r.unreadable(f) {
			r.forget(f)
		}
	}
	return nil
}

func (r *reading) say(format string, args ...any) {
	if r.Say != nil {
		r.Say(fmt.Sprintf(format, args...))
	}
}

// skip notes what could not be read.
func (r *reading) skip(bad *source.BadFile, first bool) {
	root := r.c.roots[r.rootNumber]
	if first {
		r.say("skipped %v", bad)
		if errors.Is(bad, source.ErrForm) && bad.Name != root.Name {
			r.report.Foreign++
			return
		}
		r.report.Skipped++
	}
	r.failed[bad.Name] = true
	if r.now != nil && (!root.isPath() || r.c.name(r.now) == bad.Name) {
		r.bad = true
	}
}

// unreadable reports whether a file, or a folder that it is in, could not be read.
func (r *reading) unreadable(f *file) bool {
	name := r.c.name(f)
	for failed := range r.failed {
		if below(name, failed) {
			return true
		}
	}
	return false
}

// visit reports whether a file is to be read.
func (r *reading) visit(info source.File, only map[*file]bool) bool {
	r.finish()
	f := r.c.files[key{r.rootNumber, info.Path}]
	if only != nil && !only[f] {
		return false
	}
	at := filepath.Join(r.c.roots[r.rootNumber].Source, filepath.FromSlash(info.Path))
	if r.single {
		at = r.c.roots[r.rootNumber].Source
	}
	now := time.Now().UnixNano()
	next := &file{Root: r.rootNumber, Path: info.Path, Single: r.single, Size: info.Size, Modified: info.Modified.UnixNano(), Read: now, Form: r.Source.Form}
	if only == nil && f != nil && f.Hash != "" && f.Size == next.Size && f.Form == next.Form && f.Modified == next.Modified && f.Modified+settled < f.Read {
		return r.same(f)
	}
	if r.Keep != nil {
		if form := cmp.Or(r.Source.Form, info.Path); (r.single && source.IsDocument(form) || !r.single && source.IsDocument(info.Path)) && !r.Keep(r.c.name(next)) {
			return false
		}
		r.begin(next)
		return true
	}
	next.Hash = hashOf(at)
	if only == nil && f != nil && f.Hash != "" && f.Hash == next.Hash && f.Form == next.Form {
		f.Modified, f.Read = next.Modified, now
		return r.same(f)
	}
	r.begin(next)
	return true
}

// settled is how long a file must not have changed before it was read, in nanoseconds, so that its
// time tells whether it changed since. Some systems keep times to two seconds.
const settled = 3e9

// same notes that a file has not changed. It is not read.
func (r *reading) same(f *file) bool {
	r.visited[f] = true
	return false
}

// hashOf returns a hash of a file, or nothing if it cannot be read, which its reader says.
func hashOf(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return base64.RawStdEncoding.EncodeToString(h.Sum(nil))
}

// begin begins a file, which takes the place of what the catalog has of it.
func (r *reading) begin(next *file) {
	at := key{next.Root, next.Path}
	if f := r.c.files[at]; f != nil {
		ids := f.IDs
		*f = *next
		f.IDs, next = ids, f
	}
	r.c.files[at] = next
	r.visited[next] = true
	r.now, r.have, r.lost, r.bad = next, map[string]bool{}, nil, false
}

// isSystem reports whether the system failed to read a file, and may not fail again.
func isSystem(bad *source.BadFile) bool {
	_, ok := errors.AsType[*fs.PathError](bad)
	return ok
}

// checked takes a document of the present file, or skips it if its fields are not of the types that
// the schema says: first says whether that is to be said.
func (r *reading) checked(d similar.Document, first bool) error {
	if r.Keep != nil && !r.Keep(d.ID) {
		return nil
	}
	err := r.x.CheckFields(&d)
	if err == nil {
		return r.document(d)
	}
	if r.Source.Strict {
		return err
	}
	r.skip(&source.BadFile{Name: r.c.name(r.now), Err: err}, first)
	return nil
}

// document takes a document of the present file.
func (r *reading) document(d similar.Document) error {
	f, other := r.now, r.c.owner[d.ID]
	switch {
	case r.have[d.ID]:
		r.lost = append(r.lost, d.ID)
		if err := r.hidden("%q of %s is there twice: the later one takes the place", d.ID, r.c.name(f)); err != nil {
			return err
		}
	case other != nil && other != f && r.Gone && compare(f, other) < 0:
		r.lost = append(r.lost, d.ID)
		return r.hidden("%q of %s is not in the index: %s has it, too, and comes later", d.ID, r.c.name(f), r.c.name(other))
	case other != nil && other != f:
		other.Lost = append(other.Lost, d.ID)
		r.displaced[other] = true
		if err := r.hidden("%q of %s takes the place of the one of %s", d.ID, r.c.name(f), r.c.name(other)); err != nil {
			return err
		}
	}
	r.c.owner[d.ID] = f
	r.have[d.ID] = true
	if r.state[d.ID] != unchanged {
		return r.add(d)
	}
	now := fresh
	if r.known {
		old, err := r.x.Document(d.ID)
		switch {
		case err == nil && old.Title == d.Title && old.Text == d.Text && maps.Equal(old.Fields, d.Fields):
			return nil
		case err == nil:
			now = changed
		case !errors.Is(err, similar.ErrUnknown):
			return err
		}
	}
	r.state[d.ID] = now
	return r.add(d)
}

// hidden says that a document has the place of another one.
func (r *reading) hidden(format string, args ...any) error {
	if r.Source.Strict {
		return fmt.Errorf(format, args...)
	}
	r.say(format, args...)
	return nil
}

// Documents are added in batches, so that they are analysed side by side: so many documents for each
// processor.
const (
	batchDocuments = 1000
	batchBytes     = 8 << 20
)

func (r *reading) add(d similar.Document) error {
	r.batch = append(r.batch, d)
	r.bytes += int64(len(d.ID) + len(d.Title) + len(d.Text))
	for name, value := range d.Fields {
		r.bytes += int64(len(name) + len(value))
	}
	if len(r.batch) < batchDocuments*runtime.GOMAXPROCS(0) && r.bytes < batchBytes {
		return nil
	}
	return r.flush()
}

func (r *reading) flush() error {
	if err := r.x.Add(r.ctx, r.batch...); err != nil {
		return err
	}
	if r.Progress != nil {
		r.Progress(len(r.batch), r.bytes)
	}
	r.batch, r.bytes = r.batch[:0], 0
	return nil
}

// finish ends the present file. Documents that it does not have any more stay if it could not be
// read whole, and without Gone: then the file is read again.
func (r *reading) finish() {
	f := r.now
	if f == nil {
		return
	}
	r.now = nil
	stay := r.bad || !r.Gone
	for _, id := range f.IDs {
		switch {
		case r.have[id] || r.c.owner[id] != f:
		case stay:
			r.have[id] = true
			f.Hash = ""
		default:
			r.free(id)
		}
	}
	if r.bad {
		f.Hash = ""
	}
	f.IDs, f.Lost = slices.Sorted(maps.Keys(r.have)), r.lost
}

func (r *reading) free(id string) {
	delete(r.c.owner, id)
	r.freed[id] = true
}

// forget removes a file.
func (r *reading) forget(f *file) {
	for _, id := range f.IDs {
		if r.c.owner[id] == f {
			r.free(id)
		}
	}
	delete(r.c.files, key{f.Root, f.Path})
}

// settle reads the files again that lost a document to one that is gone, and deletes what no file
// has any more.
func (r *reading) settle() error {
	for tries := 0; len(r.freed) > 0 && tries < 100; tries++ {
		again := map[int]map[*file]bool{}
		for _, f := range r.c.files {
			if r.c.roots[f.Root].isPath() && slices.ContainsFunc(f.Lost, func(id string) bool { return r.freed[id] && r.c.owner[id] == nil }) {
				if again[f.Root] == nil {
					again[f.Root] = map[*file]bool{}
				}
				again[f.Root][f] = true
			}
		}
		if len(again) == 0 {
			break
		}
		for _, root := range slices.Sorted(maps.Keys(again)) {
			if err := r.root(root, again[root]); err != nil {
				return err
			}
		}
	}
	if err := r.flush(); err != nil {
		return err
	}
	var gone []string
	for id := range r.freed {
		if r.c.owner[id] == nil {
			gone = append(gone, id)
		}
	}
	n, err := r.x.Delete(gone...)
	r.report.Deleted += n
	r.count()
	return err
}
