package io.feedbridge.gateway.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Link;
import io.feedbridge.normalizer.Removal;
import io.feedbridge.websub.DocumentWishes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Subscribers that wish for one document in some time, for some entries, or for some members. */
@Timeout(300)
class WishesTest {

  private static final Duration EVERY = Duration.ofMinutes(15);

  @TempDir Path data;
  private final List<Bed> beds = new ArrayList<>();
  private Bed bed;
  private long feed;

  @BeforeEach
  void start() {
    use(new Bed(data.resolve("first")).started());
    feed = bed.feed(Bed.TOPIC);
  }

  @AfterEach
  void stop() {
    beds.forEach(Bed::close);
  }

  private void use(Bed other) {
    beds.add(0, other);
    bed = other;
  }

  private static DocumentWishes wishes(String every, String only, String fields) throws Exception {
    return DocumentWishes.parse(
        Optional.of(every).filter(text -> !text.isEmpty()),
        Optional.of(only).filter(text -> !text.isEmpty()),
        Optional.of(fields).filter(text -> !text.isEmpty()));
  }

  private long subscribe(String path, DocumentWishes wishes) {
    return bed.subscribe(
        feed, bed.subscriber.url(path), Bed.terms(Format.JSON, null).wishing(wishes));
  }

  private Webhook webhook(String path, DocumentWishes wishes) {
    return bed.webhook(
        new Webhook.Terms(
            bed.subscriber.url(path), List.of(), null, null, wishes, Webhook.Target.STANDARD));
  }

  private long append(String entry) {
    long event = bed.append(feed, entry);
    bed.awaitRound(feed, event);
    return event;
  }

  private List<Request> received(String path) {
    return bed.subscriber.received(path);
  }

  private void awaitReceived(String path, int count) {
    bed.until(() -> received(path).size() >= count);
    assertThat(received(path)).hasSize(count);
  }

  private String body(String path, int number) {
    return Bed.body(received(path).get(number));
  }

  private boolean rests(long subscription) {
    return bed.rows().stream().anyMatch(row -> row.subscription() == subscription);
  }

  @Test
  void a_window_has_one_document_with_all_that_came_in_it() throws Exception {
    long id = subscribe("slow", wishes("15m", "", ""));
    bed.subscribe(feed, "usual");
    append("a");
    awaitReceived("slow", 1);
    bed.until(() -> rests(id));
    append("b");
    append("c");
    awaitReceived("usual", 3);
    bed.timer.turn(EVERY.minusMillis(1));
    append("d");
    awaitReceived("usual", 4);
    assertThat(received("slow")).hasSize(1);

    bed.timer.turn(Duration.ofMillis(1));

    awaitReceived("slow", 2);
    assertThat(body("slow", 1)).contains("\"b\"", "\"c\"", "\"d\"").doesNotContain("\"a\"");
  }

  @Test
  void an_event_after_the_window_is_sent_at_once() throws Exception {
    long id = subscribe("slow", wishes("15m", "", ""));
    append("a");
    awaitReceived("slow", 1);
    bed.until(() -> rests(id));
    bed.timer.turn(EVERY);

    append("b");

    awaitReceived("slow", 2);
  }

  @Test
  void a_window_outlasts_a_crash() throws Exception {
    long id = subscribe("slow", wishes("15m", "", ""));
    append("a");
    awaitReceived("slow", 1);
    bed.until(() -> rests(id));
    bed.subscribe(feed, "usual");

    use(bed.afterCrash(data.resolve("second")).started());
    append("b");
    awaitReceived("usual", 1);
    assertThat(received("slow")).hasSize(1);
    bed.timer.turn(EVERY);

    awaitReceived("slow", 2);
  }

  @Test
  void a_failure_in_a_window_is_retried_by_the_usual_back_off() throws Exception {
    long id = subscribe("slow", wishes("15m", "", ""));
    bed.subscriber.answer(
        "slow",
        request ->
            CompletableFuture.completedFuture(Response.empty(503).withHeader("Retry-After", "60")));
    append("a");
    awaitReceived("slow", 1);
    bed.until(() -> bed.attempts(id) == 1);
    bed.subscriber.answer("slow", 204);

    bed.timer.turn(Duration.ofMinutes(1));

    awaitReceived("slow", 2);
    append("b");
    assertThat(received("slow")).hasSize(2);
    bed.timer.turn(EVERY);
    awaitReceived("slow", 3);
    assertThat(body("slow", 2)).contains("\"b\"").doesNotContain("\"a\"");
  }

  @Test
  void what_came_while_a_document_was_tried_again_waits_for_the_end_of_the_window()
      throws Exception {
    long id = subscribe("slow", wishes("15m", "", ""));
    webhook("hook", wishes("15m", "", ""));
    bed.subscriber.answer("slow", 503);
    bed.subscriber.answer("hook", 503);
    append("a");
    awaitReceived("slow", 1);
    awaitReceived("hook", 1);
    bed.until(() -> bed.attempts(id) == 1);
    append("b");
    bed.subscriber.answer("slow", 204);
    bed.subscriber.answer("hook", 204);
    bed.subscribe(feed, "usual");

    bed.timer.turn(Duration.ofMinutes(1));

    awaitReceived("slow", 2);
    awaitReceived("hook", 2);
    bed.until(() -> bed.attempts(id) == 0);
    append("c");
    awaitReceived("usual", 1);
    assertThat(received("slow")).hasSize(2);
    assertThat(received("hook")).hasSize(2);
    bed.timer.turn(EVERY);
    awaitReceived("slow", 3);
    awaitReceived("hook", 3);
    assertThat(body("slow", 2)).contains("\"b\"", "\"c\"");
    assertThat(body("hook", 2)).contains("\"b\"", "\"c\"");
  }

