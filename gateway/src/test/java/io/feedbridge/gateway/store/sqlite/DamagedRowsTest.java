package io.feedbridge.gateway.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.Backend;
import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.StoreContract;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.sql.database.DueRows;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Subscriptions;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions;
import io.feedbridge.gateway.testing.StoredRows;
import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkItem;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One row that cannot be read stops no other. */
final class DamagedRowsTest extends StoreContract {

  private static final Instant LATER = NOW.plus(Duration.ofHours(1));

  @TempDir Path folder;

  @Override
  protected Backend open() {
    return new SqliteBackend(folder);
  }

  // The update is a constant of each test.
  @SuppressWarnings("AnnotateFormatMethod")
  private void damage(String update, Object... values) {
    StoredRows.change(folder, update.formatted(values));
  }

  private long damagedRows() {
    return store().database().damagedRows();
  }

  private static List<Long> ids(List<FollowedFeed> feeds) {
    return feeds.stream().map(FollowedFeed::id).toList();
  }

  private FollowedFeed due(String name) {
    FollowedFeed feed = feed(name);
    done(feeds().record(OutcomeBuilder.of(feed, NOW).nextFetchAt(NOW).build()));
    return reread(feed);
  }

  @Test
  void a_page_of_the_log_ends_before_a_damaged_event_and_the_next_begins_behind_it() {
    FollowedFeed feed = feed("a");
    long first = append(feed, 1);
    long second = append(feed, 1);
    long third = append(feed, 1);

    damage("UPDATE event SET payload = x'7B' WHERE seq = %d", second);

    Log.Page before = log().read(0, Long.MAX_VALUE, Log.Scope.ALL);
    assertThat(before.events()).extracting(Event::seq).containsExactly(first);
    assertThat(before.to()).isEqualTo(first);
    assertThat(before.bytes()).isPositive();
    assertThat(log().read(first, Long.MAX_VALUE, Log.Scope.ALL))
        .isEqualTo(new Log.Page(second, List.of(), second, 0, true));
    assertThat(log().read(second, Long.MAX_VALUE, Log.Scope.ALL).events())
        .extracting(Event::seq)
        .containsExactly(third);
    assertThat(log().read(first, Long.MAX_VALUE, new Log.Scope.Some(Set.of(feed.id()))).after())
        .isEqualTo(second);
    assertThat(damagedRows()).isOne();
  }

  @Test
  void a_damaged_feed_is_put_off_and_the_others_are_polled() {
    FollowedFeed damaged = due("a");
    FollowedFeed whole = due("b");
    damage("UPDATE feed SET pace = '{\"shown\":' WHERE id = %d", damaged.id());

    assertThat(ids(feeds().due(LATER, 10))).containsExactly(whole.id());

    done(feeds().asked(whole, LATER.plus(Duration.ofDays(2))));
    assertThat(feeds().due(LATER, 10)).isEmpty();
    assertThat(feeds().nextDue()).contains(LATER.plus(DueRows.PUT_OFF));
    assertThat(ids(feeds().followed(0, 10))).containsExactly(whole.id());
    assertThat(damagedRows()).isOne();
  }

  private UpstreamSubscription following(FollowedFeed feed, String token) {
    UpstreamSubscription begun =
        new UpstreamSubscription(
            0,
            feed.id(),
            UpstreamSubscription.Kind.WEBSUB,
            "https://hub.example/",
            feed.topic(),
            token,
            "a secret",
            UpstreamSubscription.State.REQUESTING,
            null,
            NOW,
            0,
            null);
    UpstreamSubscriptions.Choice choice =
        upstreamSubscriptions().toChoose(10).stream()
            .filter(one -> one.feed().id() == feed.id())
            .findFirst()
            .orElseThrow();
    done(upstreamSubscriptions().choose(choice, List.of(begun), List.of()));
    return upstreamSubscriptions().byToken(token).orElseThrow();
  }

  @Test
  void a_damaged_upstream_subscription_is_put_off_and_the_others_are_renewed() {
    FollowedFeed feed = feed("a");
    UpstreamSubscription damaged = following(feed, "one");
    UpstreamSubscription whole = following(feed("b"), "two");
    damage("UPDATE following SET trust = 'no JSON' WHERE id = %d", damaged.id());

    assertThat(upstreamSubscriptions().due(LATER, Set.of(), 10))
        .extracting(UpstreamSubscription::id)
        .containsExactly(whole.id());
    assertThat(upstreamSubscriptions().due(LATER, Set.of(), 10)).hasSize(1);
    assertThat(upstreamSubscriptions().ofFeed(feed.id())).isEmpty();
    done(feeds().record(OutcomeBuilder.of(reread(feed), NOW).via(Via.WEBSUB).event(1).build()));
    done(
        upstreamSubscriptions()
            .refuse(
                UpstreamSubscription.State.REQUESTING,
                whole.with(UpstreamSubscription.State.REFUSED, LATER, 1, "HTTP 500"),
                NOW));
  }

