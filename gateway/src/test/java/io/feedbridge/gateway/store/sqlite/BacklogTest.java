package io.feedbridge.gateway.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.feeds.SqlWork;
import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkItem;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.statement.Query;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Taking work costs the same whatever waits. */
@Timeout(300)
final class BacklogTest {

  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private static final int MANY = 20_000;

  @TempDir Path folder;

  private SqliteDatabase database;
  private Store store;
  private SqlWork work;

  @BeforeEach
  void open() {
    database = SqliteDatabase.open(folder, Runnable::run);
    store = new Store(database);
    work = new SqlWork(database);
  }

  @AfterEach
  void close() {
    database.close();
  }

  private static <T> T done(CompletableFuture<T> write) throws Exception {
    return write.get(30, TimeUnit.SECONDS);
  }

  private void fill(String... statements) throws Exception {
    done(
        database.change(
            (handle, effects) -> {
              for (String statement : statements) {
                handle.execute(statement);
              }
            }));
  }

  /** So many feeds with so many items each. */
  private void waiting(int feeds, int each) throws Exception {
    fill(
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
        INSERT INTO feed (topic, url, kind, state, followed, fetched, advertised)
        SELECT 'topic ' || i, '', 'UNKNOWN', 'NEW', 0, '{}', '{}' FROM n
        """
            .formatted(feeds),
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
        INSERT INTO work (feed_id, kind, via, received_at)
        SELECT feed.id, 'LIGHT', 'PING', 0 FROM n, feed ORDER BY i, feed.id
        """
            .formatted(each),
        "INSERT INTO backlog SELECT feed_id, MIN(id) FROM work GROUP BY feed_id");
  }

  @ParameterizedTest
  @ValueSource(strings = {SqlWork.NEXT_FEEDS, SqlWork.RUNS, SqlWork.CONTENT})
  void no_query_reads_more_than_it_returns(String sql) {
    List<String> plan =
        database.read(
            handle -> {
              Query query = handle.createQuery("EXPLAIN QUERY PLAN " + sql);
              List.of("feeds", "more", "id", "limit").stream()
                  .filter(name -> sql.contains(":" + name))
                  .forEach(name -> query.bind(name, 1));
              return query.map((row, context) -> row.getString("detail")).list();
            });

    // Scans only of the feeds in their order, which the limit ends, and of the feeds that are
    // asked for.
    assertThat(plan)
        .isNotEmpty()
        .noneMatch(step -> step.contains("TEMP B-TREE"))
        .allMatch(
            step ->
                step.matches("SEARCH \\w+ USING .*")
                    || step.matches("(CORRELATED )?SCALAR SUBQUERY \\d")
                    || step.equals("SCAN backlog USING COVERING INDEX backlog_oldest")
                    || Set.of("MATERIALIZE run", "SCAN run", "SCAN j VIRTUAL TABLE INDEX 1:")
                        .contains(step));
  }

  @Test
  void one_feed_with_very_much_work_is_one_assignment_of_a_bounded_run() throws Exception {
    waiting(1, MANY);

    List<Assignment> taken = work.take(16);

    assertThat(taken).hasSize(1);
    assertThat(taken.get(0).items()).hasSizeLessThanOrEqualTo(1_000);
    assertThat(taken.get(0).position().upTo()).isEqualTo(MANY);
  }

  @Test
  void of_very_many_feeds_each_gets_its_turn_in_order() throws Exception {
    waiting(MANY, 1);

    long expected = 1;
    for (int i = 0; i < 100; i++) {
      for (Assignment taken : work.take(16)) {
        assertThat(taken.feedId()).isEqualTo(expected++);
      }
    }
    assertThat(expected).isEqualTo(1_601);
  }

  @Test
  void a_feed_whose_work_goes_on_and_on_holds_up_no_other() throws Exception {
    waiting(1, MANY);
    FollowedFeed late = done(store.feeds().follow("https://late.example/", NOW));
    FollowedFeed later = done(store.feeds().follow("https://later.example/", NOW));
    done(work.add(light(late)));
    done(work.add(light(later)));

    assertThat(work.take(3))
        .extracting(Assignment::feedId)
        .containsExactly(1L, late.id(), later.id());
  }

  private static WorkItem light(FollowedFeed feed) {
    return new WorkItem.Light(feed.id(), Via.PING, NOW);
  }

  @Test
  void what_is_left_of_a_feed_waits_since_it_came() throws Exception {
    FollowedFeed one = done(store.feeds().follow("https://one.example/", NOW));
    FollowedFeed two = done(store.feeds().follow("https://two.example/", NOW));
    done(work.add(light(one)));
    Assignment first = work.take(1).get(0);
    done(work.add(light(two)));
    done(work.add(light(one)));
    done(store.feeds().record(OutcomeBuilder.of(one, NOW).doing(first).build()));
    work.giveBack(first);

    assertThat(work.take(2)).extracting(Assignment::feedId).containsExactly(two.id(), one.id());
  }

  @Test
  void a_feed_without_work_is_not_in_the_backlog() throws Exception {
    FollowedFeed one = done(store.feeds().follow("https://one.example/", NOW));
    done(work.add(light(one)));
    Assignment first = work.take(1).get(0);
    done(store.feeds().record(OutcomeBuilder.of(one, NOW).doing(first).build()));

    long rows =
        database.read(
            handle -> handle.createQuery("SELECT COUNT(*) FROM backlog").mapTo(Long.class).one());
    assertThat(rows).isZero();
  }
}
