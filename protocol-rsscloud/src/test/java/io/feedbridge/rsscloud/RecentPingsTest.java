package io.feedbridge.rsscloud;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RecentPingsTest {

  private static final Instant NOW = Instant.parse("2007-01-13T19:08:00Z");

  private static String xml(RecentPings.Weblog... weblogs) {
    return new String(new RecentPings(NOW, 2000001, List.of(weblogs)).toXml(), UTF_8);
  }

  @Test
  void it_is_the_document_of_the_specification() {
    assertThat(
            xml(
                new RecentPings.Weblog(
                    "The RSS Blog",
                    "http://www.kbcafe.com/rss",
                    Optional.empty(),
                    NOW.minusSeconds(119)),
                new RecentPings.Weblog(
                    "iBLOGthere4iM",
                    "http://www.kbcafe.com/iBLOGthere4iM",
                    Optional.of("http://www.kbcafe.com/feed?a=1&b"),
                    NOW.minusSeconds(120))))
        .isEqualTo(
            "<?xml version='1.0' encoding='UTF-8'?>"
                + "<weblogUpdates version=\"2\" updated=\"Sat, 13 Jan 2007 19:08:00 GMT\""
                + " count=\"2000001\">"
                + "<weblog name=\"The RSS Blog\" url=\"http://www.kbcafe.com/rss\" when=\"1\"></weblog>"
                + "<weblog name=\"iBLOGthere4iM\" url=\"http://www.kbcafe.com/iBLOGthere4iM\""
                + " rssUrl=\"http://www.kbcafe.com/feed?a=1&amp;b\" when=\"2\"></weblog>"
                + "</weblogUpdates>");
  }

  @Test
  void names_with_markup_and_what_xml_cannot_write_are_escaped() {
    assertThat(
            xml(new RecentPings.Weblog("<\"&'>\u0000", "http://a.example/", Optional.empty(), NOW)))
        .contains("name=\"&lt;&quot;&amp;'");
  }

  @Test
  void a_clock_that_went_back_gives_no_negative_age() {
    assertThat(
            xml(
                new RecentPings.Weblog(
                    "a", "http://a.example/", Optional.empty(), NOW.plusSeconds(90))))
        .contains("when=\"0\"");
  }
}
