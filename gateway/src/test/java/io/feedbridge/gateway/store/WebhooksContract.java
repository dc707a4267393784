package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.LogConsumer;
import io.feedbridge.gateway.store.sql.deliveries.WebhookFilter;
import io.feedbridge.gateway.store.sql.deliveries.WebhookLinks;
import io.feedbridge.gateway.store.sql.deliveries.Webhooks;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.websub.DocumentWishes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The contract of {@link Webhooks}. */
public abstract class WebhooksContract extends StoreContract {

  private static final String URL = "https://app.example/hook";
  private static final String ONE = "https://one.example/";
  private static final String TWO = "https://two.example/";
  private static final String SECRET = "whsec_one";
  private static final Instant LATER = after(Duration.ofHours(1));

  private Webhooks webhooks() {
    return store().webhooks();
  }

  private static Webhook.Terms terms(String url, String... topics) {
    return new Webhook.Terms(url, List.of(topics), null, null);
  }

  private Webhook add(String url, boolean verified, String... topics) {
    return done(webhooks().create(terms(url, topics), "tag", SECRET, verified, NOW)).orElseThrow();
  }

  private Webhook reread(Webhook webhook) {
    return webhooks().byId(webhook.id()).orElseThrow();
  }

  private LogConsumer consumer(Webhook webhook) {
    return consumers().byName(webhook.consumer()).orElseThrow();
  }

  private boolean isFollowed(String topic) {
    return feeds().byTopic(topic).filter(FollowedFeed::followed).isPresent();
  }

  private List<Long> due(Instant at, String... passed) {
    return webhooks().due(at, Set.of(passed), 10).stream().map(Webhook::id).toList();
  }

  private Webhook change(Webhook webhook, Webhook.Terms terms) {
    return done(webhooks().change(webhook, terms, false, LATER)).orElseThrow();
  }

  private static WebhookFilter filter(
      @Nullable String topic,
      @Nullable String url,
      Webhook.@Nullable State state,
      @Nullable Boolean lagging) {
    return new WebhookFilter(topic, url, state, lagging, null);
  }

  // Beginning and end.

  @Test
  void one_is_found_as_it_was_made_after_a_restart() {
    DocumentWishes wishes =
        new DocumentWishes(
            Duration.ofMinutes(15), Set.of(DocumentWishes.Kind.NEW), List.of("title"), false, true);
    Webhook.Target target = new Webhook.Target(Webhook.TargetKind.NTFY, "its-token", null);
    Webhook.Terms terms =
        new Webhook.Terms(URL, List.of(ONE, TWO), "mars", "what for", wishes, target);
    Webhook made = done(webhooks().create(terms, "tag", SECRET, false, NOW)).orElseThrow();

    restart();

    assertThat(webhooks().byId(made.id())).contains(made);
    assertThat(made.terms()).isEqualTo(terms);
    assertThat(made.topics()).extracting(Webhook.Topic::topic).containsExactly(ONE, TWO);
    assertThat(made.tag()).isEqualTo("tag");
    assertThat(made.secretsAt(NOW)).containsExactly(SECRET);
    assertThat(made.state()).isEqualTo(Webhook.State.PENDING);
    assertThat(made.verified()).isFalse();
    assertThat(made.createdAt()).isEqualTo(NOW);
    assertThat(made.host()).isEqualTo("app.example");
    assertThat(made.toString()).doesNotContain(SECRET).doesNotContain("/hook");
    assertThat(terms.toString()).doesNotContain("its-token");
  }

