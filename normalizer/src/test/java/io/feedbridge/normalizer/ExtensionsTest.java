package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What consumers of podcasts, pictures and papers look for, in all four outputs. */
class ExtensionsTest {
  private static final String PODCAST =
      """
      <rss version='2.0' xmlns:i='http://www.itunes.com/dtds/podcast-1.0.dtd'
          xmlns:podcast='https://podcastindex.org/namespace/1.0'
          xmlns:psc='http://podlove.org/simple-chapters'
          xmlns:slash='http://purl.org/rss/1.0/modules/slash/'
          xmlns:thr='http://purl.org/syndication/thread/1.0'
          xmlns:prism='http://prismstandard.org/namespaces/basic/2.0/'
          xmlns:dc='http://purl.org/dc/elements/1.1/'
          xmlns:webfeeds='http://webfeeds.org/rss/1.0'
          xmlns:feedburner='http://rssnamespace.org/feedburner/ext/1.0'>
      <channel><title>Show</title><link>https://show.example/</link>
      <copyright>All of us</copyright><generator>Hand 1.0</generator>
      <i:type>serial</i:type><i:explicit>clean</i:explicit><i:author>The Show</i:author>
      <i:image href='/cover.jpg'/>
      <i:owner><i:name>Olga Owner</i:name><i:email>olga@show.example</i:email></i:owner>
      <podcast:guid>917393e3-1b1e-5cef-ace4-edaa54e1f810</podcast:guid>
      <podcast:funding url='/give'>Give</podcast:funding>
      <podcast:value type='lightning' method='keysend'>
        <podcast:valueRecipient name='Olga' split='90'/>
        <podcast:valueRecipient name='App' split='10'/>
      </podcast:value>
      <webfeeds:icon>https://show.example/icon.svg</webfeeds:icon>
      <item><guid isPermaLink='false'>e7</guid><title>Seven</title>
      <enclosure url='https://show.example/7.mp3' type='audio/mpeg' length='99'/>
      <i:duration>1:02:03</i:duration><i:season>2</i:season><i:episode>7</i:episode>
      <i:episodeType>full</i:episodeType><i:explicit>yes</i:explicit>
      <i:subtitle>The one about seven</i:subtitle>
      <podcast:transcript url='7.vtt' type='text/vtt'/>
      <podcast:transcript url='7.srt' type='application/srt'/>
      <podcast:chapters url='7.json' type='application/json+chapters'/>
      <podcast:person role='guest' href='/gus' img='gus.jpg'>Gus Guest</podcast:person>
      <podcast:soundbite startTime='73.0' duration='60.5'>Nice</podcast:soundbite>
      <podcast:location geo='geo:30.2672,97.7431' osm='R113314'>Austin, TX</podcast:location>
      <podcast:alternateEnclosure type='audio/opus' bitrate='64000'>
        <podcast:source uri='7.opus'/></podcast:alternateEnclosure>
      <psc:chapters version='1.2'><psc:chapter start='00:00:00.000' title='Hello'/>
        <psc:chapter start='00:10:30.500' title='Middle' href='/middle'/></psc:chapters>
      <slash:comments>4</slash:comments><thr:total>5</thr:total>
      <prism:doi>10.1000/7</prism:doi><dc:identifier>doi:10.1000/7</dc:identifier>
      <dc:publisher>Print House</dc:publisher><dc:rights>Ours</dc:rights>
      <dc:contributor>Carl Contributor</dc:contributor>
      <category domain='https://tags.example/'>numbers</category>
      <feedburner:origLink>https://show.example/original</feedburner:origLink>
      </item></channel></rss>
      """;

  private static final String PICTURES =
      """
      <feed xmlns='http://www.w3.org/2005/Atom' xmlns:media='http://www.rssboard.org/media-rss'
          xmlns:thr='http://purl.org/syndication/thread/1.0'>
      <id>urn:f</id><title>Pictures</title>
      <rights>Free</rights><generator uri='/gen' version='2'>Gen</generator>
      <contributor><name>Cara</name></contributor>
      <entry><id>urn:e</id><title>One</title>
      <link rel='replies' href='/c' hreflang='de' thr:count='3'/>
      <category term='art' scheme='https://s.example/' label='The Arts'/>
      <contributor><name>Carla</name><uri>/carla</uri></contributor>
      <media:content url='/a.png' type='image/png' fileSize='9' width='640' height='480'
          medium='image' duration='1:30'>
        <media:description type='plain'>A red door</media:description>
        <media:rating scheme='urn:simple'>nonadult</media:rating>
        <media:credit role='photographer'>Paula</media:credit>
        <media:thumbnail url='/t.png' width='64' height='48'/>
      </media:content>
      <media:group><media:community><media:starRating count='10' average='4.5'/>
        <media:statistics views='100' favorites='2'/></media:community>
        <media:title>Group</media:title></media:group>
      </entry></feed>
      """;

