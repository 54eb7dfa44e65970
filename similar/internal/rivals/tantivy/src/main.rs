//! Tantivy behind the protocol of rivals: a request a line on standard input, its members parted by
//! tabs, and an answer a line on standard output. protocol.go describes it.

use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};

use tantivy::collector::TopDocs;
use tantivy::query::{
    BooleanQuery, ConstScoreQuery, MoreLikeThisQuery, Occur, PhraseQuery, Query, RegexQuery, TermQuery,
};
use tantivy::schema::{
    Field, IndexRecordOption, OwnedValue, Schema, TextFieldIndexing, TextOptions, Value, STORED, STRING,
};
use tantivy::tokenizer::{
    Language, LowerCaser, SimpleTokenizer, Stemmer, StopWordFilter, TextAnalyzer, TokenStream,
};
use tantivy::{Index, IndexReader, IndexWriter, TantivyDocument, Term};

type Answer<T> = Result<T, Box<dyn Error>>;

const ENGLISH: &str = "english";
const FLAGS: [&str; 3] = ["thousandth", "tenth", "most"];

fn main() -> Answer<()> {
    let mut engine = None;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let request: Vec<&str> = line.split('\t').collect();
        match request[0] {
            "index" => {
                index(request[1], request[2], request[3].parse()?, request[4].parse()?)?;
                answer("0")?;
            }
            "merge" => {
                merge(request[1])?;
                answer("0")?;
            }
            "open" => {
                let start = clock();
                engine = Some(Engine::open(request[1])?);
                answer(&(clock() - start).to_string())?;
            }
            "query" => {
                let engine = engine.as_ref().ok_or("no index is open")?;
                answer(&engine.query(request[1], request[2])?)?;
            }
            other => return Err(format!("request {other}").into()),
        }
    }
    Ok(())
}

fn answer(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// Returns the nanoseconds of processor time of this thread.
fn clock() -> i64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: t is a timespec that lives until the call has returned.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) };
    t.tv_sec * 1_000_000_000 + t.tv_nsec
}

fn analyzer() -> TextAnalyzer {
    TextAnalyzer::builder(SimpleTokenizer::default())
        .filter(LowerCaser)
        .filter(StopWordFilter::new(Language::English).expect("a list of English stop words"))
        .filter(Stemmer::new(Language::English))
        .build()
}

fn schema() -> Schema {
    let mut b = Schema::builder();
    let terms = TextFieldIndexing::default()
        .set_tokenizer(ENGLISH)
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let text = TextOptions::default().set_indexing_options(terms);
    b.add_text_field("id", STRING | STORED);
    b.add_text_field("text", text.set_stored());
    for flag in FLAGS {
        b.add_text_field(flag, STRING);
    }
    b.build()
}

/// Indexes the documents of a file, with a number of threads and megabytes for all of them.
fn index(file: &str, dir: &str, threads: usize, megabytes: usize) -> Answer<()> {
    std::fs::create_dir_all(dir)?;
    let schema = schema();
    let index = Index::create_in_dir(dir, schema.clone())?;
    index.tokenizers().register(ENGLISH, analyzer());
    let mut writer: IndexWriter = index.writer_with_num_threads(threads, megabytes << 20)?;
    let (id, text) = (schema.get_field("id")?, schema.get_field("text")?);
    for line in BufReader::new(File::open(file)?).lines() {
        let line = line?;
        let mut parts = line.splitn(3, '\t');
        let mut member = || parts.next().ok_or("a line without three members");
        let mut d = TantivyDocument::new();
        d.add_text(id, member()?);
        for flag in member()?.split(' ').filter(|f| !f.is_empty()) {
            d.add_text(schema.get_field(flag)?, "yes");
        }
        d.add_text(text, member()?);
        writer.add_document(d)?;
    }
    writer.commit()?;
    writer.wait_merging_threads()?;
    Ok(())
}

fn merge(dir: &str) -> Answer<()> {
    let index = Index::open_in_dir(dir)?;
    index.tokenizers().register(ENGLISH, analyzer());
    let segments = index.searchable_segment_ids()?;
    let mut writer: IndexWriter = index.writer_with_num_threads(1, 64 << 20)?;
    if segments.len() > 1 {
        writer.merge(&segments).wait()?;
    }
    writer.garbage_collect_files().wait()?;
    writer.wait_merging_threads()?;
    Ok(())
}

struct Engine {
    reader: IndexReader,
    schema: Schema,
    id: Field,
    text: Field,
}

impl Engine {
    fn open(dir: &str) -> Answer<Engine> {
        let index = Index::open_in_dir(dir)?;
        index.tokenizers().register(ENGLISH, analyzer());
        let schema = index.schema();
        let (id, text) = (schema.get_field("id")?, schema.get_field("text")?);
        Ok(Engine { reader: index.reader()?, schema, id, text })
    }

    /// Answers with the nanoseconds of processor time and the ids of the ten best documents, which it has read.
    fn query(&self, kind: &str, text: &str) -> Answer<String> {
        let start = clock();
        let searcher = self.reader.searcher();
        let query = self.parse(kind, text)?;
        let hits = searcher.search(&*query, &TopDocs::with_limit(10).order_by_score())?;
        let documents = hits
            .into_iter()
            .map(|(_, address)| searcher.doc(address))
            .collect::<tantivy::Result<Vec<TantivyDocument>>>()?;
        let mut line = (clock() - start).to_string();
        for d in documents {
            line.push('\t');
            line.push_str(d.get_first(self.id).and_then(|v| v.as_str()).unwrap_or(""));
        }
        Ok(line)
    }

    fn parse(&self, kind: &str, text: &str) -> Answer<Box<dyn Query>> {
        Ok(match kind {
            "words" => Box::new(self.words(text, Occur::Should)),
            "and" => Box::new(self.words(text, Occur::Must)),
            "phrase" => match self.terms(text) {
                terms if terms.len() > 1 => Box::new(PhraseQuery::new(terms)),
                _ => Box::new(self.words(text, Occur::Must)), // it panics for a word and stop words
            },
            "prefix" => Box::new(RegexQuery::from_pattern(&format!("{text}.*"), self.text)?),
            "like" => Box::new(
                MoreLikeThisQuery::builder()
                    .with_min_term_frequency(1)
                    .with_document_fields(vec![(self.text, vec![OwnedValue::Str(text.to_string())])]),
            ),
            flag => {
                let flag = Term::from_field_text(self.schema.get_field(flag)?, "yes");
                let flagged = TermQuery::new(flag, IndexRecordOption::Basic);
                Box::new(BooleanQuery::new(vec![
                    (Occur::Must, Box::new(self.words(text, Occur::Should))),
                    (Occur::Must, Box::new(ConstScoreQuery::new(Box::new(flagged), 0.0))),
                ]))
            }
        })
    }

    fn words(&self, text: &str, occur: Occur) -> BooleanQuery {
        let clause = |t| -> (Occur, Box<dyn Query>) {
            (occur, Box::new(TermQuery::new(t, IndexRecordOption::WithFreqs)))
        };
        BooleanQuery::new(self.terms(text).into_iter().map(clause).collect())
    }

    fn terms(&self, text: &str) -> Vec<Term> {
        let mut terms = Vec::new();
        let mut analyzer = analyzer();
        let mut tokens = analyzer.token_stream(text);
        while tokens.advance() {
            terms.push(Term::from_field_text(self.text, &tokens.token().text));
        }
        terms
    }
}
