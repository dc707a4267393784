package io.feedbridge.gateway.check;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A program or site that writes feeds, with the differences of its push from the specifications.
 */
enum Program {
  WORDPRESS(
      "WordPress",
      "Its plugins give it push: one for WebSub (PushPress, or WebSub/PubSubHubbub), one for rssCloud"
          + " (RSSCloud). The cloud calls subscribers by https at port 443 alone, and knows the feed"
          + " by its RSS URL alone. PushPress drops a subscriber at its first error."),
  YOUTUBE(
      "YouTube",
      "It names no hub. Google's hub pushes it, with videos that were removed. The feed answers 404"
          + " or 500 for hours at times: a subscriber waits."),
  BLOGGER(
      "Blogger",
      "Its hub is Google's, which refuses new subscriptions for days at times: the feed is polled"
          + " meanwhile."),
  MEDIUM(
      "Medium",
      "It names its hub by http. The hub is asked by https; without https its deliveries are not"
          + " signed, and each makes the gateway fetch the feed.");

  private final String label;
  private final String expectation;

  Program(String label, String expectation) {
    this.label = label;
    this.expectation = expectation;
  }

  /** The program of a feed that can be read, by its generator, or by its URL. */
  static Optional<Program> of(String url, @Nullable String generator) {
    if (url.matches("https?://(www\\.)?youtube\\.com/feeds/videos\\.xml.*")) {
      return Optional.of(YOUTUBE);
    }
    String name = String.valueOf(generator).toLowerCase(Locale.ROOT);
    return Arrays.stream(values())
        .filter(program -> name.contains(program.label.toLowerCase(Locale.ROOT)))
        .findFirst();
  }

  void note(Findings findings) {
    findings.note("program", Findings.FEED, "The feed is written by " + label + ".", expectation);
  }
}
