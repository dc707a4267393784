package io.feedbridge.gateway.store.sql.database;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.StoreException;
import org.jdbi.v3.core.config.JdbiConfig;
import org.jdbi.v3.core.statement.StatementContext;

/**
 * The parts of feeds that were read last, by their text: each step of a ping, and each look for due
 * verifications, reads the row of a feed anew, and parsing its parts costs more than reading it.
 * Goes with each statement of a store. Safe for use by several threads.
 */
public final class FeedParts implements JdbiConfig<FeedParts> {

  /** Characters of the texts that are kept. */
  private static final long MAX_CHARACTERS = 4L << 20;

  private final Cache<Text, Object> read =
      Caffeine.newBuilder()
          .maximumWeight(MAX_CHARACTERS)
          .weigher((Text text, Object part) -> text.json.length())
          .build();

  private record Text(Class<?> type, String json) {}

  static FeedParts of(StatementContext context) {
    return context.getConfig(FeedParts.class);
  }

  /**
   * The value of a text.
   *
   * @param type a class whose objects never change
   * @throws StoreException if it is damaged, or of a newer version
   */
  <T> T read(String json, Class<T> type) {
    return type.cast(read.get(new Text(type, json), text -> Json.read(text.json, type)));
  }

  /** The same object: all statements of a store share the parts. */
  @Override
  public FeedParts createCopy() {
    return this;
  }
}