  private static JsonNode json(Feed feed) throws IOException {
    return new ObjectMapper().readTree(SuperfeedrJson.write(feed, Status.of("urn:s")));
  }

  private static Feed again(byte[] document) throws FeedParseException {
    return Fixtures.parse(new String(document, StandardCharsets.UTF_8));
  }

  private static List<Extension> sorted(List<Extension> extensions) {
    return extensions.stream().sorted((a, b) -> a.toString().compareTo(b.toString())).toList();
  }

  @Test
  void an_episode_has_its_values_in_JSON_under_the_namespaces_prefixes() throws Exception {
    JsonNode item = json(Fixtures.parse(PODCAST)).at("/items/0");
    assertThat(item.get("itunes"))
        .hasToString(
            "{\"duration\":3723,\"season\":2,\"episode\":7,\"episodeType\":\"full\","
                + "\"explicit\":true,\"subtitle\":\"The one about seven\"}");
    assertThat(item.at("/podcast/transcript"))
        .hasToString(
            "[{\"url\":\"https://harbour.example/feeds/7.vtt\",\"type\":\"text/vtt\"},"
                + "{\"url\":\"https://harbour.example/feeds/7.srt\",\"type\":\"application/srt\"}]");
    assertThat(item.at("/podcast/chapters/url").asText()).endsWith("/feeds/7.json");
    assertThat(item.at("/podcast/person/0"))
        .hasToString(
            "{\"role\":\"guest\",\"href\":\"https://harbour.example/gus\","
                + "\"img\":\"https://harbour.example/feeds/gus.jpg\",\"text\":\"Gus Guest\"}");
    assertThat(item.at("/podcast/soundbite/0"))
        .hasToString("{\"startTime\":73.0,\"duration\":60.5,\"text\":\"Nice\"}");
    assertThat(item.at("/podcast/location/0/osm").asText()).isEqualTo("R113314");
    assertThat(item.at("/podcast/alternateEnclosure/0"))
        .hasToString(
            "{\"type\":\"audio/opus\",\"bitrate\":64000,"
                + "\"source\":[{\"uri\":\"https://harbour.example/feeds/7.opus\"}]}");
    assertThat(item.at("/psc/chapters/chapter"))
        .hasToString(
            "[{\"start\":0.0,\"title\":\"Hello\"},{\"start\":630.5,\"title\":\"Middle\","
                + "\"href\":\"https://harbour.example/middle\"}]");
    assertThat(item.at("/slash/comments").asInt()).isEqualTo(4);
    assertThat(item.at("/thr/total").asInt()).isEqualTo(5);
    assertThat(item.at("/prism/doi").asText()).isEqualTo("10.1000/7");
    assertThat(item.at("/dc/identifier")).hasToString("[\"doi:10.1000/7\"]");
    assertThat(item.at("/dc/publisher")).hasToString("[\"Print House\"]");
    assertThat(item.at("/rights").asText()).isEqualTo("Ours");
    assertThat(item.at("/contributors/0/displayName").asText()).isEqualTo("Carl Contributor");
    assertThat(item.at("/categoryDetails"))
        .hasToString("[{\"term\":\"numbers\",\"scheme\":\"https://tags.example/\"}]");
    assertThat(item.at("/standardLinks/canonical/0/href").asText())
        .isEqualTo("https://show.example/original");
  }

  @Test
  void a_podcast_has_its_values_in_JSON() throws Exception {
    JsonNode feed = json(Fixtures.parse(PODCAST));
    assertThat(feed.get("itunes"))
        .hasToString(
            "{\"type\":\"serial\",\"explicit\":false,"
                + "\"image\":\"https://harbour.example/cover.jpg\","
                + "\"owner\":{\"name\":\"Olga Owner\",\"email\":\"olga@show.example\"}}");
    assertThat(feed.at("/podcast/guid").asText()).startsWith("917393e3");
    assertThat(feed.at("/podcast/funding/0/url").asText())
        .isEqualTo("https://harbour.example/give");
    assertThat(feed.at("/podcast/value/valueRecipient/1/split").asInt()).isEqualTo(10);
    assertThat(feed.at("/webfeeds/icon").asText()).isEqualTo("https://show.example/icon.svg");
    assertThat(feed.at("/rights").asText()).isEqualTo("All of us");
    assertThat(feed.at("/generator")).hasToString("{\"text\":\"Hand 1.0\"}");
  }