  @Test
  void another_token_or_target_waits_to_be_verified_again_and_another_template_does_not() {
    Webhook made = add(URL, true);
    Webhook.Target one = new Webhook.Target(Webhook.TargetKind.TEMPLATE, "one", "{}");

    Webhook changed = done(webhooks().change(made, to(made, one), false, NOW)).orElseThrow();
    Webhook verified = done(webhooks().change(changed, to(made, one), true, NOW)).orElseThrow();
    Webhook.Target two = new Webhook.Target(Webhook.TargetKind.TEMPLATE, "one", "[]");
    Webhook other = done(webhooks().change(verified, to(made, two), false, NOW)).orElseThrow();
    Webhook.Target three = new Webhook.Target(Webhook.TargetKind.TEMPLATE, "three", "[]");
    Webhook moved = done(webhooks().change(other, to(made, three), false, NOW)).orElseThrow();

    assertThat(changed.state()).isEqualTo(Webhook.State.PENDING);
    assertThat(verified.state()).isEqualTo(Webhook.State.ACTIVE);
    assertThat(other.state()).isEqualTo(Webhook.State.ACTIVE);
    assertThat(other.terms().target()).isEqualTo(two);
    assertThat(moved.state()).isEqualTo(Webhook.State.PENDING);
  }

  private static Webhook.Terms to(Webhook made, Webhook.Target target) {
    return new Webhook.Terms(
        made.terms().url(), made.terms().topics(), null, null, DocumentWishes.NONE, target);
  }

  @Test
  void its_rest_is_found_after_a_restart() {
    Webhook made = add(URL, true);
    done(webhooks().rests(made.id(), LATER));

    restart();

    assertThat(webhooks().byId(made.id()).orElseThrow().restsUntil()).isEqualTo(LATER);
  }

  @Test
  void a_page_is_of_the_feed_that_brought_it_first() {
    Webhook made = add(URL, true);
    WebhookLinks links = webhooks().links();
    done(links.add(made.id(), 1, 10, List.of("a", "b")));
    done(links.add(made.id(), 2, 20, List.of("b", "c")));

    assertThat(links.ofOthers(made.id(), 2, 30, Set.of("a", "b", "c", "d")))
        .containsExactlyInAnyOrder("a", "b");
    assertThat(links.ofOthers(made.id(), 1, 30, Set.of("a", "b", "c"))).containsExactly("c");
    assertThat(links.ofOthers(made.id(), 2, 10, Set.of("a"))).as("a replay").isEmpty();
    assertThat(links.ofOthers(made.id() + 1, 2, 30, Set.of("a"))).isEmpty();
    done(webhooks().remove(made.id(), NOW));
    assertThat(links.ofOthers(made.id(), 2, 30, Set.of("a"))).isEmpty();
  }

  @Test
  void the_newest_pages_of_one_are_kept() {
    Webhook made = add(URL, true);
    WebhookLinks links = webhooks().links();
    for (int i = 0; i <= 10; i++) {
      int event = i;
      done(
          links.add(
              made.id(),
              1,
              event + 1,
              IntStream.range(0, WebhookLinks.MAX_PAGES / 10)
                  .mapToObj(page -> event + "/" + page)
                  .toList()));
    }

    assertThat(links.ofOthers(made.id(), 2, 99, Set.of("0/0", "1/0", "10/0")))
        .containsExactlyInAnyOrder("1/0", "10/0");
  }

  @Test
  void the_feeds_that_it_names_are_followed_until_it_ends() {
    Webhook made = add(URL, false, ONE, TWO);
    Webhook other = add(URL, true, TWO);
    assertThat(isFollowed(ONE)).isTrue();
    assertThat(subscriptions().readers(feeds().byTopic(TWO).orElseThrow().id())).isEqualTo(2);

    assertThat(done(webhooks().remove(made.id(), NOW))).isTrue();

    assertThat(done(webhooks().remove(made.id(), NOW))).isFalse();
    assertThat(webhooks().byId(made.id())).isEmpty();
    assertThat(isFollowed(ONE)).isFalse();
    assertThat(isFollowed(TWO)).isTrue();
    done(webhooks().disable(other.id(), "by hand", NOW));
    done(feeds().unfollowUnused());
    assertThat(isFollowed(TWO)).as("also while it is disabled").isTrue();
    assertThat(add(URL, false).id()).isGreaterThan(other.id());
  }

