package source

import (
	"encoding/json"
	"encoding/xml"
	"maps"
	"net/mail"
	"slices"
	"strings"
	"time"
)

// A listing is a form of XML with records.
type listing struct {
	record  string            // the path of a record's element from the root; "" where the root is the record
	members map[string]string // the members of a record by the paths of their elements
	html    bool              // texts are HTML, whatever their attributes say
}

// listings are the listings by the names of their roots.
var listings = map[string]*listing{
	"article": {members: map[string]string{ // JATS 1.3, https://jats.nlm.nih.gov
		"front/article-meta/title-group/article-title": "title", "front/article-meta/title-group/subtitle": "title",
		"front/article-meta/abstract": "text", "body": "text", "front/article-meta/article-id": "doi",
		"front/article-meta/contrib-group/contrib/name":                   "authors",
		"front/article-meta/contrib-group/contrib/name-alternatives/name": "authors",
		"front/article-meta/contrib-group/contrib/string-name":            "authors",
		"front/article-meta/contrib-group/contrib/collab":                 "authors",
		"front/article-meta/pub-date/year":                                "year", "front/article-meta/kwd-group/kwd": "keywords",
		"front/journal-meta/journal-title-group/journal-title": "journal", "front/journal-meta/journal-title": "journal",
	}},
	"feed": {record: "entry", members: map[string]string{ // Atom, RFC 4287
		"id": "id", "title": "title", "summary": "text", "content": "text", "author/name": "authors", "category": "categories",
		"published": "published", "updated": "updated", "doi": "doi", "journal_ref": "journal", "comment": "comment",
	}},
	"rss": {record: "channel/item", members: rssMembers, html: true}, // https://www.rssboard.org/rss-specification
	"RDF": {record: "item", members: rssMembers, html: true},         // RSS 1.0, http://web.resource.org/rss/1.0/spec
	"OAI-PMH": {record: "ListRecords/record", members: map[string]string{ // https://www.openarchives.org/OAI/openarchivesprotocol.html
		"header/identifier": "identifier",
		"metadata/arXiv/id": "id", "metadata/arXiv/title": "title", "metadata/arXiv/abstract": "text",
		"metadata/arXiv/authors/author": "authors", "metadata/arXiv/categories": "categories", "metadata/arXiv/doi": "doi",
		"metadata/arXiv/created": "created", "metadata/arXiv/updated": "updated", "metadata/arXiv/journal-ref": "journal",
		"metadata/arXivRaw/id": "id", "metadata/arXivRaw/title": "title", "metadata/arXivRaw/abstract": "text",
		"metadata/arXivRaw/authors": rawAuthors, "metadata/arXivRaw/categories": "categories", "metadata/arXivRaw/doi": "doi",
		"metadata/arXivRaw/version/date": "created", "metadata/arXivRaw/journal-ref": "journal",
		"metadata/dc/title": "title", "metadata/dc/creator": "authors", "metadata/dc/description": "text",
		"metadata/dc/date": "date", "metadata/dc/subject": "categories",
	}},
}

// rssMembers are the members of an item of RSS, also of Dublin Core's and the content module's
// elements.
var rssMembers = map[string]string{
	"guid": "id", "link": "url", "title": "title", "description": "text", "encoded": "text", "creator": "authors",
	"author": "authors", "category": "categories", "pubDate": "published", "date": "published",
}

// rawAuthors is the member for names in one line with TeX's accents, as the titles and abstracts of
// their records have them.
const rawAuthors = "raw authors"

// read reads the records of a listing, whose root is open.
func (l *listing) read(r *reader, name string, w *xmlWalk) error {
	n := 0
	one := func() error {
		texts := map[string][]string{}
		line, _ := w.InputPos()
		err := w.record(l.members, func(member string, e xml.StartElement, s string) {
			if s = l.memberOf(member, e, s); s != "" {
				texts[member] = append(texts[member], s)
			}
		})
		if err != nil || r.stopped {
			return err
		}
		n++
		l.hand(r, name, line, n, joined(texts))
		return nil
	}
	if l.record == "" {
		return one()
	}
	base, depth := len(w.path), len(w.path)+1+strings.Count(l.record, "/")
	err := w.tokens(func(t xml.Token) error {
		if _, ok := t.(xml.StartElement); ok && len(w.path) == depth && strings.Join(w.path[base:], "/") == l.record && !r.stopped {
			return one()
		}
		return nil
	})
	return err
}

