package io.feedbridge.gateway.web.stream;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.delivery.send.News;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.normalizer.SuperfeedrJson;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Events as documents, each rendered once for all readers at the same position. Thread-safe. */
final class Renderings {

  /** Bytes of the renderings that are kept. */
  private static final int KEPT = 16 << 20;

  private static final byte[] NOTHING = {};

  private final Cache<Key, byte[]> kept =
      Caffeine.newBuilder()
          .maximumWeight(KEPT)
          .weigher((Key key, byte[] bytes) -> Key.BYTES + bytes.length)
          .build();

  /** The parts that decide the rendering. */
  private record Key(long seq, Wire wire, boolean updates) {
    static final int BYTES = 64;
  }

  /** An event as a document; empty if it has no news for this kind of reader. */
  byte[] of(Event event, Wire wire, boolean updates) {
    return kept.get(new Key(event.seq(), wire, updates), key -> render(event, wire, updates));
  }

  private static byte[] render(Event event, Wire wire, boolean updates) {
    if (wire == Wire.FIREHOSE) {
      return Firehose.frames(event, updates);
    }
    return News.of(List.of(event), News.Wanted.usual(updates))
        .map(news -> SuperfeedrJson.write(news.feed(), event.update().status()))
        .map(document -> wire.document(event.seq(), withId(event.seq(), document)))
        .orElse(NOTHING);
  }

  /** In front of the schema's own keys: lines have no other place for it. */
  private static byte[] withId(long seq, byte[] document) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(document.length + 32);
    String id = "{\"eventId\":\"%d\"%s".formatted(seq, document[1] == '}' ? "" : ",");
    out.writeBytes(id.getBytes(StandardCharsets.US_ASCII));
    out.write(document, 1, document.length - 1);
    return out.toByteArray();
  }
}