  @Test
  void L8_one_that_is_verified_begins_at_the_end_of_the_log() {
    long head = append(feed("feed"), 1);

    Webhook made = add(URL, true);

    assertThat(made.state()).isEqualTo(Webhook.State.ACTIVE);
    assertThat(consumer(made).cursor()).isEqualTo(head);
    assertThat(webhooks().active()).containsOnlyKeys(made.id());
    assertThat(due(LATER)).isEmpty();
    done(webhooks().remove(made.id(), NOW));
    assertThat(consumers().all()).isEmpty();
    assertThat(webhooks().active()).isEmpty();
  }

  @Test
  void L6_a_feed_is_named_from_its_newest_event_on() {
    FollowedFeed feed = feed("feed");
    long head = append(feed, 1);

    Webhook made = add(URL, true, feed.topic());

    assertThat(made.topics()).containsExactly(new Webhook.Topic(feed.id(), feed.topic(), head));
  }

  @Test
  void those_who_serve_them_are_told_of_each_change() {
    Signal<Integer> active = signal(() -> webhooks().active().size());
    store().onChange(Change.WEBHOOK, active);

    Webhook made = add(URL, true);
    active.awaits(1);
    done(webhooks().disable(made.id(), "by hand", NOW));
    active.awaits(0);
  }

  // Lists.

  @Test
  void they_are_listed_in_parts_and_by_what_they_are() {
    Webhook first = add(URL, false, ONE);
    Webhook second = add(URL + "/2", true, ONE, TWO);
    Webhook third = add(URL, true);
    moved(consumer(third).failed(1, LATER, "500"));

    assertThat(webhooks().list(WebhookFilter.ALL, 0, 0, 2)).containsExactly(first, second);
    assertThat(webhooks().list(WebhookFilter.ALL, second.id(), 0, 2)).containsExactly(third);
    assertThat(webhooks().list(WebhookFilter.ALL, 0, 1, 9)).containsExactly(second, third);
    assertThat(webhooks().count(filter(null, URL, null, null))).isEqualTo(2);
    assertThat(webhooks().list(filter(TWO, null, null, null), 0, 0, 9))
        .as("of the topic, or of all feeds")
        .containsExactly(second, third);
    assertThat(webhooks().list(filter(null, URL, null, null), 0, 0, 9))
        .containsExactly(first, third);
    assertThat(webhooks().list(filter(null, null, Webhook.State.PENDING, null), 0, 0, 9))
        .containsExactly(first);
    assertThat(webhooks().list(filter(null, null, Webhook.State.ACTIVE, true), 0, 0, 9))
        .containsExactly(third);
    assertThat(webhooks().list(filter(null, null, Webhook.State.ACTIVE, false), 0, 0, 9))
        .containsExactly(second);
  }

  // Changes.

  @Test
  void other_feeds_take_the_place_of_those_before_and_the_ones_kept_keep_their_start() {
    FollowedFeed kept = feed("kept");
    Webhook made = add(URL, true, kept.topic(), ONE);
    append(kept, 1);

    Webhook changed = change(made, terms(URL, kept.topic(), TWO));

    assertThat(changed.terms().topics()).containsExactlyInAnyOrder(kept.topic(), TWO);
    assertThat(changed.topics()).contains(made.topics().get(0));
    assertThat(isFollowed(ONE)).isFalse();
    assertThat(isFollowed(TWO)).isTrue();
    assertThat(changed.revision()).isGreaterThan(made.revision());
    assertThat(changed.state()).isEqualTo(Webhook.State.ACTIVE);
    Webhook all = change(changed, terms(URL));
    assertThat(all.terms().topics()).isEmpty();
    assertThat(isFollowed(TWO)).isFalse();
  }

  @Test
  void L7_a_change_of_what_was_changed_meanwhile_changes_nothing() {
    Webhook made = add(URL, true, ONE);
    change(made, new Webhook.Terms(URL, List.of(ONE), "mars", null));

    assertThat(done(webhooks().change(made, terms(URL, TWO), false, LATER))).isEmpty();

    assertThat(reread(made).terms().topics()).containsExactly(ONE);
    assertThat(isFollowed(TWO)).isFalse();
    done(webhooks().remove(made.id(), NOW));
    assertThat(done(webhooks().change(made, terms(URL, TWO), false, LATER))).isEmpty();
  }

