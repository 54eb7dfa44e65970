package source_test

import (
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar/source"
)

const (
	jats = `<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) v1.3//EN" "JATS.dtd">
<article xmlns:xlink="http://www.w3.org/1999/xlink"><front><journal-meta><journal-title-group><journal-title>PLOS Heaps</journal-title></journal-title-group></journal-meta>
<article-meta><article-id pub-id-type="pmid">7</article-id><article-id pub-id-type="doi">10.1/heap</article-id>
<title-group><article-title>Heaps of
 <italic>E. coli</italic></article-title></title-group>
<contrib-group><contrib contrib-type="author"><name><surname>Müller</surname><given-names>Ann B</given-names></name><email>a@b.c</email></contrib>
<contrib contrib-type="editor"><name><surname>Ed</surname></name></contrib><contrib><collab>The Team</collab></contrib></contrib-group>
<pub-date pub-type="epub"><day>1</day><year>2019</year></pub-date><pub-date><year>2020</year></pub-date>
<abstract><title>Abstract</title><p>We sort&nbsp;&#xe9;.</p></abstract><kwd-group><kwd>heap</kwd><kwd>sort</kwd></kwd-group></article-meta></front>
<body><sec><title>Intro</title><p>Water is H<sub>2</sub>O <xref>[1]</xref>.<inline-formula><tex-math>\documentclass{x}</tex-math></inline-formula></p></sec></body>
<back><ref-list><ref>Not this</ref></ref-list></back></article>`
	atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>ArXiv Query</title><id>q</id>
<entry><id>http://arxiv.org/abs/hep-ph/9901001v2</id><title>Diphotons
  at the LHC</title><summary>  We
compute. </summary><author><name>C. Balázs</name></author><author><name>Yuan</name></author><published>1999-01-01T00:00:00Z</published>
<category term="hep-ph"/><category term="math.CO"/></entry>
<entry><title>No id</title><content type="html">&lt;p&gt;one&lt;p&gt;two &amp;amp; three</content></entry></feed>`
	oai = `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>
<record><header><identifier>oai:arXiv.org:0704.0001</identifier></header><metadata><arXiv><id>0704.0001</id><created>2007-04-02</created><authors><author><keyname>Balázs</keyname><forenames>C.</forenames></author><author><keyname>Yuan</keyname></author></authors><title>A title</title><categories>hep-ph math.CO</categories><abstract>Text</abstract></arXiv></metadata></record>
<record><header status="deleted"><identifier>oai:arXiv.org:2</identifier></header></record>
<record><header><identifier>oai:x.org:3</identifier></header><metadata><dc:dc xmlns:dc="d"><dc:title>Dublin</dc:title><dc:creator>N</dc:creator></dc:dc></metadata></record></ListRecords></OAI-PMH>`
	raw = `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords><record><header><identifier>oai:arXiv.org:0704.0002</identifier></header>
<metadata><arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/"><id>0704.0002</id><submitter>P</submitter><version version="v1"><date>Mon, 2 Apr 2007 19:18:42 GMT</date><size>9kb</size></version><version version="v2"><date>Tue, 24 Jul 2007 20:10:27 GMT</date></version>
<title>Calculation of $\gamma$</title><authors>C. Bal\'azs (1, 2), E. L. Berger and C.-P. Yuan ((1) Here and there)</authors><categories>hep-ph math.CO</categories><abstract>  G\"odel
</abstract></arXivRaw></metadata></record></ListRecords></OAI-PMH>`
	rss = `<rss version="2.0" xmlns:dc="d" xmlns:content="c"><channel><title>cs updates</title><description>of arXiv</description><item><title>Heaps</title><link>https://arxiv.org/abs/2401.00001</link>
<description>arXiv:2401.00001v1 &lt;p&gt;Abstract: &lt;b&gt;We&lt;/b&gt; sort &amp;amp; merge</description><guid isPermaLink="false">oai:arXiv.org:2401.00001v1</guid><category>cs.DS</category><category>cs.DC</category>
<pubDate>Mon, 01 Jan 2024 00:00:00 -0500</pubDate><dc:creator>Ann One, Bob Two</dc:creator></item>
<item><link>http://x.org/2</link><content:encoded><![CDATA[<h1>Whole</h1>text]]></content:encoded><pubDate>soon</pubDate></item><item><link>http://x.org/3</link></item></channel></rss>`
	rdf  = `<rdf:RDF xmlns:rdf="r" xmlns="http://purl.org/rss/1.0/" xmlns:dc="d"><channel><title>c</title></channel><item rdf:about="http://x.org/1"><title>One</title><link>http://x.org/1</link><dc:date>2024-01-02</dc:date></item></rdf:RDF>`
	dump = `{"id":"0704.0001","submitter":"P","authors":"C. Bal\\'azs, C.-P. Yuan","title":"Calculation\n  of $\\gamma$","categories":"hep-ph math.CO","abstract":"  A fully\nG\\\"odel","update_date":"2008-11-26","authors_parsed":[["Bal\\'azs","C.",""],["Yuan","C. -P.","Jr"]]}`
)

