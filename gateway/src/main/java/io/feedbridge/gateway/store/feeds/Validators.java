package io.feedbridge.gateway.store.feeds;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The values that make the next fetch of a feed conditional.
 *
 * @param etag the origin's {@code ETag}, byte for byte
 * @param lastModified the origin's {@code Last-Modified}, byte for byte
 * @param bodyHash SHA-256 in hex of the newest bytes
 * @param url the URL that gave the {@code ETag} and the date, after redirects; absent where neither
 *     is known, and in stores of earlier versions
 */
public record Validators(
    @Nullable String etag,
    @Nullable String lastModified,
    @Nullable String bodyHash,
    @Nullable String url) {

  /** Validators that an unknown URL gave. */
  public Validators(
      @Nullable String etag, @Nullable String lastModified, @Nullable String bodyHash) {
    this(etag, lastModified, bodyHash, null);
  }

  /** Whether an origin that answers "not modified" to one would answer so to the other. */
  public boolean isTaggedAs(Validators other) {
    return Objects.equals(etag, other.etag) && Objects.equals(lastModified, other.lastModified);
  }

  /** Of a feed that was never fetched. */
  public static final Validators NONE = new Validators(null, null, null);
}