  @Test
  void what_a_document_cannot_hold_follows_at_once() throws Exception {
    String[] many = IntStream.range(0, 99).mapToObj(i -> "many" + i).toArray(String[]::new);
    long id = subscribe("slow", wishes("15m", "", ""));
    webhook("hook", wishes("15m", "", ""));
    append("a");
    awaitReceived("slow", 1);
    awaitReceived("hook", 1);
    bed.until(() -> rests(id));
    bed.append(feed, many);
    bed.awaitRound(feed, bed.append(feed, "b", "c"));
    bed.subscribe(feed, "usual");

    bed.timer.turn(EVERY);

    awaitReceived("slow", 3);
    awaitReceived("hook", 3);
    append("d");
    awaitReceived("usual", 1);
    assertThat(received("slow")).hasSize(3);
    assertThat(received("hook")).hasSize(3);
    assertThat(body("slow", 2)).contains("\"b\"", "\"c\"").doesNotContain("\"d\"");
    assertThat(body("hook", 2)).contains("\"b\"", "\"c\"").doesNotContain("\"d\"");
  }

  @Test
  void a_document_of_a_window_has_all_though_other_feeds_had_many_events() throws Exception {
    long other = bed.feed("https://feeds.example/other.xml");
    String[] many = IntStream.range(0, 99).mapToObj(i -> "many" + i).toArray(String[]::new);
    for (String path : List.of("usual", "first", "hook")) {
      DocumentWishes wishes = path.equals("usual") ? DocumentWishes.NONE : wishes("15m", "", "");
      bed.webhook(
          new Webhook.Terms(
              bed.subscriber.url(path),
              List.of(Bed.TOPIC),
              null,
              null,
              wishes,
              Webhook.Target.STANDARD));
    }
    append("a");
    awaitReceived("hook", 1);
    awaitReceived("first", 1);
    awaitReceived("usual", 1);
    append("b");
    bed.append(other, many);
    append("c");
    bed.until(() -> received("usual").size() == 3);

    bed.timer.turn(EVERY);

    awaitReceived("first", 2);
    awaitReceived("hook", 2);
    append("d");
    bed.until(() -> received("usual").size() == 4);
    assertThat(received("first")).hasSize(2);
    assertThat(received("hook")).hasSize(2);
    // One of the two reads a page of all feeds.
    assertThat(body("first", 1)).contains("\"b\"", "\"c\"");
    assertThat(body("hook", 1)).contains("\"b\"", "\"c\"");
  }

  @Test
  void an_event_that_was_slow_to_be_recorded_waits_for_the_end_of_a_webhooks_window()
      throws Exception {
    webhook("hook", wishes("15m", "", ""));
    append("a");
    awaitReceived("hook", 1);
    bed.subscribe(feed, "usual");
    // Events have the time at which their feed was read.
    bed.timer.turn(Duration.ofSeconds(-1));
    append("b");
    awaitReceived("usual", 1);
    bed.timer.turn(Duration.ofSeconds(1));
    append("c");
    awaitReceived("usual", 2);
    assertThat(received("hook")).hasSize(1);

    bed.timer.turn(EVERY);

    awaitReceived("hook", 2);
    assertThat(body("hook", 1)).contains("\"b\"", "\"c\"");
  }

  @Test
  void a_webhook_has_windows_too_also_after_a_crash() throws Exception {
    Webhook webhook = webhook("hook", wishes("15m", "", ""));
    bed.subscribe(feed, "usual");
    append("a");
    awaitReceived("hook", 1);
    bed.until(() -> bed.store.webhooks().byId(webhook.id()).orElseThrow().restsUntil() != null);
    bed.timer.turn(Duration.ofSeconds(1));
    append("b");
    awaitReceived("usual", 2);

    use(bed.afterCrash(data.resolve("second")).started());
    append("c");
    awaitReceived("usual", 3);
    assertThat(received("hook")).hasSize(1);
    bed.timer.turn(EVERY);

    awaitReceived("hook", 2);
    assertThat(body("hook", 1)).contains("\"b\"", "\"c\"");
  }

