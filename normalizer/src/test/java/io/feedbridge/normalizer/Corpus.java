package io.feedbridge.normalizer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Feeds from elsewhere: all files below the folder that the property {@code feedbridge.corpus}
 * names; none without it. Those that are no feeds, or beyond repair, are passed over.
 */
final class Corpus {
  // Before the documents: they are read against it.
  static final URI BASE = URI.create("https://corpus.example/feeds/feed.xml");

  private static final List<Document> WITH_FIXTURES = read();

  private Corpus() {}

  /** One document and the feed in it; compared by nobody. */
  @SuppressWarnings("ArrayRecordComponent")
  record Document(String name, byte[] bytes, Feed feed) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Document> documents() {
    String folder = System.getProperty("feedbridge.corpus", "");
    List<Document> documents = new ArrayList<>();
    if (!folder.isBlank()) {
      try (Stream<Path> files = Files.walk(Path.of(folder))) {
        for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
          Document document = document(file);
          if (document != null) {
            documents.add(document);
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return documents;
  }

  /** The fixtures and, where there is one, the corpus. */
  static List<Document> withFixtures() {
    return WITH_FIXTURES;
  }

  private static List<Document> read() {
    List<Document> documents = new ArrayList<>();
    for (String name : Fixtures.ALL) {
      documents.add(new Document(name, Fixtures.bytes(name), Fixtures.feed(name)));
    }
    documents.addAll(documents());
    return List.copyOf(documents);
  }

  private static @Nullable Document document(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    try {
      return new Document(file.toString(), bytes, parse(bytes));
    } catch (FeedParseException noFeed) {
      return null;
    }
  }

  static Feed parse(byte[] bytes) throws FeedParseException {
    return new FeedParser().parse(bytes, null, BASE);
  }
}
