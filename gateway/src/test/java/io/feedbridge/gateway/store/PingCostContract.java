package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.HeldBack;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkItem;
import io.feedbridge.normalizer.Entry;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.StatementContext;
import org.junit.jupiter.api.Test;

/** The statements and the bytes of a ping that brings an entry: they must not creep up. */
public abstract class PingCostContract extends StoreContract {

  private static final int PINGS = 100;

  /**
   * For pings that share a commit 2, for their outcomes 17, and for each of the four commits a few
   * of its own.
   */
  private static final int MOST_STATEMENTS = 38;

  /** For rounds that open together 2, to close them 3, and as above. */
  private static final int MOST_OF_ROUNDS = 25;

  /**
   * For pings that share a commit 2, to put them off 9, to trim their history 4, and as above;
   * twice that where a busy machine makes two commits.
   */
  private static final int MOST_OF_PUT_OFF = 56;

  /** The entry and its event take 4 KB, and pages with them. */
  private static final int MOST_BYTES = 16 << 10;

  /** Bytes of the document, which has no reader. */
  private static final int DOCUMENT = 175_000;

  private final AtomicInteger statements = new AtomicInteger();

  /** Bytes of the write-ahead log so far. */
  protected abstract long logBytes() throws IOException;

  private void count() {
    done(
        database()
            .change(
                (handle, effects) ->
                    handle
                        .getConfig(SqlStatements.class)
                        .setSqlLogger(
                            new SqlLogger() {
                              @Override
                              public void logAfterExecution(StatementContext context) {
                                statements.incrementAndGet();
                              }
                            })));
  }

  private List<Assignment> added(List<FollowedFeed> feeds) {
    inOneCommit(
        () ->
            feeds.stream()
                .map(feed -> work().add(new WorkItem.Light(feed.id(), Via.PING, NOW)))
                .toList());
    List<Assignment> all = work().take(feeds.size());
    assertThat(all).hasSize(feeds.size());
    return all;
  }

  private void ping(List<FollowedFeed> feeds) {
    List<Assignment> all = added(feeds);
    List<Outcome> outcomes = all.stream().map(this::outcome).toList();
    inOneCommit(() -> outcomes.stream().map(feeds()::record).toList());
    all.forEach(work()::giveBack);
  }

  private Outcome outcome(Assignment one) {
    FollowedFeed feed = feeds().byId(one.feedId()).orElseThrow();
    String id = "entry at " + feed.head();
    Entry entry = OutcomeBuilder.entry(id, "x".repeat(1_500));
    return OutcomeBuilder.of(feed, NOW)
        .doing(one)
        .seen(id)
        .body("x".repeat(DOCUMENT))
        .document("A feed")
        .event(OutcomeBuilder.update(feed.topic(), List.of(entry)))
        .build();
  }

  private List<FollowedFeed> hundred() {
    return IntStream.range(0, PINGS).mapToObj(number -> feed("feed-" + number)).toList();
  }

  @Test
  void a_hundred_rounds_at_once_cost_few_statements() throws IOException {
    List<FollowedFeed> feeds = hundred();
    ping(feeds);
    count();
    statements.set(0);

    List<Round> rounds =
        inOneCommit(() -> feeds.stream().map(feed -> rounds().open(feed.id(), NOW)).toList())
            .stream()
            .map(Optional::orElseThrow)
            .toList();
    inOneCommit(() -> rounds.stream().map(round -> rounds().close(round, List.of())).toList());

    assertThat(statements.get()).as("statements").isBetween(2, MOST_OF_ROUNDS);
    assertThat(rounds().due(0, PINGS)).isEmpty();
  }

  @Test
  void a_hundred_pings_that_are_held_back_at_once_cost_few_statements() {
    List<FollowedFeed> feeds = hundred();
    ping(feeds);
    count();
    statements.set(0);

    List<Assignment> all = added(feeds);
    HeldBack held = new HeldBack("its budget is spent", NOW.plusSeconds(1));
    inOneCommit(
        () -> all.stream().map(one -> feeds().holdBack(one.position(), held, Via.PING)).toList());

    assertThat(statements.get()).as("statements").isBetween(2, MOST_OF_PUT_OFF);
    assertThat(feeds)
        .allMatch(feed -> feeds().heldBack(feed.id()).filter(held::equals).isPresent());
    assertThat(work().waiting()).isZero();
  }

  @Test
  void a_hundred_pings_at_once_cost_few_statements_and_bytes() throws IOException {
    List<FollowedFeed> feeds = hundred();
    ping(feeds);
    restart();
    count();
    long before = logBytes();
    statements.set(0);

    ping(feeds);

    assertThat(statements.get()).as("statements").isBetween(2, MOST_STATEMENTS);
    assertThat(logBytes() - before).as("bytes").isBetween(1L, (long) MOST_BYTES * PINGS);
  }
}
