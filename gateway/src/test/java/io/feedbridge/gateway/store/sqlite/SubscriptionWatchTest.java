package io.feedbridge.gateway.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.subscriptions.ChangedSubscriptions;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which subscriptions a connection's statements change, whoever makes them. */
class SubscriptionWatchTest {

  private final SubscriptionWatch watch = new SubscriptionWatch();
  private Handle handle;

  @BeforeEach
  void open() {
    handle = Jdbi.create("jdbc:sqlite::memory:").open();
    handle.execute(
        """
        CREATE TABLE subscription (id INTEGER PRIMARY KEY, feed_id, protocol, callback UNIQUE,
          terms, start, lease_ends_at, errors, readers, refresh_at)
        """);
    watch.over(handle);
  }

  @AfterEach
  void close() {
    handle.close();
  }

  private void insert(long from, long upTo) {
    handle.execute(
        """
        WITH RECURSIVE n (id) AS (SELECT ? UNION ALL SELECT id + 1 FROM n WHERE id < ?)
        INSERT INTO subscription (id, callback) SELECT id, 'https://x.example/' || id FROM n
        """,
        from,
        upTo);
  }

  private Set<Long> changed() {
    return watch.take().map(ChangedSubscriptions::ids).orElse(Set.of());
  }

  @Test
  void a_new_one_is_no_change() {
    insert(1, 3);

    assertThat(watch.take()).isEmpty();
  }

  @Test
  void an_update_an_end_and_a_renewal_by_an_insert_are() {
    insert(1, 5);
    handle.execute("UPDATE subscription SET errors = 1 WHERE id IN (2, 3)");
    handle.execute("DELETE FROM subscription WHERE id = 4");
    handle.execute(
        """
        INSERT INTO subscription (callback, terms) VALUES ('https://x.example/5', 'new')
        ON CONFLICT (callback) DO UPDATE SET terms = excluded.terms
        """);

    assertThat(changed()).containsExactlyInAnyOrder(2L, 3L, 4L, 5L);
    assertThat(watch.take()).as("told once").isEmpty();
  }

  @Test
  void what_makes_no_difference_to_deliveries_is_none() {
    insert(1, 1);
    handle.execute("UPDATE subscription SET refresh_at = 7");

    assertThat(watch.take()).isEmpty();
  }

  @Test
  void the_end_of_all_at_once_is_told_too() {
    insert(1, 3);
    handle.execute("DELETE FROM subscription");

    assertThat(changed()).containsExactlyInAnyOrder(1L, 2L, 3L);
  }

  @Test
  void more_than_can_be_named_are_any() {
    insert(1, SubscriptionWatch.MAX_NAMED + 1);
    handle.execute("UPDATE subscription SET errors = 1 WHERE id <= ?", SubscriptionWatch.MAX_NAMED);
    assertThat(changed())
        .isEqualTo(
            LongStream.rangeClosed(1, SubscriptionWatch.MAX_NAMED)
                .boxed()
                .collect(Collectors.toSet()));

    handle.execute("UPDATE subscription SET errors = 2");

    assertThat(watch.take()).contains(new ChangedSubscriptions(Set.of(), true));
  }
}
