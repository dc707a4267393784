package io.feedbridge.normalizer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Lists of feeds: OPML read as a feed, whose entries are the feeds of the list. */
class OpmlListTest {

  private static final Instant NOW = Instant.parse("2026-04-06T22:00:00Z");

  private static final String LIST =
      """
      <?xml version="1.0"?>
      <opml version="2.0" xmlns:source="https://source.scripting.com/">
        <head>
          <title>Friends &amp; others</title>
          <dateModified>Mon, 06 Apr 2026 21:00:00 GMT</dateModified>
          <source:cloud>https://cloud.example/pleaseNotify</source:cloud>
        </head>
        <body>
          <outline text="Sea">
            <outline text="Tides" type="rss" xmlUrl="http://tides.example/rss.xml"
                htmlUrl="http://tides.example/" description="High and low" category="moon,/sea/shore"/>
            <outline text="Waves" XMLURL="waves.xml"/>
          </outline>
          <outline type="include" text="More" url="more.opml"/>
          <outline type="link" text="A page" url="http://page.example/"/>
          <outline text="No feed"/>
        </body>
      </opml>
      """;

  private final Memory memory = new Memory();
  private List<String> listed = List.of();
  private final DiffParser parser = new DiffParser();

  private FeedDiff read(String document) throws FeedParseException {
    EntryMemory all =
        new EntryMemory() {
          @Override
          public Map<String, SeenEntry> seen(Collection<String> ids) {
            return memory.seen(ids);
          }

          @Override
          public Map<String, SeenEntry> formerly(Collection<String> ids) {
            return memory.formerly(ids);
          }

          @Override
          public List<Removal> absent(Set<String> present) {
            return listed.stream()
                .filter(id -> !present.contains(id))
                .map(id -> new Removal(id, NOW))
                .toList();
          }
        };
    FeedDiff diff =
        parser.parse(
            document.getBytes(UTF_8),
            Served.at(URI.create("http://list.example/a/list.opml"), "text/x-opml"),
            all);
    memory.take(diff.diff());
    return diff;
  }

  private static String list(String... urls) {
    StringBuilder outlines = new StringBuilder();
    for (String url : urls) {
      outlines.append("<outline text='").append(url).append("' xmlUrl='").append(url).append("'/>");
    }
    return "<opml version='2.0'><body>" + outlines + "</body></opml>";
  }

  private static List<String> ids(List<Entry> entries) {
    return entries.stream().map(Entry::id).toList();
  }

  @Test
  void each_feed_and_each_included_list_is_an_entry() throws FeedParseException {
    FeedDiff found = read(LIST);

    assertThat(found.family()).isEqualTo(FeedFamily.OPML);
    Feed feed = found.feed();
    assertThat(feed.title()).isEqualTo("Friends & others");
    assertThat(feed.updated()).isEqualTo(Instant.parse("2026-04-06T21:00:00Z"));
    assertThat(feed.hints().sourceCloud()).isEqualTo("https://cloud.example/pleaseNotify");
    assertThat(ids(feed.entries()))
        .containsExactly(
            "http://tides.example/rss.xml",
            "http://list.example/a/waves.xml",
            "http://list.example/a/more.opml");
    Entry tides = feed.entries().get(0);
    assertThat(tides.title()).isEqualTo("Tides");
    assertThat(tides.permalink()).isEqualTo("http://tides.example/");
    assertThat(tides.links()).contains(Link.of(Link.SELF, "http://tides.example/rss.xml", null));
    assertThat(tides.categories()).containsExactly("Sea", "moon", "/sea/shore");
    assertThat(feed.entries().get(2).links())
        .contains(Link.of(Link.INCLUDE, "http://list.example/a/more.opml", null));
  }

  @Test
  void a_feed_that_joins_is_new_and_one_that_leaves_is_removed() throws FeedParseException {
    read(list("http://a.example/", "http://b.example/"));
    listed = List.of("http://a.example/", "http://b.example/");

    EntryDiff.Diff change = read(list("http://b.example/", "http://c.example/")).diff();

    assertThat(ids(change.fresh())).containsExactly("http://c.example/");
    assertThat(change.removed()).containsExactly(new Removal("http://a.example/", NOW));

    listed = List.of("http://b.example/", "http://c.example/");
    EntryDiff.Diff back =
        read(list("http://a.example/", "http://b.example/", "http://c.example/")).diff();
    assertThat(ids(back.fresh())).containsExactly("http://a.example/");
    assertThat(back.removed()).isEmpty();
  }

  @Test
  void a_feed_that_moved_to_https_leaves_and_joins() throws FeedParseException {
    read(list("http://a.example/", "http://b.example/"));
    listed = List.of("http://a.example/", "http://b.example/");

    EntryDiff.Diff change = read(list("https://a.example/", "http://b.example/")).diff();

    assertThat(ids(change.fresh())).containsExactly("https://a.example/");
    assertThat(change.removed()).extracting(Removal::id).containsExactly("http://a.example/");
  }

  @Test
  void a_lone_ampersand_is_no_damage() throws FeedParseException {
    FeedDiff found = read(list("http://a.example/?x=1&y=2"));

    assertThat(ids(found.feed().entries())).containsExactly("http://a.example/?x=1&y=2");
  }

  @Test
  void a_list_that_breaks_off_is_not_read() {
    String whole = list("http://a.example/", "http://b.example/");

    for (int end = whole.indexOf("<outline"); end < whole.length() - 1; end++) {
      String part = whole.substring(0, end);
      assertThatThrownBy(() -> read(part)).as(part).isInstanceOf(FeedParseException.class);
    }
  }

  @Test
  void a_list_without_feeds_is_a_list() throws FeedParseException {
    assertThat(read("<opml version='2.0'><body/></opml>").feed().entries()).isEmpty();
  }
}