// hand hands on a record. One with neither title nor text is a notice that a document is deleted.
func (l *listing) hand(r *reader, name string, line, n int, members map[string]string) {
	if id, ok := members["identifier"]; ok && members["id"] == "" {
		members["id"] = id
	}
	delete(members, "identifier")
	if l.html && members["id"] == "" {
		members["id"] = members["url"]
	}
	if names, ok := members[rawAuthors]; ok {
		delete(members, rawAuthors)
		members["authors"] = bylineNames(latexText(names))
		members["title"], members["text"] = latexText(members["title"]), latexText(members["text"])
	}
	if l.record != "" && members["title"] == "" && members["text"] == "" {
		return
	}
	if l.record == "" {
		members["id"] = name
	}
	members["id"] = arXivID(members["id"])
	for _, member := range slices.Sorted(maps.Keys(members)) {
		if err := checkText(members[member]); err != nil {
			r.bad(name, line, err)
			return
		}
	}
	r.record(name, line, n, members)
}

// joins are the members that several elements make, and the text between these. Of any other member
// the first element counts.
var joins = map[string]string{"authors": "; ", "categories": "; ", "keywords": "; ", "text": "\n", "title": " "}

func joined(texts map[string][]string) map[string]string {
	members := make(map[string]string, len(texts))
	for member, list := range texts {
		members[member] = list[0]
		if between := joins[member]; between != "" {
			members[member] = strings.Join(list, between)
		}
	}
	return members
}

// memberOf returns the text of an element for a member, or "".
func (l *listing) memberOf(member string, e xml.StartElement, s string) string {
	switch member {
	case "text":
		if kind := attribute(e, "type"); kind == "html" || l.html {
			heading, text, _ := htmlText(strings.NewReader(s)) // a string has no errors
			s = heading + "\n" + text
		}
		return lines(s)
	case "authors":
		s = strings.ReplaceAll(lines(s), "\n", ", ")
	case "created", "published":
		if t, err := mail.ParseDate(squeeze(s)); err == nil { // a date of RFC 822, which conditions do not know
			s = t.UTC().Format(time.RFC3339)
		}
	case "doi":
		if kind := attribute(e, "pub-id-type"); kind != "" && kind != "doi" {
			return ""
		}
	case "categories":
		s = strings.Join(strings.Fields(s+" "+attribute(e, "term")), "; ")
	}
	return squeeze(s)
}

// bylineNames parts the names of a line, as in "A. One (X, Y), B. Two and C. Three". It
// drops brackets, which say where the authors work.
func bylineNames(s string) string {
	var b strings.Builder
	depth := 0
	for _, r := range s {
		switch {
		case r == '(':
			depth++
		case r == ')' && depth > 0:
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	var names []string
	for part := range strings.SplitSeq(b.String(), ",") {
		for name := range strings.SplitSeq(" "+part+" ", " and ") {
			if name = squeeze(name); name != "" {
				names = append(names, name)
			}
		}
	}
	return strings.Join(names, "; ")
}

// arXivID returns the id that arXiv's metadata have for a paper, of its address or its name for
// harvesters, and other ids as they are.
func arXivID(id string) string {
	plain, ok := strings.CutPrefix(id, "oai:arXiv.org:")
	if !ok {
		_, plain, ok = strings.Cut(id, "://arxiv.org/abs/")
	}
	if !ok {
		return id
	}
	if i := strings.LastIndexByte(plain, 'v'); i > 0 && i+1 < len(plain) && strings.Trim(plain[i+1:], "0123456789") == "" {
		return plain[:i]
	}
	return plain
}

// arXivMembers makes a record of arXiv's metadata, which are JSON lines, one like others. A record
// that has an abstract and no text has it as the text.
func arXivMembers(members map[string]string) {
	abstract, ok := members["abstract"]
	if _, has := members["text"]; !ok || has {
		return
	}
	delete(members, "abstract")
	members["text"] = abstract
	if members["categories"] == "" || members["update_date"] == "" {
		return
	}
	members["text"], members["title"] = latexText(abstract), latexText(members["title"])
	members["categories"] = strings.Join(strings.Fields(members["categories"]), "; ")
	var names [][]string
	if json.Unmarshal([]byte(members["authors_parsed"]), &names) != nil {
		return
	}
	var authors []string
	for _, n := range names { // family name, first names, suffix, and perhaps an institute
		n = slices.DeleteFunc(n[:min(len(n), 3)], func(s string) bool { return s == "" })
		authors = append(authors, latexText(strings.Join(n, ", ")))
	}
	members["authors"] = strings.Join(authors, "; ")
	delete(members, "authors_parsed")
}
