package io.feedbridge.gateway.client.address;

import org.jspecify.annotations.Nullable;

/**
 * Where a call goes: an absolute http or https URL. Its path and query go out byte for byte, except
 * that a space or a character outside ASCII is percent-encoded, which HTTP requires; a fragment is
 * not sent. It is taken apart at the first call, however many there are. Thread-safe.
 */
public final class Destination {
  private final String url;
  private final String shown;
  private volatile @Nullable Target target;

  /** Of any text: only a call to it fails if it is no URL. */
  public Destination(String url) {
    this(url, url);
  }

  /**
   * Of a URL that has a secret.
   *
   * @param shown the URL as it is on record
   */
  public Destination(String url, String shown) {
    this.url = url;
    this.shown = shown;
  }

  /** The URL without a secret, for records and messages. */
  public String shown() {
    return shown;
  }

  public String url() {
    return url;
  }

  public Target target(Target.Authorities known) throws CallException {
    Target parsed = target;
    if (parsed == null) {
      parsed = Target.parse(url, known);
      target = parsed;
    }
    return parsed;
  }

  @Override
  public String toString() {
    return shown;
  }
}
