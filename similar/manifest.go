package similar

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/similar/internal/segment"
)

// A saved index is a folder: a file for each segment, one for the deletions of each segment that
// has some, one for the catalog, and the manifest, which names them and is written last. Files are
// never changed once they are there. A generation is one state that was saved. The names of its
// files begin with its number.
const (
	manifestName = "manifest"
	lockName     = "lock"
	temporary    = ".saving-"
	segmentEnd   = ".segment"
	deletedEnd   = ".deleted"
	catalogEnd   = ".catalog"
)

var (
	manifestMagic = segment.Magic([]byte("GSmanifs"))
	deletedMagic  = segment.Magic([]byte("GSdelete"))
	catalogMagic  = segment.Magic([]byte("GScatalo"))
)

// manifest is the contents of the file of that name, as JSON.
type manifest struct {
	Generation uint64
	Stamp      string // of this save: no other has it
	Origin     string `json:",omitempty"` // the stamp of the first save; empty in an index that began before there were copies
	Copy       bool   `json:",omitempty"` // Copy wrote it, and no Save did since
	Options    Options
	Parts      []savedPart
	Catalog    string `json:",omitempty"` // the file of SetCatalog's bytes
}

// savedPart names the files of a part.
type savedPart struct {
	Segment string
	Deleted string `json:",omitempty"`
}

// readManifest reads the manifest of a folder. The error wraps fs.ErrNotExist if there is none.
func readManifest(dir string) (m manifest, err error) {
	name := filepath.Join(dir, manifestName)
	sections, err := segment.ReadFile(name, manifestMagic, maxManifest)
	if err != nil {
		return m, fmt.Errorf("similar: %w", err)
	}
	if len(sections) != 1 {
		return m, fmt.Errorf("similar: %w", &segment.Damaged{File: name, What: "it has several sections"})
	}
	if err = json.Unmarshal(sections[0], &m); err == nil {
		if m.Options.Text.Version == typedVersion {
			m.Options.Text.Version = 0
		}
		err = m.check()
	}
	if err != nil {
		return m, fmt.Errorf("similar: %w", &segment.Damaged{File: name, What: err.Error()})
	}
	return m, nil
}

// typedVersion is the version that the manifest gives the rules that make terms of documents where
// the schema has types. Programs that do not know types refuse such an index.
const typedVersion = 1

// maxManifest is how many bytes a manifest may have. It holds the fixed vocabulary, too.
const maxManifest = 1 << 28

// check says what is wrong with what a manifest says. The names of files are those that Save gives
// up to this generation, so that none is outside of the folder and the next Save changes none.
func (m manifest) check() error {
	if m.Generation == 0 || m.Generation > 1<<62 {
		return fmt.Errorf("it says that it is of generation %d", m.Generation)
	}
	seen := map[string]bool{}
	check := func(name, end string) error {
		of := savedName.FindStringSubmatch(name)
		if of == nil || of[2] != end || seen[name] {
			return fmt.Errorf("it names the file %q, or names it twice", name)
		}
		seen[name] = true
		if n, err := strconv.ParseUint(of[1], 10, 64); err != nil || n > m.Generation {
			return fmt.Errorf("it is of generation %d and names the file %q", m.Generation, name)
		}
		return nil
	}
	for _, p := range m.Parts {
		err := check(p.Segment, segmentEnd)
		if err == nil && p.Deleted != "" {
			err = check(p.Deleted, deletedEnd)
		}
		if err != nil {
			return err
		}
	}
	if m.Catalog != "" {
		return check(m.Catalog, catalogEnd)
	}
	return nil
}

// savedName are the names of the files that Save writes, the generation first.
var savedName = regexp.MustCompile(`^([0-9]{8,20})-[0-9]{3,9}(\.[a-z]+)$`)

func (m manifest) write(d disk, dir string) error {
	if s, err := newSchema(m.Options.Fields); err == nil && s.typed {
		m.Options.Text.Version = typedVersion
	}
	b, err := json.Marshal(m)
	if err == nil && len(b) > maxManifest/2 {
		err = fmt.Errorf("the manifest has %d bytes, and at most %d are possible; use a smaller vocabulary", len(b), maxManifest/2)
	}
	if err != nil {
		return err
	}
	return d.write(filepath.Join(dir, manifestName), containerOf(manifestMagic, b))
}

// names returns the files of an index that the manifest needs.
func (m manifest) names() map[string]bool {
	names := map[string]bool{m.Catalog: true}
	for _, p := range m.Parts {
		names[p.Segment], names[p.Deleted] = true, true
	}
	return names
}

// sweep removes the files of earlier generations and of saves that were interrupted. Where that
// does not succeed they are in nobody's way, and the next save tries again.
func sweep(d disk, dir string, keep map[string]bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := e.Name()
		ours := strings.HasPrefix(name, temporary) || strings.HasSuffix(name, segmentEnd) || strings.HasSuffix(name, deletedEnd) || strings.HasSuffix(name, catalogEnd)
		if ours && !keep[name] {
			d.remove(filepath.Join(dir, name))
		}
	}
}

// vacant reports whether a folder is empty, or has only what a first save that failed left.
func vacant(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() != lockName && !strings.HasPrefix(e.Name(), temporary)
	})
}

// explain says of the errors of opening what they mean for an index.
func explainOpen(dir string, err error) error {
	info, statErr := os.Stat(dir)
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		return fmt.Errorf("similar: there is no folder %s: %w", dir, fs.ErrNotExist)
	case statErr == nil && !info.IsDir():
		return fmt.Errorf("similar: %s is a file, and an index is a folder: %w", dir, ErrForeign)
	case errors.Is(err, fs.ErrNotExist) && vacant(dir):
		return fmt.Errorf("similar: no index has been saved to the folder %s: %w", dir, fs.ErrNotExist)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("similar: the folder %s has no file %q: %w", dir, manifestName, ErrForeign)
	case errors.Is(err, ErrNewer):
		return fmt.Errorf("%w; use a newer program", err)
	case errors.Is(err, ErrOlder):
		return fmt.Errorf("%w; index the documents again", err)
	}
	return err
}