  @Test
  void a_feed_that_is_damaged_does_not_keep_the_others_from_their_ways() {
    FollowedFeed damaged = feed("a");
    FollowedFeed whole = feed("b");
    damage("UPDATE feed SET advertised = 'null' WHERE id = %d", damaged.id());

    assertThat(upstreamSubscriptions().toChoose(10))
        .extracting(choice -> choice.feed().id())
        .containsExactly(whole.id());
  }

  private List<String> pendingCallbacks() {
    return subscriptions().due(LATER, Set.of(), 10).stream()
        .map(Subscriptions.Pending::verification)
        .map(verification -> verification.callback())
        .toList();
  }

  @Test
  void a_damaged_request_and_one_for_a_damaged_feed_are_put_off_and_the_others_are_verified() {
    FollowedFeed broken = feed("a");
    FollowedFeed feed = feed("b");
    requestSubscription(broken.topic(), "https://reader.example/of-broken", TERMS);
    requestSubscription(feed.topic(), "https://reader.example/damaged", TERMS);
    requestSubscription(feed.topic(), "https://reader.example/whole", TERMS);
    damage("UPDATE feed SET fetched = '' WHERE id = %d", broken.id());
    damage("UPDATE verification SET terms = '[]' WHERE callback LIKE '%%/damaged'");

    assertThat(pendingCallbacks()).containsExactly("https://reader.example/whole");
    assertThat(subscriptions().nextDue(LATER)).contains(LATER.plus(DueRows.PUT_OFF));
    assertThat(damagedRows()).isEqualTo(2);
  }

  @Test
  void a_round_goes_on_without_a_damaged_subscription() {
    FollowedFeed feed = feed("a");
    Subscription damaged = subscribe(feed, "https://reader.example/damaged");
    Subscription whole = subscribe(feed, "https://reader.example/whole");
    damage("UPDATE subscription SET terms = 'x' WHERE id = %d", damaged.id());

    assertThat(subscriptions().byIds(List.of(damaged.id(), whole.id()))).containsExactly(whole);
    assertThat(subscriptions().ofFeed(feed.id(), 0, 10)).containsExactly(whole);
  }

  @Test
  void a_round_whose_passed_hosts_are_damaged_is_resumed_at_its_checkpoint() {
    FollowedFeed feed = feed("a");
    subscribe(feed, "https://reader.example/one");
    append(feed, 1);
    Round open = openRound(feed);
    damage("UPDATE round SET passed = '{\"reader' WHERE feed_id = %d", feed.id());

    assertThat(rounds().current(feed.id())).contains(open);
    assertThat(open.passed()).isEqualTo(Map.of());
  }

  @Test
  void a_lease_that_is_damaged_does_not_keep_the_others_from_being_refreshed() {
    FollowedFeed feed = feed("a");
    Terms legacy = new Terms(feed.topic(), TERMS.format(), null, "sha1", false, true, LEASE);
    Subscription damaged = subscribe(feed, "https://reader.example/damaged", legacy);
    subscribe(feed, "https://reader.example/whole", legacy);
    damage("UPDATE subscription SET terms = '{' WHERE id = %d", damaged.id());
    damage("UPDATE subscription SET refresh_at = %d", NOW.toEpochMilli());

    assertThat(done(subscriptions().refresh(LATER, 10))).isEqualTo(2);
    assertThat(pendingCallbacks()).containsExactly("https://reader.example/whole");
    assertThat(done(subscriptions().refresh(LATER, 10))).isZero();
  }

  @Test
  void a_damaged_webhook_is_put_off_and_the_others_are_verified() {
    Webhook.Terms terms = new Webhook.Terms("https://app.example/", List.of(), null, null);
    Webhook damaged =
        done(store().webhooks().create(terms, "tag", "whsec_one", false, NOW)).orElseThrow();
    Webhook whole =
        done(store().webhooks().create(terms, "gat", "whsec_two", false, NOW)).orElseThrow();
    damage("UPDATE webhook SET secret = 'unsealed' WHERE id = %d", damaged.id());

    assertThat(store().webhooks().due(LATER, Set.of(), 10))
        .extracting(Webhook::id)
        .containsExactly(whole.id());
    assertThat(store().webhooks().nextDue(LATER)).contains(LATER.plus(DueRows.PUT_OFF));
  }

  @Test
  void a_damaged_delivery_becomes_a_ping() {
    FollowedFeed feed = feed("a");
    FollowedFeed other = feed("b");
    byte[] body = {1};
    done(work().add(new WorkItem.Fat(feed.id(), Via.WEBSUB, NOW, "text/xml", body)));
    done(work().add(new WorkItem.Light(other.id(), Via.PING, NOW)));
    damage("UPDATE work SET body = NULL, via = 'PIGEON' WHERE feed_id = %d", feed.id());

    List<Assignment> taken = work().take(10);

    assertThat(taken)
        .extracting(Assignment::items)
        .containsExactly(
            List.of(new WorkItem.Light(feed.id(), Via.PING, NOW)),
            List.of(new WorkItem.Light(other.id(), Via.PING, NOW)));
    assertThat(damagedRows()).isOne();
  }
}
