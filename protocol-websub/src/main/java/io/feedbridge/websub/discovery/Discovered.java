package io.feedbridge.websub.discovery;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * The result of a discovery. Every URL is absolute, http or https, has a host, no user information
 * and no fragment.
 *
 * @param hubs in order of appearance, none twice
 * @param self the canonical URL of the topic
 * @param alternates the feeds of a page, in order of appearance
 * @param guard which decides about subscriptions ({@code rel="validate"})
 */
public record Discovered(
    List<URI> hubs, Optional<URI> self, List<FeedAlternate> alternates, Optional<URI> guard) {

  /** Of a topic without a guard. */
  public Discovered(List<URI> hubs, Optional<URI> self, List<FeedAlternate> alternates) {
    this(hubs, self, alternates, Optional.empty());
  }

  public Discovered {
    hubs = List.copyOf(hubs);
    alternates = List.copyOf(alternates);
  }

  /** The topic to subscribe to: {@code self}, or without one the URL that the content came from. */
  public URI topic(URI finalUrl) {
    return self.orElse(finalUrl);
  }
}
