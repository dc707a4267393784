package io.feedbridge.gateway.store.feeds;

import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The one spelling under which the page of a feed is known. */
public final class PageUrl {

  private PageUrl() {}

  /**
   * Spells the URL of a page like a topic, but without a slash at its end, which publishers forget
   * in their pings.
   *
   * @param url null where there is none
   * @return empty if it is no web URL, or one with a fragment
   */
  public static Optional<String> of(@Nullable String url) {
    if (url == null) {
      return Optional.empty();
    }
    try {
      String normalized = TopicUrl.normalize(url.strip());
      return Optional.of(
          normalized.endsWith("/") ? normalized.substring(0, normalized.length() - 1) : normalized);
    } catch (BadHubRequestException noPage) {
      return Optional.empty();
    }
  }
}
