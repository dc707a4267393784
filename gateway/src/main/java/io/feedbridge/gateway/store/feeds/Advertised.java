package io.feedbridge.gateway.store.feeds;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ways to follow a feed by push that its last full fetch advertised, and its guard.
 *
 * @param hubs hub URLs in order of discovery
 * @param self the canonical topic to name towards the hubs, if one was advertised
 * @param clouds registration endpoints in order of preference
 * @param landed the URL that answered after redirects, by which a cloud may know the feed; absent
 *     where there was no redirect, or there is no cloud
 * @param guard the URL that decides which callbacks may subscribe; absent where the publisher names
 *     none
 */
public record Advertised(
    List<String> hubs,
    @Nullable String self,
    List<Cloud> clouds,
    @Nullable String landed,
    @Nullable String guard) {

  /** Of a feed that was fetched without a redirect. */
  public Advertised(List<String> hubs, @Nullable String self, List<Cloud> clouds) {
    this(hubs, self, clouds, null, null);
  }

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
   * @param procedure the method that a registration calls by {@code xml-rpc} or {@code soap};
   *     absent for other protocols
   */
  public record Cloud(String url, String protocol, @Nullable String procedure) {

    /** A cloud at which a form is posted. */
    public Cloud(String url, String protocol) {
      this(url, protocol, null);
    }
  }
}