  @Test
  void another_URL_is_verified_anew_and_the_cursor_stays() {
    FollowedFeed feed = feed("feed");
    Webhook made = add(URL, true);
    LogConsumer before = consumer(made);
    append(feed, 1);

    Webhook moved = change(made, terms(URL + "/2"));

    assertThat(moved.state()).isEqualTo(Webhook.State.PENDING);
    assertThat(due(LATER)).containsExactly(made.id());
    assertThat(webhooks().active()).isEmpty();
    assertThat(done(webhooks().confirm(moved, LATER))).isTrue();
    assertThat(consumer(made).cursor()).isEqualTo(before.cursor());
    Webhook trusted = done(webhooks().change(reread(made), terms(URL), true, LATER)).orElseThrow();
    assertThat(trusted.state()).isEqualTo(Webhook.State.ACTIVE);
  }

  @Test
  void another_URL_of_a_disabled_one_is_verified_when_it_is_enabled() {
    Webhook made = add(URL, true);
    Webhook disabled = done(webhooks().disable(made.id(), "by hand", NOW)).orElseThrow();

    Webhook moved = change(disabled, terms(URL + "/2"));

    assertThat(moved.state()).isEqualTo(Webhook.State.DISABLED);
    assertThat(due(LATER)).isEmpty();
    assertThat(done(webhooks().enable(made.id(), LATER)).orElseThrow().state())
        .isEqualTo(Webhook.State.PENDING);
    assertThat(due(LATER)).containsExactly(made.id());
  }

  // Secrets.

  @Test
  void a_secret_that_was_replaced_is_valid_for_a_day_and_only_so_many_are() {
    Webhook made = add(URL, true);
    Webhook rotated = done(webhooks().rotate(made.id(), "two", false, NOW)).orElseThrow();

    assertThat(reread(made)).isEqualTo(rotated);
    assertThat(rotated.secretsAt(after(Duration.ofHours(24)).minusSeconds(1)))
        .containsExactly("two", SECRET);
    assertThat(rotated.secretsAt(after(Duration.ofHours(24)))).containsExactly("two");
    for (int i = 1; i < Webhooks.MAX_RETIRED; i++) {
      assertThat(done(webhooks().rotate(made.id(), "more " + i, false, NOW))).isPresent();
    }
    assertThat(done(webhooks().rotate(made.id(), "too many", false, LATER))).isEmpty();
    assertThat(reread(made).secretsAt(LATER)).hasSize(Webhooks.MAX_RETIRED + 1);
    Instant nextDay = after(Duration.ofHours(25));
    assertThat(done(webhooks().rotate(made.id(), "again", false, nextDay)).orElseThrow().retired())
        .hasSize(1);
    assertThat(done(webhooks().rotate(99, "none", false, NOW))).isEmpty();
    assertThat(rotated.retired().toString()).doesNotContain(SECRET);
  }

  @Test
  void a_secret_that_has_leaked_ends_at_once() {
    Webhook made = add(URL, true);
    for (int i = 1; i <= Webhooks.MAX_RETIRED; i++) {
      assertThat(done(webhooks().rotate(made.id(), "old " + i, false, NOW))).isPresent();
    }

    Webhook rotated = done(webhooks().rotate(made.id(), "two", true, NOW)).orElseThrow();
    assertThat(reread(made)).isEqualTo(rotated);
    assertThat(rotated.secretsAt(NOW)).containsExactly("two");

    done(webhooks().rotate(made.id(), "three", false, NOW));
    Webhook ended = done(webhooks().endPreviousSecrets(made.id())).orElseThrow();
    assertThat(reread(made)).isEqualTo(ended);
    assertThat(ended.secretsAt(NOW)).containsExactly("three");
    assertThat(ended.revision()).isGreaterThan(rotated.revision());
    assertThat(done(webhooks().endPreviousSecrets(99))).isEmpty();
  }

