package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class PushOfferTest {
  private static final PushOffer OFFER =
      new PushOffer(
          "https://gate.example/feed.atom",
          List.of("https://gate.example/hub"),
          List.of(new Hints.Cloud("gate.example", 443, "/pleaseNotify", "", "https-post")),
          null);

  @Test
  void of_a_feed_is_what_its_document_offers() {
    PushOffer own = PushOffer.of(Fixtures.feed("rss2.xml"));
    assertThat(own.self()).isEqualTo("https://harbour.example/rss.xml");
    assertThat(own.hubs()).containsExactly("https://hub.example/");
    assertThat(own.clouds()).hasSize(2);
  }

  @Test
  void put_into_a_feed_it_is_all_that_is_offered() throws FeedParseException {
    Feed feed = OFFER.on(Fixtures.feed("rss2.xml"));
    assertThat(PushOffer.of(feed)).isEqualTo(OFFER);
    byte[] atom = SuperfeedrAtom.write(feed, Status.of("f"), Instant.EPOCH);
    Hints hints = Fixtures.parse(new String(atom, StandardCharsets.UTF_8)).hints();
    assertThat(hints.self()).isEqualTo("https://gate.example/feed.atom");
    assertThat(hints.hubs()).containsExactly("https://gate.example/hub");
  }

  @Test
  void leaves_the_rest_of_the_feed_as_it_is() {
    Feed feed = Fixtures.feed("rss2.xml");
    Feed offered = OFFER.on(feed);
    assertThat(offered.entries()).isEqualTo(feed.entries());
    assertThat(offered.permalink()).isEqualTo(feed.permalink());
    assertThat(offered.hints().ttl()).isEqualTo(feed.hints().ttl());
    assertThat(PushOffer.of(feed).on(feed).hints()).isEqualTo(feed.hints());
  }
}