  @Test
  void a_picture_has_its_size_its_description_and_its_credits_at_the_link() throws Exception {
    JsonNode feed = json(Fixtures.parse(PICTURES));
    JsonNode item = feed.at("/items/0");
    assertThat(item.at("/standardLinks/enclosure/0"))
        .hasToString(
            "{\"rel\":\"enclosure\",\"href\":\"https://harbour.example/a.png\","
                + "\"type\":\"image/png\",\"length\":9,\"width\":640,\"height\":480,"
                + "\"medium\":\"image\",\"duration\":90,\"description\":\"A red door\","
                + "\"rating\":[{\"scheme\":\"urn:simple\",\"text\":\"nonadult\"}],"
                + "\"credit\":[{\"role\":\"photographer\",\"text\":\"Paula\"}]}");
    assertThat(item.at("/standardLinks/picture/0/width").asInt()).isEqualTo(64);
    assertThat(item.at("/standardLinks/replies/0"))
        .hasToString(
            "{\"rel\":\"replies\",\"href\":\"https://harbour.example/c\","
                + "\"hreflang\":\"de\",\"count\":3}");
    assertThat(item.at("/media/community"))
        .hasToString(
            "{\"starRating\":{\"count\":10,\"average\":4.5},"
                + "\"statistics\":{\"views\":100,\"favorites\":2}}");
    assertThat(item.at("/media/title").asText()).isEqualTo("Group");
    assertThat(item.at("/categoryDetails/0/label").asText()).isEqualTo("The Arts");
    assertThat(item.at("/contributors/0/permalinkUrl").asText())
        .isEqualTo("https://harbour.example/carla");
    assertThat(feed.at("/contributors/0/displayName").asText()).isEqualTo("Cara");
    assertThat(feed.at("/generator"))
        .hasToString(
            "{\"uri\":\"https://harbour.example/gen\",\"version\":\"2\",\"text\":\"Gen\"}");
  }