  // Enabled and disabled.

  @Test
  void one_that_is_disabled_goes_on_from_its_cursor_and_at_once() {
    FollowedFeed feed = feed("feed");
    Webhook made = add(URL, true);
    LogConsumer failed = consumer(made).failed(append(feed, 1), after(Duration.ofDays(1)), "500");
    moved(failed);
    done(webhooks().failing(made, NOW));

    Webhook disabled = done(webhooks().disable(made.id(), "it is gone", LATER)).orElseThrow();
    restart();

    assertThat(reread(made)).isEqualTo(disabled);
    assertThat(disabled.state()).isEqualTo(Webhook.State.DISABLED);
    assertThat(disabled.reason()).isEqualTo("it is gone");
    assertThat(webhooks().active()).isEmpty();
    assertThat(done(webhooks().disable(made.id(), "again", LATER))).contains(disabled);

    Webhook enabled = done(webhooks().enable(made.id(), LATER)).orElseThrow();

    assertThat(enabled.state()).isEqualTo(Webhook.State.ACTIVE);
    assertThat(enabled.reason()).isNull();
    assertThat(enabled.failingSince()).isNull();
    LogConsumer now = consumer(made);
    assertThat(now.cursor()).isEqualTo(failed.cursor());
    assertThat(now.sentTo()).as("a retry repeats the same (L12)").isEqualTo(failed.sentTo());
    assertThat(now.nextAttemptAt()).isEqualTo(LATER);
    assertThat(done(webhooks().enable(made.id(), LATER))).contains(enabled);
    assertThat(done(webhooks().enable(99, LATER))).isEmpty();
    assertThat(done(webhooks().disable(99, "x", LATER))).isEmpty();
  }

  @Test
  void an_answer_disables_it_as_it_was_called_and_not_as_it_was_changed_to() {
    Webhook called = add(URL, true);
    Webhook changed =
        done(webhooks()
                .change(called, new Webhook.Terms(URL + "/new", List.of(), null, null), true, NOW))
            .orElseThrow();

    assertThat(done(webhooks().disableAsCalled(called, "410", LATER))).isFalse();
    assertThat(reread(called)).isEqualTo(changed);
    assertThat(done(webhooks().disableAsCalled(changed, "410", LATER))).isTrue();
    assertThat(reread(called).state()).isEqualTo(Webhook.State.DISABLED);
    assertThat(reread(called).reason()).isEqualTo("410");
  }

  @Test
  void another_url_has_none_of_the_failures_of_the_one_before() {
    FollowedFeed feed = feed("feed");
    Webhook called = add(URL, true);
    moved(consumer(called).failed(append(feed, 1), after(Duration.ofDays(1)), "HTTP 503"));
    done(webhooks().failing(called, NOW));

    done(
        webhooks()
            .change(called, new Webhook.Terms(URL + "/new", List.of(), null, null), true, LATER));
    done(webhooks().failing(called, NOW));

    assertThat(reread(called).failingSince()).isNull();
    assertThat(consumer(called).attempts()).isZero();
    assertThat(consumer(called).nextAttemptAt()).isEqualTo(LATER);
    assertThat(consumer(called).error()).isNull();
  }

  @Test
  void those_that_fail_for_long_are_found_until_something_gets_through() {
    Webhook one = add(URL, true);
    Webhook other = add(URL, true);
    done(webhooks().failing(one, NOW));
    done(webhooks().failing(other, LATER));
    assertThat(reread(one).failingSince()).isEqualTo(NOW);

    assertThat(webhooks().failingSinceBefore(LATER, 9)).containsExactly(one.id());
    done(webhooks().failing(one, null));
    assertThat(webhooks().failingSinceBefore(LATER, 9)).isEmpty();
    assertThat(webhooks().failingSinceBefore(LATER.plusSeconds(1), 9)).containsExactly(other.id());
    done(webhooks().disable(other.id(), "x", LATER));
    assertThat(webhooks().failingSinceBefore(LATER.plusSeconds(1), 9)).isEmpty();
  }

