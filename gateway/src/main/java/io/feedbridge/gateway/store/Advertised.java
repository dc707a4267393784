package io.feedbridge.gateway.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ways to follow a feed by push that its last full fetch advertised.
 *
 * @param hubs hub URLs in order of discovery
 * @param self the canonical topic to name towards the hubs, if one was advertised
 * @param clouds registration endpoints in order of preference
 */
public record Advertised(List<String> hubs, @Nullable String self, List<Cloud> clouds) {

  /** A feed that advertises nothing. */
  public static final Advertised NOTHING = new Advertised(List.of(), null, List.of());

  public Advertised {
    hubs = List.copyOf(hubs);
    clouds = List.copyOf(clouds);
  }

  /**
   * An rssCloud registration endpoint.
   *
   * @param url the full URL to POST {@code pleaseNotify} to
   * @param protocol the cloud's own protocol, by its name on the wire
   * @param procedure what to call there by {@code xml-rpc} or {@code soap}; absent for the others
   */
  public record Cloud(String url, String protocol, @Nullable String procedure) {

    /** A cloud at which a form is posted. */
    public Cloud(String url, String protocol) {
      this(url, protocol, null);
    }
  }
}