// TestXML reads articles and listings, and leaves other XML out.
func TestXML(t *testing.T) {
	t.Parallel()
	const no = "not XML that can be read: "
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a.nxml", jats, []string{"a.nxml|Heaps of E. coli|Abstract/We sort é./Intro/Water is H2O [1].|authors=Müller, Ann B; The Team|doi=10.1/heap|journal=PLOS Heaps|keywords=heap; sort|year=2019"}},
		{"wide.xml", utf16le(`<?xml version="1.0" encoding="UTF-16"?><article><body>Löwe</body></article>`), []string{"wide.xml||Löwe"}},
		{"latin.xml", "<?xml version='1.0' encoding='iso-8859-1'?><article><body>caf\xe9</body></article>", []string{"latin.xml||café"}},
		{"feed.xml", atom, []string{"hep-ph/9901001|Diphotons at the LHC|We/compute.|authors=C. Balázs; Yuan|categories=hep-ph; math.CO|published=1999-01-01T00:00:00Z", "feed.xml#2|No id|one/two & three"}},
		{"oai.xml", oai, []string{"0704.0001|A title|Text|authors=Balázs, C.; Yuan|categories=hep-ph; math.CO|created=2007-04-02", "oai:x.org:3|Dublin||authors=N"}},
		{"raw.xml", raw, []string{"0704.0002|Calculation of γ|Gödel|authors=C. Balázs; E. L. Berger; C.-P. Yuan|categories=hep-ph; math.CO|created=2007-04-02T19:18:42Z"}},
		{"news.xml", rss, []string{"2401.00001|Heaps|arXiv:2401.00001v1/Abstract: We sort & merge|authors=Ann One, Bob Two|categories=cs.DS; cs.DC|published=2024-01-01T05:00:00Z|url=https://arxiv.org/abs/2401.00001",
			"http://x.org/2||Whole/text|published=soon|url=http://x.org/2"}},
		{"one.xml", rdf, []string{"http://x.org/1|One||published=2024-01-02|url=http://x.org/1"}},
		{"dump.jsonl", dump, []string{"0704.0001|Calculation of γ|A fully Gödel|authors=Balázs, C.; Yuan, C. -P., Jr|categories=hep-ph; math.CO|submitter=P|update_date=2008-11-26"}},
		{"plain.jsonl", `{"id":"a","abstract":"one\ntwo"}` + "\n" + `{"id":"b","abstract":"one","text":"two"}`, []string{"a||one/two", "b||two|abstract=one"}},
		{"pom.xml", "<project/>", []string{"! pom.xml: not a form that is read"}},
		{"text.xml", "no XML < at all", []string{"! text.xml: not a form that is read"}},
		{"cut.xml", jats[:900], []string{"! cut.xml:9: " + no + "unexpected EOF"}},
		{"half.xml", "<feed><entry><id>a</id><title>b</title></entry>\n<entry></feed>", []string{"a|b|", "! half.xml:2: " + no + "element <entry> closed by </feed>"}},
		{"own.xml", `<!DOCTYPE article [<!ENTITY a "b">]><article><body>&a;</body></article>`, []string{"! own.xml:1: " + no + "invalid character entity &a;"}},
		{"deep.xml", "<article>" + strings.Repeat("<p>", 1000), []string{"! deep.xml:1: " + no + "elements are nested 1001 deep; want at most 1000"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			same(t, collect(source.FS(t.Context(), folder(map[string]string{c.name: c.text}), source.Options{Strict: true})), c.want...)
		})
	}
	fsys := folder(map[string]string{"a.xml": "<project/>", "b.txt": "b"})
	same(t, collect(source.FS(t.Context(), fsys, source.Options{Strict: true})), "! a.xml: not a form that is read", "b.txt||b")
}
