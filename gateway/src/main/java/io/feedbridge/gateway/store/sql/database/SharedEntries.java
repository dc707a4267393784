package io.feedbridge.gateway.store.sql.database;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.normalizer.Entry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The entries of a tracker's event, which are stored once for all trackers, by their ids there.
 *
 * @param fresh the new entries, the newest first
 * @param changed the changed entries, the newest first
 */
public record SharedEntries(List<Long> fresh, List<Long> changed) {

  public SharedEntries {
    fresh = List.copyOf(fresh);
    changed = List.copyOf(changed);
  }

  /** All ids. */
  public List<Long> all() {
    return Stream.of(fresh, changed).flatMap(List::stream).toList();
  }

  /**
   * An update with its entries.
   *
   * @throws StoreException if an entry is missing or damaged
   */
  Update in(Update bare, Connection connection) throws SQLException {
    Map<Long, Entry> entries = read(connection);
    return new Update(
        bare.feed().withEntries(of(fresh, entries)),
        of(changed, entries),
        bare.status(),
        bare.bytesChanged(),
        bare.statusChanged(),
        bare.format());
  }

  private Map<Long, Entry> read(Connection connection) throws SQLException {
    List<Long> ids = all();
    Map<Long, Entry> entries = new HashMap<>();
    try (PreparedStatement query =
        connection.prepareStatement(
            "SELECT id, payload FROM shared_payload WHERE id IN (%s)"
                .formatted(String.join(", ", Collections.nCopies(ids.size(), "?"))))) {
      for (int i = 0; i < ids.size(); i++) {
        query.setLong(i + 1, ids.get(i));
      }
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          entries.put(rows.getLong("id"), Json.read(rows.getBytes("payload"), Entry.class));
        }
      }
    }
    return entries;
  }

  private static List<Entry> of(List<Long> ids, Map<Long, Entry> entries) {
    return ids.stream()
        .map(
            id -> {
              Entry entry = entries.get(id);
              if (entry == null) {
                throw new StoreException(
                    "the shared entry %d of an event is missing".formatted(id));
              }
              return entry;
            })
        .toList();
  }
}
