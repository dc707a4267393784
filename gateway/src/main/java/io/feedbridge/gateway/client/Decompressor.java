package io.feedbridge.gateway.client;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContentDecompressor;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Undoes gzip and deflate in answers to requests that asked for it. It hands on its output piece by
 * piece, so that the bound on the body holds against a decompression bomb.
 */
final class Decompressor extends HttpContentDecompressor {
  static final String ACCEPTED = "gzip, deflate";
  private static final Set<String> CODINGS = Set.of("gzip", "x-gzip", "deflate");
  private static final int NO_BUFFER_LIMIT = 0;

  private boolean active;

  Decompressor() {
    super(false, NO_BUFFER_LIMIT);
  }

  void activate(boolean asked) {
    active = asked;
  }

  @Override
  protected @Nullable EmbeddedChannel newContentDecoder(String contentEncoding) throws Exception {
    boolean known = CODINGS.contains(contentEncoding.toLowerCase(Locale.ROOT));
    return active && known ? super.newContentDecoder(contentEncoding) : null;
  }
}
