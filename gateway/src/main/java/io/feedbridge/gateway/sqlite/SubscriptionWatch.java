package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.ChangedSubscriptions;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.sqlite.Function;

/**
 * Notes which subscriptions the writer's transactions change, by triggers of its connection alone:
 * whoever writes to that table cannot forget to say so. What is rolled back is noted as well, which
 * harms nobody. For the writer's thread.
 */
final class SubscriptionWatch {

  /** Changes that are named one by one. */
  static final int MAX_NAMED = 10_000;

  private static final String NOTE = "note_subscription";

  /** What makes a {@link io.feedbridge.gateway.store.Subscription}; the rest is nobody's news. */
  private static final String COLUMNS =
      "feed_id, protocol, callback, terms, start, lease_ends_at, errors, readers";

  private final Set<Long> ids = new HashSet<>();
  private boolean any;

  /** Watches what is done over a connection from now on. */
  void over(Handle writer) {
    try {
      Function.create(
          writer.getConnection(),
          NOTE,
          new Function() {
            @Override
            protected void xFunc() throws SQLException {
              note(value_long(0));
              result();
            }
          });
    } catch (SQLException e) {
      throw new IllegalStateException("the store's writer takes no function", e);
    }
    trigger(writer, "subscription_changed", "UPDATE OF " + COLUMNS + " ON main.subscription");
    trigger(writer, "subscription_ended", "DELETE ON main.subscription");
  }

  private static void trigger(Handle writer, String name, String event) {
    writer.execute(
        "CREATE TEMP TRIGGER %s AFTER %s BEGIN SELECT %s(old.id); END"
            .formatted(name, event, NOTE));
  }

  private void note(long id) {
    any |= ids.size() >= MAX_NAMED;
    if (!any) {
      ids.add(id);
    }
  }

  /** What was noted since this was asked last; empty if that is nothing. */
  Optional<ChangedSubscriptions> take() {
    if (ids.isEmpty()) {
      return Optional.empty();
    }
    ChangedSubscriptions changed = new ChangedSubscriptions(any ? Set.of() : ids, any);
    ids.clear();
    any = false;
    return Optional.of(changed);
  }
}
