package io.feedbridge.normalizer;

import com.ctc.wstx.stax.WstxInputFactory;
import com.rometools.rome.feed.synd.SyndFeed;
import com.rometools.rome.io.FeedException;
import com.rometools.rome.io.SyndFeedInput;
import com.rometools.rome.io.XmlReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** What a fetch costs beside the least that it could, and beside Rome as it is shipped. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class NormalizerBench {
  @Param({"rss", "atom"})
  public String format;

  @Param("100")
  public int entries;

  private static final Served SERVED =
      Served.at(URI.create("https://harbour.example/feed/"), "application/xml");

  private final XMLInputFactory woodstox = new WstxInputFactory();
  private final FeedParser parser = new FeedParser();
  private final LanguageDetector languages = new LanguageDetector();
  private final DiffParser differ = new DiffParser();
  private final Map<String, SeenEntry> seen = new HashMap<>();
  private byte[] document;
  private byte[] inNoLanguage;
  private byte[] later;
  private byte[] withOneMore;

  @Setup
  public void setUp() throws FeedParseException {
    document = BenchFeeds.document(format, entries, entries, 0);
    inNoLanguage =
        new String(document, StandardCharsets.UTF_8)
            .replace("<language>en-GB</language>", "")
            .replace(" xml:lang=\"en-GB\"", "")
            .getBytes(StandardCharsets.UTF_8);
    later = BenchFeeds.document(format, entries, entries, 1);
    withOneMore = BenchFeeds.document(format, entries, entries + 1, 1);
    woodstox.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    differ
        .parse(document, SERVED, EntryMemory.EMPTY)
        .diff()
        .toRemember()
        .forEach(entry -> seen.put(entry.id(), entry));
  }

  /** The memory, without what keeping it costs. */
  private Map<String, SeenEntry> seen(Collection<String> ids) {
    return seen;
  }

  @Benchmark
  public SyndFeed romeAsShipped() throws FeedException, IOException {
    return new SyndFeedInput().build(new XmlReader(new ByteArrayInputStream(document)));
  }

  @Benchmark
  public byte[] fullToJson() throws FeedParseException {
    Feed feed = languages.complete(parser.parse(document, SERVED));
    return SuperfeedrJson.write(feed, Status.of("f"));
  }

  @Benchmark
  public byte[] fullToJsonInNoLanguage() throws FeedParseException {
    Feed feed = languages.complete(parser.parse(inNoLanguage, SERVED));
    return SuperfeedrJson.write(feed, Status.of("f"));
  }

  @Benchmark
  public void woodstoxScan(Blackhole into) throws XMLStreamException {
    XMLStreamReader reader = woodstox.createXMLStreamReader(new ByteArrayInputStream(document));
    while (reader.hasNext()) {
      switch (reader.next()) {
        case XMLStreamReader.CHARACTERS, XMLStreamReader.CDATA -> into.consume(reader.getText());
        default -> {}
      }
    }
    reader.close();
  }

  @Benchmark
  public FeedDiff nothingNew() throws FeedParseException {
    return differ.parse(later, SERVED, this::seen);
  }

  @Benchmark
  public FeedDiff oneNew() throws FeedParseException {
    return differ.parse(withOneMore, SERVED, this::seen);
  }
}
