package io.feedbridge.gateway.web.console;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.gateway.web.common.Html;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Attribute;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Texts of strangers, which came in through the usual doors, are text on every page. */
class HostileMarkupTest {

  /** Feeds that have an event. */
  private static final int NEWS = 10;

  /** Titles of Atom are plain text, from which the normalizer takes nothing away. */
  private static final String DOCUMENT =
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><id>urn:x</id><title type="text">%1$s</title>
      <entry><id>%2$s</id><title type="text">%2$s</title><author><name>%2$s</name></author></entry>
      </feed>
      """;

  @TempDir static Path data;

  private static World world;

  /** Each door is given every text. */
  @BeforeAll
  static void enter() {
    world = World.around(TestGateway.on(data));
    Http http = new Http();
    int number = 0;
    for (String text : HostileText.ALL) {
      String feed =
          world
              .origin()
              .serve(
                  "feed" + number++ + ".xml",
                  "application/atom+xml",
                  DOCUMENT.formatted(Html.escaped(text), Html.escaped(text)));
      world.gateway().json("POST", "/api/v1/feeds", "{\"url\":\"" + feed + "\"}");
      String written = URLEncoder.encode(text, StandardCharsets.UTF_8);
      http.get(
          world.gateway().url("/pingSiteForm?name=" + written + "&url=" + feed),
          "User-Agent",
          text);
      world.gateway().get("/hub?hub.mode=" + written);
      world.gateway().form("/ping", "url", text);
      world.gateway().subscribe(feed, world.subscriber().url("callback?x=" + written));
    }
    String failing =
        world
            .origin()
            .answer(
                "reason.xml",
                aResponse().withStatusMessage(HostileText.ALL.get(0)).withStatus(500));
    world.gateway().json("POST", "/api/v1/feeds", "{\"url\":\"" + failing + "\"}");
    refusedByItsHub();
    world.gateway().settle();
    // Entries of the first fetch are no event, so each feed has one more.
    for (int i = 0; i < NEWS; i++) {
      String text = HostileText.ALL.get(i);
      world.publish(
          world
              .origin()
              .serve(
                  "feed" + i + ".xml",
                  "application/atom+xml",
                  DOCUMENT.formatted(Html.escaped(text), Html.escaped("two " + text))));
    }
    world.gateway().settle();
  }

  private static void refusedByItsHub() {
    String topic =
        world
            .origin()
            .serve(
                "denied.xml",
                "application/rss+xml",
                "<rss version=\"2.0\"><channel><title>Denied</title></channel></rss>",
                "<%s>; rel=\"hub\"".formatted(world.hub().url()),
                "<%s>; rel=\"self\"".formatted(world.origin().url("denied.xml")));
    world.gateway().json("POST", "/api/v1/feeds", "{\"url\":\"" + topic + "\"}");
    World.until(() -> world.hub().subscribers(topic) > 0);
    world.hub().deny(topic, String.join(" ", HostileText.ALL.subList(0, 3)));
  }

  @AfterAll
  static void stop() {
    world.close();
  }

  private static Document checked(String path) {
    HttpResponse<String> answer = world.gateway().get(path);
    assertThat(answer.statusCode()).as(path).isLessThan(500);
    Document page = Jsoup.parse(answer.body());
    assertThat(
            page.select(
                "script:not([src^=/assets/]), link:not([href^=/assets/]), img:not([src^=/assets/])"))
        .as(path)
        .isEmpty();
    assertThat(
            page.select(
                "iframe, object, embed, svg, math, base, style, video, marquee, details[open]"))
        .as(path)
        .isEmpty();
    for (Element element : page.getAllElements()) {
      for (Attribute attribute : element.attributes()) {
        String name = attribute.getKey().toLowerCase(Locale.ROOT);
        String value = attribute.getValue().strip().toLowerCase(Locale.ROOT);
        assertThat(name).as(path).doesNotStartWith("on").doesNotStartWith("hx-on");
        if (name.equals("href") || name.equals("action") || name.startsWith("hx-get")) {
          assertThat(value)
              .as(path)
              .doesNotStartWith("javascript:")
              .doesNotStartWith("data:")
              .doesNotContain("//evil.example");
        }
      }
    }
    return page;
  }

  private static List<String> links(String list, String prefix) {
    return checked(list).select("tbody a[href^=" + prefix + "]").stream()
        .map(link -> link.attr("href"))
        .filter(href -> href.matches(prefix + "[0-9]+"))
        .distinct()
        .toList();
  }

  @Test
  void titles_of_feeds_are_text_in_the_list_and_on_their_pages() {
    String list = checked("/feeds?limit=500").text();
    for (String text : HostileText.ALL) {
      assertThat(list).contains(text.replaceAll("\\s+", " "));
    }
    List<String> feeds = links("/feeds", "/feeds/");
    assertThat(feeds).hasSizeGreaterThanOrEqualTo(HostileText.ALL.size());
    for (String feed : feeds) {
      checked(feed);
    }
  }

  @Test
  void titles_and_ids_of_entries_are_text_on_the_pages_of_events() {
    String first = world.gateway().get("/api/v1/events?limit=1").body();
    assertThat(first).contains("\"id\":\"1\"");
    for (int seq = 1; seq <= NEWS; seq++) {
      assertThat(checked("/events/" + seq).select("tbody tr")).isNotEmpty();
    }
    assertThat(checked("/events/1").text()).contains(HostileText.MARK);
    for (String format : List.of("atom", "json", "rss", "jsonfeed", "raw")) {
      assertThat(checked("/events/1?format=" + format).select("pre.document")).isNotEmpty();
    }
  }

  @Test
  void titles_of_lists_and_of_their_feeds_are_text() throws IOException {
    String title = String.join(" ", HostileText.ALL).replace("\0", "");
    String text =
        new ObjectMapper().writeValueAsString(title.substring(0, Math.min(400, title.length())));
    String body = "{\"title\":%s,\"feeds\":[{\"url\":\"http://evil.example/\",\"title\":%s}]}";
    assertThat(
            world
                .gateway()
                .json("PUT", "/api/v1/lists/evil", body.formatted(text, text))
                .statusCode())
        .isEqualTo(201);

    checked("/published");
    assertThat(checked("/published/evil").select("tbody tr")).hasSize(1);
  }

  @Test
  void callbacks_are_text() {
    assertThat(checked("/subscriptions").text()).contains(HostileText.MARK);
    for (String subscription : links("/subscriptions", "/subscriptions/")) {
      checked(subscription);
    }
  }

  @Test
  void pings_reasons_and_outcomes_are_text_in_the_log() {
    assertThat(checked("/live").text()).contains(HostileText.MARK);
    checked("/upstreams");
    checked("/access");
    checked("/");
    checked("/attention");
  }

  @Test
  void the_reason_of_a_hub_is_text() {
    World.until(() -> checked("/feeds?q=denied.xml").text().contains("denied.xml"));
    checked(links("/feeds?q=denied.xml", "/feeds/").get(0));
  }

  @Test
  void parameters_and_fields_are_text_where_they_are_shown_again() {
    String formToken = checked("/webhooks/new").select("[name=form_token]").attr("value");
    for (String text : HostileText.ALL) {
      String written = URLEncoder.encode(text, StandardCharsets.UTF_8);
      for (String path :
          List.of(
              "/feeds?q=",
              "/feeds?state=",
              "/search?q=",
              "/feeds/new?url=",
              "/subscriptions?callback=",
              "/subscriptions?topic=",
              "/webhooks?topic=",
              "/webhooks/new?topic=",
              "/live?text=",
              "/live?kind=",
              "/sign-in?next=",
              "/?done=",
              "/feeds?cursor=",
              "/pingSiteForm?url=")) {
        checked(path + written);
      }
      Document page =
          Jsoup.parse(
              world
                  .gateway()
                  .form(
                      "/webhooks",
                      "form_token",
                      formToken,
                      "url",
                      text,
                      "topics",
                      text,
                      "filter",
                      text)
                  .body());
      assertThat(page.expectFirst("#topics").wholeText().strip()).isEqualTo(text);
      assertThat(page.select("#url").attr("value")).isEqualTo(text);
    }
  }
}
