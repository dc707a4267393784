package io.feedbridge.gateway.realfeeds;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.realfeeds.Documents.Item;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.FeedParseException;
import io.feedbridge.normalizer.FeedParser;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each feed file is served without its newest entry, followed by both protocols, then served whole:
 * what arrives is that entry.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RealFeedsTest {

  /** Names a folder with more files. */
  private static final String CORPUS = "feedbridge.corpus";

  /** What is new in each of our own files, as a person reads it. */
  private static final Map<String, Item> OWN =
      new TreeMap<>(
          Map.of(
              "blog.rss",
              new Item(
                  "https://allotment.example/?p=1873",
                  "Putting the beds to sleep — what I do & why",
                  "https://allotment.example/2026/11/14/beds-to-sleep/"),
              "library.rdf",
              new Item(
                  "https://library.example/record/900412",
                  "Harbour charts of the Baltic, 1871–1904",
                  "https://library.example/record/900412"),
              "releases.atom",
              new Item(
                  "tag:forge.example,2019:Repository/5521/v4.2.0",
                  "v4.2.0: faster <select>, fewer surprises",
                  "https://forge.example/kestrel/kestrel/releases/tag/v4.2.0"),
              "podcast.xml",
              new Item(
                  "b3d1f9c2-0a37-4c58-9f0e-37lowtide",
                  "37: The Glass Eel",
                  "https://lowtide.example/37"),
              "forum.atom",
              new Item(
                  "t3_1xq7ab",
                  "My starter ate the lid 😬 (and it's \"fine\"?)",
                  "https://forum.example/f/breadmaking/comments/1xq7ab/my_starter_ate_the_lid/"),
              "gazette.xml",
              new Item(
                  "",
                  "La marée noire n'était qu'une éclipse",
                  "http://gazette.example/2026/eclipse?id=12&rub=cote")));

  private World world;

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
  }

  @AfterAll
  void stop() {
    world.close();
  }

  @TestFactory
  Stream<DynamicTest> our_own_files() {
    return OWN.entrySet().stream()
        .map(
            file ->
                DynamicTest.dynamicTest(file.getKey(), () -> own(file.getKey(), file.getValue())));
  }

  private void own(String name, Item expected) throws IOException {
    Case own = new Case("own/" + name, FeedText.of(resource("/feeds/" + name)));
    assertThat(own.text.entries()).hasSizeGreaterThanOrEqualTo(3);

    Item item = own.newEntryArrives();

    // Where the file gives no id, one is made; which one is not for a reader to say.
    String id = expected.id().isEmpty() ? item.id() : expected.id();
    assertThat(item).isEqualTo(new Item(id, expected.title(), expected.link()));
  }

  @TestFactory
  Stream<DynamicTest> files_of_the_corpus() throws IOException {
    String folder = System.getProperty(CORPUS, "");
    if (folder.isEmpty()) {
      return Stream.empty();
    }
    List<Path> files;
    try (Stream<Path> walk = Files.walk(Path.of(folder))) {
      files = walk.filter(Files::isRegularFile).sorted().toList();
    }
    assertThat(files).as("files in %s", folder).isNotEmpty();
    List<DynamicTest> tests = new ArrayList<>();
    for (int i = 0; i < files.size(); i++) {
      Path file = files.get(i);
      String path = i + "/" + extension(file);
      tests.add(
          DynamicTest.dynamicTest(
              Path.of(folder).relativize(file).toString(),
              () -> new Case(path, FeedText.of(Files.readAllBytes(file))).isHandled()));
    }
    return tests.stream();
  }

  /** One file on its way through the gateway. */
  private final class Case {

    private final String path;
    private final String type;
    private final FeedText text;
    private final String feed;

    Case(String path, FeedText file) {
      this.path = path;
      type =
          path.endsWith("atom")
              ? "application/atom+xml"
              : path.endsWith("rss") ? "application/rss+xml" : "application/xml";
      text = file.withoutUpstreams();
      feed = world.origin().url(path);
    }

    /** Whatever the file is: what can be done with it is done. */
    void isHandled() throws IOException {
      if (entriesOf(text).isEmpty()) {
        isNoFeed();
      } else if (text.entries().isEmpty()) {
        hasNothingNew();
      } else if (entriesOf(text.without(text.entries().get(0))).isEmpty()) {
        // Without its entry the file is no feed any more, so that nobody can follow it before.
        isRefused(text.without(text.entries().get(0)));
        hasNothingNew();
      } else {
        newEntryArrives();
      }
    }

    /** The newest entry arrives by both protocols, and it alone. */
    Item newEntryArrives() throws IOException {
      FeedText.Range newest = text.entries().get(0);
      FeedText before = text.without(newest);
      serve(before);
      follow();
      serve(text);

      world.publish(feed);

      List<Entry> expected = added(before);
      assertThat(world.subscriber().bodies(path + "-cloud"))
          .containsExactly(Http.encode("url", feed));
      if (expected.isEmpty()) {
        // Another entry has the same id: nothing is new to those who get entries.
        assertNothingSent();
        return new Item("", "", "");
      }
      List<Item> atom = Documents.atom(world.delivery(path + "-atom").body(), feed);
      List<Item> json = Documents.json(world.delivery(path + "-json").body(), feed);
      assertThat(json).isEqualTo(atom);
      assertThat(atom)
          .extracting(Item::id)
          .containsExactlyElementsOf(expected.stream().map(Entry::id).toList());
      Item item = atom.get(0);
      FeedText.Glance glance = text.glance(newest);
      glance.id().ifPresent(id -> assertThat(item.id()).isEqualTo(id));
      glance.title().ifPresent(title -> assertThat(item.title()).isEqualTo(title));
      glance.link().ifPresent(link -> assertThat(item.link()).isEqualTo(link));
      return item;
    }

    /** A feed in which there is nothing to take away: it is followed, and a ping is no news. */
    private void hasNothingNew() throws IOException {
      serve(text);
      follow();

      world.publish(feed);

      assertNothingSent();
      assertThat(world.subscriber().received(path + "-cloud")).isEmpty();
      String query = "SELECT json_extract(fetched, '$.code') FROM feed WHERE topic = '%s'";
      assertThat(world.gateway().rows().query(query.formatted(feed)))
          .allMatch(code -> code.equals("200") || code.equals("304"))
          .hasSize(1);
    }

    /** Aggregators are refused with the reason; to WebSub it is content like any other. */
    private void isNoFeed() {
      isRefused(text);
      world.subscribe(feed, path + "-atom");
      FeedText changed = new FeedText(text.text() + "\n");
      serve(changed);

      world.publish(feed);

      assertThat(world.delivery(path + "-atom").body()).isEqualTo(changed.bytes());
    }

    private void isRefused(FeedText served) {
      serve(served);
      assertThat(world.gateway().pleaseNotify(world.subscriber(), path + "-cloud", feed).body())
          .contains("success=\"false\"", feed + ": is not a feed");
    }

    private void follow() {
      world.subscribe(feed, path + "-atom");
      world.subscribe(feed, path + "-json", "format", "json");
      world.register(feed, path + "-cloud");
    }

    private void serve(FeedText served) {
      world.origin().serve(path, type, served.bytes());
    }

    private void assertNothingSent() {
      assertThat(world.subscriber().received(path + "-atom")).isEmpty();
      assertThat(world.subscriber().received(path + "-json")).isEmpty();
    }

    /** What the whole file has and the one before it has not. */
    private List<Entry> added(FeedText before) {
      Set<String> ids = new HashSet<>();
      entriesOf(before).orElseThrow().forEach(entry -> ids.add(entry.id()));
      return entriesOf(text).orElseThrow().stream()
          .filter(entry -> !ids.contains(entry.id()))
          .toList();
    }

    private Optional<List<Entry>> entriesOf(FeedText of) {
      try {
        return Optional.of(new FeedParser().parse(of.bytes(), type, URI.create(feed)).entries());
      } catch (FeedParseException unreadable) {
        return Optional.empty();
      }
    }
  }

  private static String extension(Path file) {
    String name = file.getFileName().toString();
    return name.substring(name.lastIndexOf('.') + 1);
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream in = RealFeedsTest.class.getResourceAsStream(name)) {
      assertThat(in).as(name).isNotNull();
      return in.readAllBytes();
    }
  }
}