  @ParameterizedTest
  @ValueSource(strings = {PODCAST, PICTURES})
  void atom_gives_back_every_extension_and_is_valid(String document) throws Exception {
    Feed feed = Fixtures.parse(document);
    byte[] atom = SuperfeedrAtom.write(feed, Status.of("urn:s"), Instant.EPOCH);
    Feed again = again(atom);
    assertThat(again.repairs()).isEmpty();
    assertThat(sorted(again.extensions())).isEqualTo(sorted(feed.extensions()));
    assertThat(again.contributors()).isEqualTo(feed.contributors());
    Entry entry = feed.entries().get(0);
    Entry read = again.entries().get(0);
    assertThat(read.links()).isEqualTo(entry.links());
    assertThat(read.contributors()).isEqualTo(entry.contributors());
    assertThat(sorted(read.extensions())).containsAll(sorted(entry.extensions()));
    assertThat(read.categories()).isEqualTo(entry.categories());
    assertThat(ValidityTest.grammarErrors(atom)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {PODCAST, PICTURES})
  void RSS_gives_back_every_extension_of_an_entry(String document) throws Exception {
    Entry entry = Fixtures.parse(document).entries().get(0);
    Feed feed = Fixtures.parse(document);
    Entry read = again(RssWriter.write(feed, PushOffer.of(feed))).entries().get(0);
    assertThat(read.contributors()).isEqualTo(entry.contributors());
    assertThat(sorted(read.extensions()).stream().map(Extension::name).distinct())
        .containsAll(entry.extensions().stream().map(Extension::name).toList());
    for (Link link : entry.links()) {
      assertThat(read.links()).anyMatch(one -> Objects.equals(one.details(), link.details()));
    }
  }

  @Test
  void JSON_Feed_has_the_duration_of_an_attachment_and_the_rest_in_an_extension() throws Exception {
    Feed feed = Fixtures.parse(PODCAST);
    JsonNode json = new ObjectMapper().readTree(JsonFeedWriter.write(feed, PushOffer.NONE));
    assertThat(json.at("/items/0/attachments/0/duration_in_seconds").asInt()).isEqualTo(3723);
    assertThat(json.at("/items/0/_feedbridge/itunes/season").asInt()).isEqualTo(2);
    assertThat(json.at("/_feedbridge/podcast/guid").asText()).startsWith("917393e3");
    assertThat(Fixtures.parse(json.toString()).entries().get(0).links().get(0).details())
        .isEqualTo(
            new Extension("media:content", java.util.Map.of("duration", "3723"), null, List.of()));
  }

  @Test
  void extensions_of_JSON_Feed_stay_what_they_are() throws Exception {
    Feed feed =
        Fixtures.parse(
            "{\"version\":\"https://jsonfeed.org/version/1.1\",\"_a\":{\"b\":[1,null]},"
                + "\"items\":[{\"id\":\"urn:1\",\"_c\":\"d\",\"_feedbridge\":{\"x\":1}}]}");
    JsonNode schema = json(feed);
    JsonNode written = new ObjectMapper().readTree(JsonFeedWriter.write(feed, PushOffer.NONE));
    for (JsonNode root : List.of(schema, written)) {
      assertThat(root.get("_a")).hasToString("{\"b\":[1,null]}");
      assertThat(root.at("/items/0/_c").asText()).isEqualTo("d");
      assertThat(root.at("/items/0/_feedbridge").isMissingNode()).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "3600,3600",
    "61:01,3661",
    "1:00:00,3600",
    "90.5,90.5",
    "00:01:02.5,62.5",
    "about an hour,",
    "'',",
    "1:2:3:4,",
    "99999999999999999999,"
  })
  void a_duration_is_seconds_or_left_out(String written, String seconds) {
    assertThat(ExtensionJson.seconds(written))
        .isEqualTo(seconds == null ? null : new java.math.BigDecimal(seconds));
  }

  @Test
  void what_is_no_number_or_flag_is_left_out_and_not_written_as_text() throws Exception {
    Feed feed =
        Fixtures.parse(
            Fixtures.item(
                "<itunes:duration>long</itunes:duration><itunes:season>one</itunes:season>"
                    + "<itunes:explicit>maybe</itunes:explicit><itunes:title>t</itunes:title>"));
    assertThat(json(feed).at("/items/0/itunes")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://search.yahoo.com/mrss/",
        "http://search.yahoo.com/mrss",
        "https://search.yahoo.com/mrss/",
        "http://www.rssboard.org/media-rss",
        "http://rssboard.org/media-rss/",
        "http://www.search.yahoo.com/MRSS/"
      })
  void media_RSS_is_read_in_every_spelling_of_its_namespace(String namespace)
      throws FeedParseException {
    Feed feed =
        Fixtures.parse(
            "<rss xmlns:m='"
                + namespace
                + "'><channel><item><m:content url='http://x.example/a' width='1'/></item>"
                + "</channel></rss>");
    assertThat(feed.entries().get(0).links()).extracting(Link::rel).containsExactly("enclosure");
  }

  @ParameterizedTest
  @CsvSource({
    "http://www.itunes.com/DTDs/PodCast-1.0.dtd,ITUNES",
    "https://www.itunes.com/dtds/podcast-1.0.dtd/,ITUNES",
    "http://itunes.com/dtds/podcast-1.0.dtd,ITUNES",
    "http://georss.org/georss,GEORSS",
    "http://www.georss.org/georss/10/,GEORSS",
    "http://www.opengis.net/gml/3.2,GML",
    "http://purl.org/dc/elements/1.1,DC",
    "https://purl.org/rss/1.0/modules/content,CONTENT",
    "http://purl.org/atom-blog/ns#,ATOM_03",
    "http://purl.org/pie/,ATOM_03",
    "http://example.com/necho,ATOM_03",
    "https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md,PODCAST",
    "http://podcastindex.org/namespace/1.0/,PODCAST",
    "http://prismstandard.org/namespaces/1.2/basic/,PRISM",
    "http://www.w3.org/2005/Atom/,ATOM",
    "http://w3.org/1999/xhtml,XHTML",
    "http://elsewhere.example/,OTHER"
  })
  void a_namespace_is_known_in_its_other_spellings(String uri, Vocabulary vocabulary) {
    assertThat(Vocabulary.of(uri)).isEqualTo(vocabulary);
  }

  @Test
  void extensions_do_not_make_a_known_entry_look_changed() throws FeedParseException {
    Entry entry = Fixtures.parse(PODCAST).entries().get(0);
    Entry without =
        Fixtures.parse(
                PODCAST.replaceAll(
                    "(?s)<(i|podcast|psc|slash|thr|prism|feedburner):.*?/\\1:\\w+>", ""))
            .entries()
            .get(0);
    assertThat(without.extensions()).hasSizeLessThan(entry.extensions().size());
    assertThat(Fingerprint.of(entry)).isEqualTo(Fingerprint.of(without));
  }

  @Test
  void the_log_has_nothing_of_what_a_feed_lacks() throws FeedParseException {
    Feed feed = Fixtures.parse(Fixtures.item("<guid>1</guid><title>t</title>"));
    assertThat(new String(new FeedCodec().encode(feed), StandardCharsets.UTF_8))
        .doesNotContain("extensions", "contributors", "targets", "details", "base");
  }
}