  // What it has not got.

  @Test
  void it_is_behind_when_it_failed_or_is_disabled() {
    FollowedFeed wanted = feed("wanted");
    FollowedFeed other = feed("other");
    append(wanted, 1);
    Webhook some = add(URL, true, wanted.topic());
    Webhook all = add(URL, true);
    append(other, 1);
    append(wanted, 1);
    assertThat(webhooks().behind(some)).isEmpty();

    moved(consumer(some).failed(9, LATER, "500"));
    moved(consumer(all).failed(9, LATER, "503").failed(9, LATER, "500"));

    assertThat(webhooks().behind(some)).contains(new Behind(1, NOW, 1, LATER, "500"));
    assertThat(webhooks().behind(all)).contains(new Behind(2, NOW, 2, LATER, "500"));
    Webhook disabled = done(webhooks().disable(all.id(), "x", LATER)).orElseThrow();
    assertThat(webhooks().behind(disabled)).contains(new Behind(2, NOW, 2, null, "500"));
    assertThat(webhooks().behind(add(URL, false))).isEmpty();
  }

  // Verification.

  @Test
  void those_to_be_verified_are_found_but_for_some_hosts_and_over_a_restart() {
    Webhook one = add(URL, false);
    Webhook other = add("https://App.example:8443/", false);
    restart();

    assertThat(due(NOW)).containsExactly(one.id(), other.id());
    assertThat(due(NOW, "app.example")).containsExactly(other.id());
    assertThat(due(NOW.minusSeconds(1))).isEmpty();
    assertThat(webhooks().nextDue(NOW.minusSeconds(1))).contains(NOW);
    assertThat(webhooks().nextDue(NOW)).isEmpty();
  }

  @Test
  void one_that_did_not_give_the_challenge_back_is_asked_again_or_not() {
    Webhook made = add(URL, false);

    done(webhooks().unconfirmed(made, "HTTP 500", LATER));

    assertThat(reread(made).reason()).isEqualTo("HTTP 500");
    assertThat(reread(made).attempts()).isEqualTo(1);
    assertThat(due(NOW)).isEmpty();
    assertThat(due(LATER)).containsExactly(made.id());
    done(webhooks().unconfirmed(made, "HTTP 404", null));
    assertThat(due(after(Duration.ofDays(9)))).isEmpty();
    assertThat(reread(made).state()).isEqualTo(Webhook.State.PENDING);
    assertThat(done(webhooks().enable(made.id(), LATER)).orElseThrow().reason()).isNull();
    assertThat(due(LATER)).as("asked again by hand").containsExactly(made.id());
  }

  @Test
  void L8_one_that_did_is_active_from_then_on() {
    FollowedFeed feed = feed("feed");
    Webhook made = add(URL, false);
    assertThat(consumers().byName(made.consumer())).isEmpty();
    long head = append(feed, 1);

    assertThat(done(webhooks().confirm(made, LATER))).isTrue();

    assertThat(reread(made).state()).isEqualTo(Webhook.State.ACTIVE);
    assertThat(reread(made).verified()).isTrue();
    assertThat(consumer(made).cursor()).isEqualTo(head);
    assertThat(due(LATER)).isEmpty();
    assertThat(done(webhooks().confirm(made, LATER))).isFalse();
  }

  @Test
  void L7_an_answer_to_what_was_asked_of_another_URL_changes_nothing() {
    Webhook made = add(URL, false);
    Webhook moved = change(made, terms(URL + "/2"));

    assertThat(done(webhooks().confirm(made, LATER))).isFalse();
    done(webhooks().unconfirmed(made, "no", null));

    assertThat(reread(made)).isEqualTo(moved);
    done(webhooks().disable(made.id(), "by hand", LATER));
    assertThat(done(webhooks().confirm(reread(made), LATER))).isFalse();
    done(webhooks().remove(made.id(), LATER));
    assertThat(done(webhooks().confirm(moved, LATER))).isFalse();
  }
}
