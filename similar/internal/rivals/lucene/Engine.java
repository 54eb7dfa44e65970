import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.index.Term;
import org.apache.lucene.queries.mlt.MoreLikeThis;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MatchNoDocsQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.QueryBuilder;

/**
 * Lucene behind the protocol of rivals: a request a line on standard input, its members parted by
 * tabs, and an answer a line on standard output. protocol.go describes it.
 */
public final class Engine {
  private static final String TEXT = "text";
  private static final Analyzer ANALYZER = new EnglishAnalyzer();
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final String[] END = new String[0];

  private static DirectoryReader reader;
  private static IndexSearcher searcher;

  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] request = line.split("\t", -1);
      switch (request[0]) {
        case "index" -> {
          index(Path.of(request[1]), Path.of(request[2]), Integer.parseInt(request[3]),
              Integer.parseInt(request[4]));
          answer("0");
        }
        case "merge" -> {
          merge(Path.of(request[1]));
          answer("0");
        }
        case "open" -> {
          long start = THREADS.getCurrentThreadCpuTime();
          reader = DirectoryReader.open(FSDirectory.open(Path.of(request[1])));
          searcher = new IndexSearcher(reader);
          answer(Long.toString(THREADS.getCurrentThreadCpuTime() - start));
        }
        case "query" -> answer(query(request[1], request[2]));
        default -> throw new IllegalArgumentException("request " + request[0]);
      }
    }
  }

  private static void answer(String line) {
    System.out.println(line);
    System.out.flush();
  }

  /** Indexes the documents of a file, with a number of threads and a buffer of megabytes. */
  private static void index(Path file, Path dir, int threads, int megabytes) throws Exception {
    IndexWriterConfig config = new IndexWriterConfig(ANALYZER).setRAMBufferSizeMB(megabytes).setUseCompoundFile(false);
    try (IndexWriter writer = new IndexWriter(FSDirectory.open(dir), config)) {
      BlockingQueue<String[]> lines = new LinkedBlockingQueue<>(1024);
      List<Thread> workers = new ArrayList<>();
      List<Throwable> faults = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        Thread worker = new Thread(() -> work(writer, lines, faults));
        worker.start();
        workers.add(worker);
      }
      try (BufferedReader in = Files.newBufferedReader(file)) {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          lines.put(line.split("\t", 3));
        }
      }
      for (Thread worker : workers) {
        lines.put(END);
      }
      for (Thread worker : workers) {
        worker.join();
      }
      if (!faults.isEmpty()) {
        throw new IOException(faults.get(0));
      }
    }
  }

  private static void work(
      IndexWriter writer, BlockingQueue<String[]> lines, List<Throwable> faults) {
    try {
      for (String[] line = lines.take(); line != END; line = lines.take()) {
        Document d = new Document();
        d.add(new StringField("id", line[0], Field.Store.YES));
        for (String field : line[1].split(" ")) {
          d.add(new StringField(field, "yes", Field.Store.NO));
        }
        d.add(new TextField(TEXT, line[2], Field.Store.YES));
        writer.addDocument(d);
      }
    } catch (Throwable t) {
      synchronized (faults) {
        faults.add(t);
      }
      lines.clear();
    }
  }

  private static void merge(Path dir) throws IOException {
    try (IndexWriter writer = new IndexWriter(FSDirectory.open(dir), new IndexWriterConfig(ANALYZER))) {
      writer.forceMerge(1);
    }
  }

  /** Answers with the nanoseconds of processor time and the ids of the ten best documents, which it has read. */
  private static String query(String kind, String text) throws IOException {
    long start = THREADS.getCurrentThreadCpuTime();
    StoredFields stored = searcher.storedFields();
    List<Document> documents = new ArrayList<>();
    for (ScoreDoc hit : searcher.search(parse(kind, text), 10).scoreDocs) {
      documents.add(stored.document(hit.doc));
    }
    StringBuilder b = new StringBuilder();
    b.append(THREADS.getCurrentThreadCpuTime() - start);
    for (Document d : documents) {
      b.append('\t').append(d.get("id"));
    }
    return b.toString();
  }

  private static Query parse(String kind, String text) throws IOException {
    QueryBuilder builder = new QueryBuilder(ANALYZER);
    return switch (kind) {
      case "words" -> orNone(builder.createBooleanQuery(TEXT, text, Occur.SHOULD));
      case "and" -> orNone(builder.createBooleanQuery(TEXT, text, Occur.MUST));
      case "phrase" -> orNone(builder.createPhraseQuery(TEXT, text));
      case "prefix" -> new PrefixQuery(new Term(TEXT, text));
      case "like" -> {
        MoreLikeThis like = new MoreLikeThis(reader);
        like.setAnalyzer(ANALYZER);
        like.setFieldNames(new String[] {TEXT});
        like.setMinTermFreq(1);
        yield like.like(TEXT, new StringReader(text));
      }
      default -> new BooleanQuery.Builder()
          .add(orNone(builder.createBooleanQuery(TEXT, text, Occur.SHOULD)), Occur.MUST)
          .add(new TermQuery(new Term(kind, "yes")), Occur.FILTER)
          .build();
    };
  }

  /** A text of stop words alone is no query, and finds nothing. */
  private static Query orNone(Query query) {
    return query == null ? new MatchNoDocsQuery() : query;
  }
}
