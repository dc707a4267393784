package io.feedbridge.gateway.delivery.webhooks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.delivery.Bed;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.store.subscriptions.Webhook.TargetKind;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Removal;
import io.feedbridge.normalizer.Status;
import io.feedbridge.websub.DocumentWishes;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What of events is news to an endpoint. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EndpointDocumentsTest {

  private Bed bed;
  private EndpointDocuments documents;
  private long feed;
  private long page;
  private long seq;

  @BeforeAll
  void open(@TempDir Path data) {
    bed = new Bed(data);
    documents = new EndpointDocuments(bed.store);
    feed = bed.feed(Bed.TOPIC);
    page = bed.content("https://feeds.example/page");
  }

  @AfterAll
  void close() {
    bed.close();
  }

  private static WebhookEndpoint endpoint(@Nullable String filter) {
    return endpoint(new Webhook.Terms("https://app.example/", List.of(), filter, null));
  }

  private static WebhookEndpoint endpoint(Webhook.Terms terms) {
    return WebhookEndpoint.of(
        new Webhook(
            1,
            "tag",
            terms,
            List.of(),
            "whsec_",
            List.of(),
            Webhook.State.ACTIVE,
            null,
            true,
            0,
            null,
            null,
            null,
            0,
            Bed.START));
  }

  private Event event(long feedId, Update update) {
    return new Event(++seq, feedId, Bed.START, Via.POLL, update);
  }

  private Event fresh(String... titles) {
    return event(feed, Bed.fresh(titles));
  }

  private Event status() {
    return event(feed, Update.ofStatus(Feed.bare(Bed.TOPIC, "a feed"), Status.of(Bed.TOPIC)));
  }

  private Optional<String> document(@Nullable String filter, Event... events) {
    return documents
        .of(Arrays.asList(events), endpoint(filter))
        .map(made -> new String(made.messages().get(0), UTF_8));
  }

  @Test
  void events_of_one_feed_are_one_document_and_an_entry_is_there_once_as_it_is_last() {
    Entry before = Bed.entry("a", "before");
    Entry after = Bed.entry("a", "after");
    Feed bare = Feed.bare(Bed.TOPIC, "a feed");
    Event first =
        event(
            feed,
            new Update(bare.withEntries(List.of(before)), List.of(), Status.of(Bed.TOPIC), true));
    Event second = event(feed, new Update(bare, List.of(after), Status.of(Bed.TOPIC), true));

    String document = document(null, first, fresh("b"), second).orElseThrow();

    assertThat(document).contains("\"after\"", "\"b\"").doesNotContain("before");
  }

  @ParameterizedTest
  @EnumSource(TargetKind.class)
  void entries_of_several_events_come_to_a_chat_in_the_order_of_their_events(TargetKind kind) {
    boolean whole =
        Set.of(TargetKind.STANDARD, TargetKind.CLOUDEVENTS, TargetKind.TEMPLATE).contains(kind);
    String template = kind == TargetKind.TEMPLATE ? "{{#items}}{{title}} {{/items}}" : null;
    Webhook.Terms terms =
        new Webhook.Terms(
            "https://chat.example/!room:chat.example",
            List.of(),
            null,
            null,
            DocumentWishes.NONE,
            new Webhook.Target(kind, "token", template));
    List<Event> events = List.of(fresh("N-2", "N-1"), fresh("N-5", "N-4", "N-3"));

    EndpointDocuments.Made made = documents.of(events, endpoint(terms)).orElseThrow();

    assertThat(titles(made.messages()))
        .containsExactly(
            whole
                ? new String[] {"N-2", "N-1", "N-5", "N-4", "N-3"}
                : new String[] {"N-1", "N-2", "N-3", "N-4", "N-5"});
  }

  /** The names of the entries in messages, in their order, without repetitions. */
  private static List<String> titles(List<byte[]> messages) {
    Pattern title = Pattern.compile("N\\\\*-[0-9]");
    return messages.stream()
        .flatMap(message -> title.matcher(new String(message, UTF_8)).results())
        .map(match -> match.group().replace("\\", ""))
        .distinct()
        .toList();
  }

  @Test
  void a_stored_filter_that_cannot_be_read_lets_all_entries_pass() {
    assertThat(document("mars |", fresh("mars", "venus")).orElseThrow())
        .contains("\"mars\"", "\"venus\"");
  }

  @Test
  void a_filter_leaves_what_passes_and_nothing_is_no_document() {
    assertThat(document("mars", fresh("mars", "venus")).orElseThrow())
        .contains("\"mars\"")
        .doesNotContain("venus");
    assertThat(document("mars", fresh("venus"), fresh("moon"))).isEmpty();
  }

  @Test
  void the_same_events_are_another_document_through_another_filter() {
    Event event = fresh("mars", "venus");

    assertThat(document("mars", event).orElseThrow()).doesNotContain("venus");
    assertThat(document("venus", event).orElseThrow()).doesNotContain("mars");
    assertThat(document(null, event).orElseThrow()).contains("mars", "venus");
  }

  @Test
  void how_the_feed_does_is_told_whatever_the_filter_is() {
    assertThat(document("mars", status()).orElseThrow()).contains("\"items\":[]");
    assertThat(document("mars", fresh("venus"), status()).orElseThrow()).contains("\"items\":[]");
    assertThat(document(null, status()).orElseThrow()).contains("\"items\":[]");
  }

  @Test
  void a_removal_passes_each_filter_and_has_a_type_of_its_own_without_entries() {
    Feed feedOfNone =
        Feed.bare(Bed.TOPIC, "a feed").withRemovals(List.of(new Removal("gone", Bed.START)));
    Event removed = event(feed, new Update(feedOfNone, List.of(), Status.of(Bed.TOPIC), false));
    String item = "{\"id\":\"gone\",\"removed\":true,";

    assertThat(document("mars", fresh("venus"), removed).orElseThrow())
        .startsWith("{\"type\":\"feed.entries.removed\",")
        .contains(item)
        .doesNotContain("venus");
    assertThat(document(null, removed, fresh("mars"), status()).orElseThrow())
        .startsWith("{\"type\":\"feed.entries\",")
        .contains("\"mars\"", item);
    assertThat(document(null, removed, fresh("gone")).orElseThrow()).doesNotContain("removed");
  }

  @Test
  void changed_bytes_are_no_news_of_a_feed_and_all_the_news_of_what_is_none() {
    Update bytes =
        new Update(Feed.bare(Bed.TOPIC, "a feed"), List.of(), Status.of(Bed.TOPIC), true);

    assertThat(document(null, event(feed, bytes))).isEmpty();
    assertThat(document(null, event(page, bytes)).orElseThrow()).contains("\"items\":[]");
  }

  @Test
  void an_old_entry_that_changed_is_no_news() {
    Update changed =
        new Update(
            Feed.bare(Bed.TOPIC, "a feed"),
            List.of(Bed.entry("old", "old")),
            Status.of(Bed.TOPIC),
            true);

    assertThat(document(null, event(feed, changed))).isEmpty();
  }
}
