package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.store.subscriptions.ChangedSubscriptions;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.sqlite.Function;

/**
 * Notes the subscriptions that the writer's transactions change, by triggers of its connection
 * alone: no code that writes to that table can forget to report it. Changes that are rolled back
 * are noted as well, which does no harm. For the writer's thread.
 */
final class SubscriptionWatch {

  /** Changes that are named one by one. */
  static final int MAX_NAMED = 10_000;

  private static final String NOTE = "note_subscription";

  /**
   * The columns of a {@link io.feedbridge.gateway.store.subscriptions.Subscription}; changes of
   * other columns are not noted.
   */
  private static final String COLUMNS =
      "feed_id, protocol, callback, terms, start, lease_ends_at, errors, readers";

  private final Set<Long> ids = new HashSet<>();
  private boolean any;

  /** Watches the changes over a connection from now on. */
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

  /** The changes noted since the last call; empty if there are none. */
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
