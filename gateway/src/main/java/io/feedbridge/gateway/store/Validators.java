package io.feedbridge.gateway.store;

import org.jspecify.annotations.Nullable;

/**
 * What makes the next fetch of a feed conditional.
 *
 * @param etag the origin's {@code ETag}, byte for byte
 * @param lastModified the origin's {@code Last-Modified}, byte for byte
 * @param bodyHash SHA-256 in hex of the newest bytes
 */
public record Validators(
    @Nullable String etag, @Nullable String lastModified, @Nullable String bodyHash) {

  /** Of a feed that was never fetched. */
  public static final Validators NONE = new Validators(null, null, null);
}
