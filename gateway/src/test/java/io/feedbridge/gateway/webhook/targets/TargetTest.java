package io.feedbridge.gateway.webhook.targets;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Header;
import io.feedbridge.gateway.client.Replies;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.store.subscriptions.Webhook.TargetKind;
import io.feedbridge.gateway.webhook.WebhookMessage;
import io.feedbridge.gateway.webhook.WebhookSecret;
import io.feedbridge.normalizer.Content;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Link;
import io.feedbridge.normalizer.Removal;
import io.feedbridge.normalizer.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TargetTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");
  private static final String HOSTILE =
      "@everyone <!channel> </p><b>\"*_~`[x](javascript:1)|& \\ @all";

  private static Entry entry(
      int number, @Nullable String title, @Nullable String text, @Nullable String link) {
    return new Entry(
        "id" + number,
        false,
        title,
        Instant.parse("2026-02-01T00:00:00Z"),
        null,
        null,
        text == null ? null : Content.text(text),
        link == null ? List.of() : List.of(new Link(Link.ALTERNATE, link, null, null, null)),
        List.of(),
        List.of(),
        null,
        List.of(),
        List.of(),
        null,
        null);
  }

  /** As a document has them: the newest first. */
  private static FeedDocument document(Entry... newestFirst) {
    return new FeedDocument(
        Feed.bare("urn:feed", "The *News*").withEntries(List.of(newestFirst)),
        Status.of("http://feeds.example/a"),
        7,
        NOW,
        List.of());
  }

  private static FeedDocument many(int count) {
    List<Entry> entries =
        new ArrayList<>(
            IntStream.rangeClosed(1, count)
                .mapToObj(i -> entry(i, "Title " + i, "Text " + i, "http://site.example/" + i))
                .toList());
    Collections.reverse(entries);
    return document(entries.toArray(Entry[]::new));
  }

  private static Target target(TargetKind kind) {
    return target(kind, "https://chat.example/hooks/");
  }

  private static Target target(TargetKind kind, String url) {
    String template = kind == TargetKind.TEMPLATE ? "{\"t\": \"{{title}}\"}" : null;
    return Targets.of(url, new Webhook.Target(kind, "s3cret", template));
  }

  private static List<JsonNode> messages(TargetKind kind, FeedDocument document) throws Exception {
    List<JsonNode> messages = new ArrayList<>();
    for (byte[] message : target(kind).messages(document)) {
      messages.add(JSON.readTree(message));
    }
    return messages;
  }

  private static JsonNode json(String text) throws Exception {
    return JSON.readTree(text.replace('\'', '"'));
  }

  private static Call call(Target target, String body) {
    WebhookSecret secret = WebhookSecret.make(WebhookSecret.Scheme.SHARED, new Random(1));
    return target.call(new WebhookMessage("msg_tag_7", body.getBytes(UTF_8)), List.of(secret), NOW);
  }

  private static List<String> headers(Call call) {
    return call.headers().stream().map(Header::name).toList();
  }

  private static String header(Call call, String name) {
    return call.headers().stream()
        .filter(header -> header.name().equalsIgnoreCase(name))
        .map(Header::value)
        .findFirst()
        .orElse("");
  }

  private static Reply reply(int status, String body, String... headers) {
    Map<String, String> fields = new HashMap<>();
    for (int i = 0; i < headers.length; i += 2) {
      fields.put(headers[i], headers[i + 1]);
    }
    return Replies.of(status, "https://x/", fields, body.getBytes(UTF_8));
  }

  // Messages.

  @Test
  void discord_has_an_embed_for_each_entry_the_oldest_first() throws Exception {
    assertThat(messages(TargetKind.DISCORD, many(2)))
        .containsExactly(
            json(
                """
                {'content':'**The \\\\*News\\\\***',
                 'embeds':[
                  {'title':'Title 1','url':'http://site.example/1','description':'Text 1',
                   'timestamp':'2026-02-01T00:00:00Z'},
                  {'title':'Title 2','url':'http://site.example/2','description':'Text 2',
                   'timestamp':'2026-02-01T00:00:00Z'}],
                 'allowed_mentions':{'parse':[]}}
                """));
  }

  @Test
  void slack_has_sections_and_a_text_for_notifications() throws Exception {
    assertThat(messages(TargetKind.SLACK, many(1)))
        .containsExactly(
            json(
                """
                {'text':'The *News*: Title 1',
                 'blocks':[
                  {'type':'section','text':{'type':'mrkdwn','text':'*The *News**'}},
                  {'type':'section','text':
                    {'type':'mrkdwn','text':'<http://site.example/1|Title 1>'}},
                  {'type':'section','text':{'type':'mrkdwn','text':'Text 1'}}],
                 'unfurl_links':false}
                """));
  }

  @Test
  void mattermost_has_one_text_in_Markdown() throws Exception {
    assertThat(messages(TargetKind.MATTERMOST, many(2)))
        .containsExactly(
            json(
                """
                {'text':'**The \\\\*News\\\\***\\n\\n[Title 1](http://site.example/1)\\nText 1\\n\\n[Title 2](http://site.example/2)\\nText 2'}
                """));
  }

  @Test
  void ntfy_and_gotify_have_a_notification_for_each_entry() throws Exception {
    Target ntfy = target(TargetKind.NTFY, "https://ntfy.example/my-feeds");
    assertThat(ntfy.messages(many(2)))
        .extracting(message -> JSON.readTree(message))
        .containsExactly(
            json(
                """
                {'topic':'my-feeds','title':'Title 1','message':'Text 1',
                 'click':'http://site.example/1'}
                """),
            json(
                """
                {'topic':'my-feeds','title':'Title 2','message':'Text 2',
                 'click':'http://site.example/2'}
                """));
    assertThat(messages(TargetKind.GOTIFY, many(2)))
        .hasSize(2)
        .first()
        .isEqualTo(
            json(
                """
                {'title':'Title 1','message':'Text 1','extras':
                 {'client::notification':{'click':{'url':'http://site.example/1'}}}}
                """));
  }

  @Test
  void matrix_has_a_notice_in_text_and_HTML() throws Exception {
    assertThat(messages(TargetKind.MATRIX, many(1)))
        .containsExactly(
            json(
                """
                {'msgtype':'m.notice','body':'The *News*\\n\\nTitle 1\\nText 1\\nhttp://site.example/1',
                 'format':'org.matrix.custom.html',
                 'formatted_body':'<p><strong>The *News*</strong></p><p><a href=\\"http://site.example/1\\">Title 1</a><br>Text 1</p>',
                 'm.mentions':{}}
                """));
  }

  @Test
  void a_cloud_event_has_the_document_and_a_batch_has_one_for_each_entry() throws Exception {
    JsonNode event = messages(TargetKind.CLOUDEVENTS, many(2)).get(0);
    assertThat(event.fieldNames())
        .toIterable()
        .containsExactly("specversion", "id", "type", "source", "time", "datacontenttype", "data");
    assertThat(event.get("specversion").asText()).isEqualTo("1.0");
    assertThat(event.get("id").asText()).isEqualTo("7");
    assertThat(event.get("type").asText()).isEqualTo("feed.entries");
    assertThat(event.get("source").asText()).isEqualTo("http://feeds.example/a");
    assertThat(event.get("time").asText()).isEqualTo("2026-03-01T10:00:00Z");
    assertThat(event.at("/data/type").asText()).isEqualTo("feed.entries");
    assertThat(event.at("/data/items")).hasSize(2);

    JsonNode batch = messages(TargetKind.CLOUDEVENTS_BATCH, many(2)).get(0);
    assertThat(batch).hasSize(2);
    assertThat(batch.findValuesAsText("subject")).containsExactly("id1", "id2");
    assertThat(batch.get(0).get("id").asText()).isEqualTo("7-1");
    assertThat(batch.get(1).get("id").asText()).isEqualTo("7-2");
    assertThat(batch.get(1).at("/data/items")).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(
      value = TargetKind.class,
      names = {"DISCORD", "SLACK", "MATTERMOST", "NTFY", "GOTIFY", "MATRIX"})
  void whatever_an_entry_says_it_calls_nobody_and_runs_nothing(TargetKind kind) throws Exception {
    FeedDocument document = document(entry(1, HOSTILE, HOSTILE, "javascript:alert(1)"));

    String message = new String(target(kind).messages(document).get(0), UTF_8);

    JsonNode read = JSON.readTree(message);
    assertThat(message).doesNotContain("javascript:alert");
    switch (kind) {
      case DISCORD -> assertThat(read.at("/allowed_mentions/parse")).isEmpty();
      case SLACK -> assertThat(message).doesNotContain("<!").contains("&lt;!channel&gt;");
      case MATTERMOST ->
          assertThat(read.get("text").asText())
              .doesNotContain("@all", "@everyone")
              .contains("\\[x\\]\\(javascript:1\\)");
      case MATRIX ->
          assertThat(read.get("formatted_body").asText())
              .doesNotContain("<b>")
              .contains("&lt;/p&gt;&lt;b&gt;");
      default -> assertThat(read.get("message").asText()).isEqualTo(HOSTILE);
    }
  }

  @ParameterizedTest
  @CsvSource({"DISCORD,10", "SLACK,10", "MATTERMOST,10", "NTFY,1", "GOTIFY,1", "MATRIX,10"})
  void a_long_document_is_as_many_messages_as_it_needs_and_the_same_each_time(
      TargetKind kind, int most) throws Exception {
    List<JsonNode> messages = messages(kind, many(25));

    assertThat(messages).hasSize((25 + most - 1) / most);
    assertThat(messages(kind, many(25))).isEqualTo(messages);
    String all = messages.toString();
    int last = -1;
    for (int i = 1; i <= 25; i++) {
      int at = all.indexOf("http://site.example/" + i + (kind == TargetKind.MATTERMOST ? ")" : ""));
      assertThat(at).as("entry %d", i).isGreaterThan(last);
      last = at;
    }
  }

  /** Bounds as the services name them. */
  @ParameterizedTest
  @EnumSource(
      value = TargetKind.class,
      names = {"DISCORD", "SLACK", "MATTERMOST", "NTFY", "MATRIX"})
  void each_message_is_below_the_bounds_of_its_service(TargetKind kind) throws Exception {
    String long1 = "&<\uD83D\uDE00".repeat(3_000);
    String link = "http://site.example/" + "&".repeat(900);
    Entry[] entries = new Entry[12];
    for (int i = 0; i < entries.length; i++) {
      entries[i] = entry(i, long1, long1, link);
    }

    List<JsonNode> messages = messages(kind, document(entries));

    assertThat(messages).isNotEmpty();
    for (JsonNode message : messages) {
      switch (kind) {
        case DISCORD -> {
          int all = 0;
          for (JsonNode embed : message.get("embeds")) {
            assertThat(embed.get("title").asText().length()).isLessThanOrEqualTo(2 * 256);
            all +=
                embed.get("title").asText().length() + embed.get("description").asText().length();
          }
          assertThat(message.get("embeds").size()).isBetween(1, 10);
          assertThat(all).isLessThanOrEqualTo(6_000);
        }
        case SLACK -> {
          assertThat(message.get("blocks").size()).isLessThanOrEqualTo(50);
          for (JsonNode block : message.get("blocks")) {
            assertThat(block.at("/text/text").asText().length()).isLessThanOrEqualTo(3_000);
          }
        }
        case MATTERMOST ->
            assertThat(message.get("text").asText().length()).isLessThanOrEqualTo(16_383);
        case NTFY ->
            assertThat(message.get("message").asText().getBytes(UTF_8).length)
                .isLessThanOrEqualTo(4_096);
        default -> assertThat(message.toString().getBytes(UTF_8).length).isLessThan(60_000);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = TargetKind.class,
      names = {"DISCORD", "SLACK", "MATTERMOST", "NTFY", "GOTIFY", "MATRIX"})
  void a_chat_is_told_of_a_state_and_not_of_removals(TargetKind kind) {
    Feed bare = Feed.bare("urn:feed", "News");
    Feed removed = bare.withRemovals(List.of(new Removal("id1", NOW)));
    Status status = Status.of("http://feeds.example/a");

    assertThat(target(kind).messages(new FeedDocument(removed, status, 7, NOW, List.of())))
        .isEmpty();
    assertThat(target(kind).messages(new FeedDocument(bare, status, 7, NOW, List.of())))
        .singleElement()
        .extracting(message -> new String(message, UTF_8))
        .asString()
        .contains("The state of the feed changed");
  }

  @ParameterizedTest
  @EnumSource(TargetKind.class)
  void an_entry_without_anything_still_makes_a_message(TargetKind kind) throws Exception {
    assertThat(messages(kind, document(entry(1, null, null, null)))).hasSize(1);
    assertThat(JSON.readTree(target(kind).message(Announcement.test(1)))).isNotEmpty();
  }

  // Requests.

  @Test
  void a_token_goes_where_the_service_wants_it() {
    assertThat(call(target(TargetKind.DISCORD), "{}").url())
        .isEqualTo("https://chat.example/hooks/s3cret");
    assertThat(call(target(TargetKind.DISCORD, "https://d.example/api/1/?thread_id=2"), "{}").url())
        .isEqualTo("https://d.example/api/1/s3cret?thread_id=2");
    Call ntfy = call(target(TargetKind.NTFY, "https://ntfy.example/topic"), "{}");
    assertThat(ntfy.url()).isEqualTo("https://ntfy.example/");
    assertThat(header(ntfy, "Authorization")).isEqualTo("Bearer s3cret");
    Call gotify = call(target(TargetKind.GOTIFY, "https://push.example/gotify/"), "{}");
    assertThat(gotify.url()).isEqualTo("https://push.example/gotify/message");
    assertThat(header(gotify, "X-Gotify-Key")).isEqualTo("s3cret");
    Call matrix = call(target(TargetKind.MATRIX, "https://m.example/!room:m.example"), "{}");
    assertThat(matrix.method()).isEqualTo(Call.Method.PUT);
    assertThat(matrix.url())
        .isEqualTo(
            "https://m.example/_matrix/client/v3/rooms/%21room%3Am.example/send/m.room.message/msg_tag_7");
    assertThat(header(matrix, "Authorization")).isEqualTo("Bearer s3cret");
  }

  @ParameterizedTest
  @EnumSource(TargetKind.class)
  void messages_to_programs_are_signed_and_messages_to_chats_are_not(TargetKind kind) {
    Call call = call(target(kind, "https://chat.example/!topic"), "{}");

    assertThat(headers(call).contains("webhook-signature")).isEqualTo(kind.isSigned());
    assertThat(call.redirects()).isZero();
    assertThat(call.maxBody()).isEqualTo(Target.MAX_ANSWER);
  }

  @Test
  void a_cloud_event_says_its_mode_and_asks_for_consent_by_OPTIONS() {
    Target target = target(TargetKind.CLOUDEVENTS);
    Call first = target.first(new WebhookMessage("v", new byte[0]), List.of(), NOW, "g.example");

    assertThat(first.method()).isEqualTo(Call.Method.OPTIONS);
    assertThat(header(first, "WebHook-Request-Origin")).isEqualTo("g.example");
    assertThat(header(call(target, "{}"), "Content-Type"))
        .isEqualTo("application/cloudevents+json; charset=UTF-8");
    assertThat(header(call(target(TargetKind.CLOUDEVENTS_BATCH), "[]"), "Content-Type"))
        .isEqualTo("application/cloudevents-batch+json; charset=UTF-8");
    assertThat(target.refusal(reply(200, "", "WebHook-Allowed-Origin", "*"), "", "g.example"))
        .isNull();
    assertThat(
            target.refusal(reply(204, "", "webhook-allowed-origin", "G.example"), "", "g.example"))
        .isNull();
    assertThat(target.refusal(reply(200, "", "WebHook-Allowed-Origin", "x"), "", "g.example"))
        .contains("must allow the origin 'g.example'");
    assertThat(target.refusal(reply(405, "", "WebHook-Allowed-Origin", "*"), "", "g.example"))
        .contains("HTTP 405");
    assertThat(target.problem(reply(415, ""))).contains("structured mode");
  }

  // Answers.

  @Test
  void a_wait_is_read_from_the_body_too() {
    Target discord = target(TargetKind.DISCORD);
    assertThat(discord.retryAfter(reply(429, "{\"retry_after\": 0.65}", "Retry-After", "9"), NOW))
        .contains(Duration.ofMillis(650));
    assertThat(discord.retryAfter(reply(429, "no JSON", "Retry-After", "9"), NOW))
        .contains(Duration.ofSeconds(9));
    assertThat(discord.retryAfter(reply(429, "{\"retry_after\": -1}"), NOW)).isEmpty();
    assertThat(discord.retryAfter(reply(429, "{\"retry_after\": 1e300}"), NOW))
        .contains(Duration.ofHours(24));
    assertThat(discord.retryAfter(reply(200, "{\"retry_after\": 1}"), NOW)).isEmpty();
    assertThat(target(TargetKind.MATRIX).retryAfter(reply(429, "{\"retry_after_ms\": 2000}"), NOW))
        .contains(Duration.ofSeconds(2));
    assertThat(target(TargetKind.SLACK).retryAfter(reply(429, "", "Retry-After", "30"), NOW))
        .contains(Duration.ofSeconds(30));
  }

  @Test
  void a_webhook_that_is_no_more_ends_and_a_message_that_is_refused_is_passed_over() {
    assertThat(target(TargetKind.DISCORD).isGone(reply(404, ""))).isTrue();
    assertThat(target(TargetKind.SLACK).isGone(reply(404, "no_service"))).isTrue();
    assertThat(target(TargetKind.STANDARD).isGone(reply(404, ""))).isFalse();
    assertThat(target(TargetKind.STANDARD).isGone(reply(410, ""))).isTrue();
    assertThat(target(TargetKind.DISCORD).refusesMessage(reply(400, ""))).isTrue();
    assertThat(target(TargetKind.DISCORD).refusesMessage(reply(401, ""))).isFalse();
    assertThat(target(TargetKind.MATTERMOST).refusesMessage(reply(400, ""))).isFalse();
    assertThat(target(TargetKind.STANDARD).refusesMessage(reply(400, ""))).isFalse();
  }

  // Templates.

  private static String rendered(String template, FeedDocument document) {
    return new String(Template.of(template).render(document.json()), UTF_8);
  }

  @Test
  void a_template_of_JSON_escapes_what_it_shows() throws Exception {
    String made =
        rendered(
            "{\"text\": \"{{title}}\", \"all\": [{{#items}}{{^-first}}, {{/-first}}"
                + "\"{{title}} {{permalinkUrl}}\"{{/items}}]}",
            document(entry(2, HOSTILE, null, "http://s.example/2"), entry(1, "One", null, null)));

    JsonNode json = JSON.readTree(made);
    assertThat(json.get("text").asText()).isEqualTo("The *News*");
    assertThat(json.get("all")).hasSize(2);
    assertThat(json.at("/all/0").asText()).isEqualTo(HOSTILE + " http://s.example/2");
  }

  @Test
  void a_template_of_text_shows_values_as_they_are() {
    assertThat(rendered("{{title}}: {{#items}}{{title}}{{/items}}{{missing.one}}", many(1)))
        .isEqualTo("The *News*: Title 1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{{#items}}",
        "{{/items}}",
        "{\"a\": {{{title}}}}",
        "{\"a\": \"{{&title}}\"}",
        "text {{> /etc/passwd}}"
      })
  void a_template_that_cannot_be_read_is_refused(String template) {
    assertThatThrownBy(() -> Template.of(template)).isInstanceOf(BadTemplateException.class);
  }

  @Test
  void a_template_names_no_method_of_an_object() {
    assertThat(rendered("a{{class}}{{title.class}}{{title.bytes}}{{items.size}}z", many(1)))
        .isEqualTo("az");
  }

  @Test
  void a_template_is_bounded_in_length_sections_steps_and_message() {
    String nested = "{{#items}}".repeat(6) + "{{/items}}".repeat(6);
    assertThatThrownBy(() -> rendered("x" + nested, many(100)))
        .isInstanceOf(BadTemplateException.class)
        .hasMessageContaining("steps");
    assertThatThrownBy(
            () -> rendered("x{{#items}}" + "{{title}}".repeat(1_500) + "{{/items}}", many(100)))
        .isInstanceOf(BadTemplateException.class)
        .hasMessageContaining("longer");
    assertThatThrownBy(() -> Template.of("x".repeat(Template.MAX_TEMPLATE + 1)))
        .isInstanceOf(BadTemplateException.class);
    assertThatThrownBy(() -> Template.of("{{#a}}".repeat(1_000) + "{{/a}}".repeat(1_000)))
        .isInstanceOf(BadTemplateException.class)
        .hasMessageContaining("sections");
  }

  @Test
  void an_announcement_that_a_template_makes_nothing_of_is_sent_as_it_is() throws Exception {
    Webhook.Target numbers =
        new Webhook.Target(TargetKind.TEMPLATE, null, "{\"code\": {{status.code}}}");

    byte[] message =
        Targets.of("https://x.example/", numbers).message(Announcement.verification("c"));

    assertThat(JSON.readTree(message).get("challenge").asText()).isEqualTo("c");
    assertThat(
            new String(
                Template.of("{\"code\": {{status.code}}}").render(FeedDocument.example().json()),
                UTF_8))
        .isEqualTo("{\"code\": 200}");
  }

  @Test
  void a_template_that_makes_no_JSON_says_so() {
    assertThatThrownBy(() -> rendered("{\"a\": {{title}}}", many(1)))
        .isInstanceOf(BadTemplateException.class)
        .hasMessageContaining("no JSON");
  }
}
