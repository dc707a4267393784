package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class HintsTest {
  private final Hints hints = Fixtures.feed("rss2.xml").hints();

  private static Hints hints(String elements) throws FeedParseException {
    return Fixtures.parse(Fixtures.channel(elements)).hints();
  }

  @Test
  void ttl_is_in_minutes() throws FeedParseException {
    assertThat(hints.ttl()).isEqualTo(Duration.ofMinutes(45));
    assertThat(hints("<ttl>0</ttl>").ttl()).isNull();
    assertThat(hints("<ttl>soon</ttl>").ttl()).isNull();
    assertThat(hints("<ttl>99999999999</ttl>").ttl()).isNull();
  }

  @Test
  void update_period_is_divided_by_the_frequency() throws FeedParseException {
    assertThat(hints.updatePeriod()).isEqualTo(Duration.ofMinutes(30));
    assertThat(hints.updateBase()).isEqualTo(Instant.parse("2026-01-01T00:00:00Z"));
    assertThat(Fixtures.feed("rss1.xml").hints().updatePeriod()).isEqualTo(Duration.ofDays(1));
    assertThat(
            hints(
                    "<s:updatePeriod xmlns:s='http://purl.org/rss/1.0/modules/syndication/'>"
                        + "often</s:updatePeriod>")
                .updatePeriod())
        .isNull();
  }

  @Test
  void an_update_period_is_a_second_at_least() throws FeedParseException {
    String sy = " xmlns:s='http://purl.org/rss/1.0/modules/syndication/'>";
    assertThat(
            hints(
                    "<s:updatePeriod%shourly</s:updatePeriod><s:updateFrequency%s3601</s:updateFrequency>"
                        .formatted(sy, sy))
                .updatePeriod())
        .isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void Atom_has_the_same_hints_as_RSS() throws FeedParseException {
    Hints atom =
        Fixtures.parse(
                "<feed xmlns='http://www.w3.org/2005/Atom'"
                    + " xmlns:sy='http://purl.org/rss/1.0/modules/syndication/'"
                    + " xmlns:source='http://source.scripting.com/'>"
                    + "<link rel='hub' href='/hub'/><link rel='hub' href='https://two.example/'/>"
                    + "<link rel='self' href='/feed'/>"
                    + "<sy:updatePeriod>weekly</sy:updatePeriod>"
                    + "<source:cloud domain='c.example' port='443' path='/p'"
                    + " protocol='https-post'/></feed>")
            .hints();
    assertThat(atom.hubs()).containsExactly("https://harbour.example/hub", "https://two.example/");
    assertThat(atom.self()).isEqualTo("https://harbour.example/feed");
    assertThat(atom.updatePeriod()).isEqualTo(Duration.ofDays(7));
    assertThat(atom.clouds())
        .containsExactly(new Hints.Cloud("c.example", 443, "/p", "", "https-post"));
  }

  @Test
  void hubs_and_self_are_the_documents_links() {
    assertThat(hints.hubs()).containsExactly("https://hub.example/");
    assertThat(hints.self()).isEqualTo("https://harbour.example/rss.xml");
    assertThat(Fixtures.feed("atom.xml").hints().self())
        .isEqualTo("https://atoms.example/blog/feed.atom");
  }

  @Test
  void clouds_are_of_RSS_and_of_the_source_namespace() {
    assertThat(hints.clouds())
        .containsExactly(
            new Hints.Cloud("rpc.example", 5337, "/rsscloud/pleaseNotify", "", "http-post"),
            new Hints.Cloud("two.example", 80, "/notify", "", "https-post"));
  }

  @Test
  void source_cloud_is_a_URL_in_either_of_its_namespaces() throws FeedParseException {
    for (String namespace :
        List.of(
            "http://source.scripting.com/",
            "https://source.scripting.com/",
            "http://source.smallpict.com/2014/07/12",
            "http://source.smallpict.com/2014/07/12.html")) {
      Hints said =
          hints(
              "<cloud domain='c.example' port='80' path='/p' protocol='http-post'/>"
                  + "<s:cloud xmlns:s='"
                  + namespace
                  + "'> https://cloud.example/pleaseNotify </s:cloud>");
      assertThat(said.sourceCloud()).as(namespace).isEqualTo("https://cloud.example/pleaseNotify");
      assertThat(said.clouds()).hasSize(1);
    }
    assertThat(hints("<s:cloud xmlns:s='http://source.scripting.com/'/>").sourceCloud()).isNull();
  }

  /** Each of these makes Rome throw unchecked when it sees it. */
  @Nested
  class RomesTraps {
    @Test
    void skipHours_of_24_is_hour_0() {
      assertThat(hints.skipHours()).containsExactly(0, 3);
    }

    @Test
    void skipHours_of_25_or_empty_or_a_word_are_passed_over() throws FeedParseException {
      assertThat(
              hints(
                      "<skipHours><hour>25</hour><hour/><hour>noon</hour><hour>-1</hour>"
                          + "<hour>7</hour></skipHours>")
                  .skipHours())
          .containsExactly(7);
    }

    @Test
    void skipDays_may_be_short() throws FeedParseException {
      assertThat(hints.skipDays()).containsExactly(DayOfWeek.MONDAY, DayOfWeek.SUNDAY);
      assertThat(hints("<skipDays><day>Someday</day><day/></skipDays>").skipDays()).isEmpty();
    }

    @Test
    void a_cloud_port_that_is_no_number_is_no_port() throws FeedParseException {
      assertThat(hints("<cloud domain='c.example' port='http' path='/p'/>").clouds())
          .containsExactly(new Hints.Cloud("c.example", null, "/p", "", ""));
    }

    @Test
    void an_item_without_a_channel_is_an_entry() throws FeedParseException {
      Feed feed = Fixtures.parse("<rss version='2.0'><item><title>x</title></item></rss>");
      assertThat(feed.entries()).extracting(Entry::title).containsExactly("x");
      assertThat(feed.repairs()).isNotEmpty();
    }

    @Test
    void a_missing_guid_is_not_silently_the_link() {
      Entry third = Fixtures.feed("rss2.xml").entries().get(2);
      assertThat(third.generatedId()).isTrue();
      assertThat(third.id()).isNotEqualTo(third.permalink());
    }

    @Test
    void the_self_link_is_not_the_feeds_link() {
      assertThat(Fixtures.feed("rss2.xml").permalink()).isEqualTo("https://harbour.example/");
    }

    @Test
    void modules_are_read_in_RSS_1_0_too() {
      assertThat(Fixtures.feed("rss1.xml").entries().get(0).content()).isNotNull();
    }
  }
}
