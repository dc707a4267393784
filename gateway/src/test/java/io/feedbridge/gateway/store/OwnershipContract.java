package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Ownership;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkItem;
import java.net.URI;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The owner of a store, whatever the engine. */
@Timeout(300)
public abstract class OwnershipContract {

  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  private Backend backend;

  protected abstract Backend open();

  @BeforeEach
  void openOne() {
    backend = open();
  }

  @AfterEach
  void close() {
    backend.close();
  }

  private Ownership ownership() {
    return backend.store().ownership();
  }

  @Test
  void the_process_that_opened_the_store_owns_it_under_its_name() {
    ownership().announce("one", URI.create("http://127.0.0.1:5341"), "a test").join();

    Ownership.Owner owner = ownership().owner();
    assertThat(owner.node()).isEqualTo("one");
    assertThat(owner.epoch()).isEqualTo(ownership().self().epoch()).isPositive();
    assertThat(owner.since()).isNotNull();
    assertThat(ownership().takeovers(1))
        .containsExactly(new Ownership.Takeover(owner.epoch(), "one", owner.since(), "a test"));
  }

  @Test
  void an_epoch_grows_with_each_start_and_the_name_before_is_forgotten() {
    ownership().announce("one", URI.create("http://127.0.0.1:5341"), "a test").join();
    long before = ownership().owner().epoch();

    backend.restart();

    assertThat(ownership().owner().epoch()).isEqualTo(before + 1);
    assertThat(ownership().self().epoch()).isEqualTo(before + 1);
    assertThat(ownership().owner().node()).isNull();
  }

  @Test
  void work_and_rounds_that_wait_are_what_a_node_is_behind_by() {
    assertThat(ownership().behind()).isZero();
    FollowedFeed feed = backend.store().feeds().follow("https://origin.example/", NOW).join();
    backend.work().add(new WorkItem.Light(feed.id(), Via.PING, NOW)).join();
    assertThat(ownership().behind()).isEqualTo(1);

    backend.store().feeds().record(OutcomeBuilder.of(feed, NOW).event(1).build()).join();
    assertThat(ownership().behind()).isEqualTo(2);
  }
}