  @Test
  void a_webhook_rests_too_where_its_last_feed_had_nothing_for_it() throws Exception {
    long other = bed.feed("https://feeds.example/other.xml");
    webhook("hook", wishes("15m", "new", ""));
    bed.subscribe(feed, "usual");
    append("a");
    awaitReceived("hook", 1);
    bed.timer.turn(Duration.ofSeconds(1));
    append("b");
    Update usual = Bed.fresh();
    bed.append(
        other,
        new Update(
            usual.feed(), List.of(Bed.entry("old", "changed")), usual.status(), true, false));
    bed.timer.turn(EVERY);
    awaitReceived("hook", 2);
    bed.timer.turn(Duration.ofSeconds(1));

    append("c");

    awaitReceived("usual", 3);
    bed.timer.turn(EVERY.minusSeconds(2));
    assertThat(received("hook")).hasSize(2);
    bed.timer.turn(Duration.ofSeconds(2));
    awaitReceived("hook", 3);
  }

  @Test
  void a_webhook_whose_window_is_taken_away_is_sent_the_rest_at_once() throws Exception {
    Webhook webhook = webhook("hook", wishes("15m", "", ""));
    append("a");
    awaitReceived("hook", 1);
    bed.until(() -> bed.store.webhooks().byId(webhook.id()).orElseThrow().restsUntil() != null);
    bed.timer.turn(Duration.ofSeconds(1));
    append("b");

    Webhook.Terms usual = new Webhook.Terms(webhook.terms().url(), List.of(), null, null);
    Bed.done(bed.store.webhooks().change(webhook, usual, false, bed.timer.now()));

    awaitReceived("hook", 2);
  }

  private static Update changes() {
    Entry fresh = Bed.entry("fresh", "new");
    Entry changed = Bed.entry("changed", "other");
    Update usual = Bed.fresh();
    Feed fields =
        usual
            .feed()
            .withEntries(List.of(fresh))
            .withRemovals(List.of(new Removal("gone", Bed.START, null)));
    return new Update(fields, List.of(changed), usual.status(), true, false);
  }

  @Test
  void only_the_wished_kinds_of_entries_are_sent() throws Exception {
    subscribe("new", wishes("", "new", ""));
    subscribe("changes", wishes("", "updated,removed", ""));
    webhook("hook", wishes("", "removed", ""));

    bed.append(feed, changes());

    awaitReceived("new", 1);
    awaitReceived("changes", 1);
    awaitReceived("hook", 1);
    assertThat(body("new", 0)).contains("\"fresh\"").doesNotContain("\"changed\"", "\"gone\"");
    assertThat(body("changes", 0)).contains("\"changed\"", "\"gone\"").doesNotContain("\"fresh\"");
    assertThat(body("hook", 0)).contains("\"gone\"").doesNotContain("\"changed\"", "\"fresh\"");
  }

  private static Update linked(String id, String link) {
    Update usual = Bed.fresh();
    Entry entry =
        new Entry(
            id,
            false,
            "title",
            null,
            null,
            null,
            null,
            List.of(new Link("alternate", link, "text/html", null, null, null)),
            List.of(),
            List.of(),
            null,
            List.of(),
            List.of(),
            null,
            null);
    return new Update(
        usual.feed().withEntries(List.of(entry)), List.of(), usual.status(), true, false);
  }

  @Test
  void a_page_is_brought_once_by_several_feeds_also_after_a_crash() throws Exception {
    long other = bed.feed("https://feeds.example/other.xml");
    Webhook hook = webhook("hook", DocumentWishes.NONE.withDedupe(true));
    webhook("usual", DocumentWishes.NONE);
    bed.append(feed, linked("mine", "https://www.example.org/page?utm_source=a#top"));
    awaitReceived("hook", 1);
    awaitReceived("usual", 1);
    Set<String> page = Set.of("link=example.org/page");
    bed.until(() -> !bed.store.webhooks().links().ofOthers(hook.id(), other, 9, page).isEmpty());

    use(bed.afterCrash(data.resolve("second")).started());
    bed.append(other, linked("theirs", "http://example.org/page"));
    bed.append(other, linked("further", "http://example.org/page/2"));
    bed.append(feed, linked("mine", "https://www.example.org/page"));

    bed.until(() -> received("hook").stream().map(Bed::body).anyMatch(t -> t.contains("further")));
    bed.until(() -> received("usual").stream().map(Bed::body).anyMatch(t -> t.contains("theirs")));
    bed.until(() -> Bed.body(received("hook").get(received("hook").size() - 1)).contains("mine"));
    assertThat(received("hook")).noneMatch(one -> Bed.body(one).contains("theirs"));
  }

  @Test
  void no_document_is_sent_where_no_wished_entry_is_in_it() throws Exception {
    subscribe("removals", wishes("", "removed", ""));
    bed.subscribe(feed, "usual");
    append("a");
    awaitReceived("usual", 1);
    assertThat(received("removals")).isEmpty();
  }

  @Test
  void entries_have_the_wished_members_and_their_id_alone() throws Exception {
    subscribe("slim", wishes("", "", "title"));
    webhook("hook", wishes("", "", "updated"));

    bed.append(feed, changes());

    awaitReceived("slim", 1);
    awaitReceived("hook", 1);
    assertThat(body("slim", 0))
        .contains(
            "\"items\":[{\"id\":\"fresh\",\"title\":\"new\"},{\"id\":\"gone\",\"removed\":true}]",
            "\"status\":{");
    assertThat(body("hook", 0)).contains("{\"id\":\"fresh\"}");
  }
}
