package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkItem;
import io.feedbridge.normalizer.Entry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.StatementContext;
import org.junit.jupiter.api.Test;

/** The statements and the bytes of a ping that brings an entry: they must not creep up. */
public abstract class PingCostContract extends StoreContract {

  private static final int PINGS = 100;

  /** For a ping that is taken and for its outcome: 13, and a share of the commit. */
  private static final int MOST_STATEMENTS = 14;

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

  private void ping(List<FollowedFeed> feeds) {
    together(
        feeds.stream()
            .map(feed -> work().add(new WorkItem.Light(feed.id(), Via.PING, NOW)))
            .toList());
    List<Assignment> all = work().take(feeds.size());
    assertThat(all).hasSize(feeds.size());
    List<CompletableFuture<?>> records = new ArrayList<>();
    for (Assignment one : all) {
      FollowedFeed feed = feeds().byId(one.feedId()).orElseThrow();
      String id = "entry at " + feed.head();
      Entry entry = OutcomeBuilder.entry(id, "x".repeat(1_500));
      records.add(
          feeds()
              .record(
                  OutcomeBuilder.of(feed, NOW)
                      .doing(one)
                      .seen(id)
                      .body("x".repeat(DOCUMENT))
                      .document("A feed")
                      .event(OutcomeBuilder.update(feed.topic(), List.of(entry)))
                      .build()));
      work().giveBack(one);
    }
    together(records);
  }

  private static void together(List<? extends CompletableFuture<?>> writes) {
    done(CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new)));
  }

  @Test
  void a_hundred_pings_at_once_cost_few_statements_and_bytes() throws IOException {
    List<FollowedFeed> feeds = new ArrayList<>();
    for (int i = 0; i < PINGS; i++) {
      feeds.add(feed("feed-" + i));
    }
    ping(feeds);
    restart();
    count();
    long before = logBytes();
    statements.set(0);

    ping(feeds);

    assertThat(statements).as("statements").hasValueLessThanOrEqualTo(MOST_STATEMENTS * PINGS);
    assertThat(logBytes() - before).as("bytes").isBetween(1L, (long) MOST_BYTES * PINGS);
  }
}
