package io.feedbridge.gateway.web.console;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import io.feedbridge.gateway.testing.FakeEndpoint;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.StreamClient;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages as a browser without scripts gets them, from a gateway of this machine. */
class ConsoleTest {

  private static final String NEWS = "http://feed.example/secret-news";

  @TempDir static Path data;

  private static World world;

  @BeforeAll
  static void start() {
    world = World.around(TestGateway.on(data));
  }

  @AfterAll
  static void stop() {
    world.close();
  }

  private static Document page(String path) {
    HttpResponse<String> answer = world.gateway().get(path);
    assertThat(answer.statusCode()).as(path + ": " + answer.body()).isEqualTo(200);
    return Jsoup.parse(answer.body());
  }

  private static String formToken() {
    return page("/webhooks/new").selectXpath("//input[@name='form_token']").attr("value");
  }

  /** A form with the token of its page. */
  private static HttpResponse<String> form(String path, String... fields) {
    String[] all = new String[fields.length + 2];
    all[0] = "form_token";
    all[1] = formToken();
    System.arraycopy(fields, 0, all, 2, fields.length);
    return world.gateway().form(path, all);
  }

  private static String location(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(303);
    return answer.headers().firstValue("Location").orElseThrow();
  }

  private static String follow(String path) {
    String feed = world.origin().rss(path, "<title>News of " + path + "</title>");
    return location(form("/feeds", "url", feed));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/connect",
        "/publish",
        "/feeds",
        "/feeds/new",
        "/search",
        "/search?q=news",
        "/subscriptions",
        "/webhooks",
        "/webhooks/new",
        "/published",
        "/hosts",
        "/hosts?q=nowhere",
        "/hosts/nowhere.example",
        "/origins",
        "/origins?q=nowhere",
        "/origins/nowhere.example",
        "/upstreams",
        "/live",
        "/access",
        "/sign-in"
      })
  void every_page_is_whole_without_scripts_and_allows_none_but_its_own(String path) {
    HttpResponse<String> answer = world.gateway().get(path);
    Document page = page(path);

    assertThat(page.select("h1")).hasSize(1);
    assertThat(page.select("main").text()).isNotEmpty();
    assertThat(page.select("script:not([src]), style, [style], [onclick], [onload]")).isEmpty();
    assertThat(page.select("script[src], link[href], img[src]"))
        .allMatch(file -> (file.attr("src") + file.attr("href")).startsWith("/assets/"));
    assertThat(answer.headers().firstValue("Content-Security-Policy"))
        .hasValueSatisfying(
            policy ->
                assertThat(policy)
                    .contains("default-src 'self'", "frame-ancestors 'none'")
                    .doesNotContain("unsafe"));
    assertThat(answer.headers().firstValue("X-Frame-Options")).hasValue("DENY");
    assertThat(answer.headers().firstValue("Cache-Control")).hasValue("no-store");
  }

  @Test
  void the_files_of_a_page_are_kept_for_ever_under_their_hash() {
    List<String> urls =
        page("/").select("script[src], link[href], img[src]").stream()
            .map(file -> file.attr("src") + file.attr("href"))
            .distinct()
            .toList();
    assertThat(urls).hasSizeGreaterThanOrEqualTo(5);
    int bytes = world.gateway().get("/").body().getBytes(StandardCharsets.UTF_8).length;
    for (String url : urls) {
      HttpResponse<String> file = world.gateway().get(url);
      assertThat(file.statusCode()).isEqualTo(200);
      assertThat(file.headers().firstValue("Cache-Control"))
          .hasValueSatisfying(value -> assertThat(value).contains("immutable"));
      bytes += file.body().getBytes(StandardCharsets.UTF_8).length;
    }
    assertThat(bytes).as("even uncompressed").isLessThan(150_000);
    assertThat(world.gateway().get(urls.get(0).replaceFirst("assets/.", "assets/_")).statusCode())
        .isEqualTo(404);
  }

  @Test
  void a_stranger_sees_how_to_connect_and_nothing_of_the_operators() {
    world.gateway().json("POST", "/api/v1/feeds", "{\"url\":\"" + NEWS + "\"}");

    String body = world.gateway().getBy("203.0.113.9", "/").body();
    assertThat(body)
        .contains("/hub", "/pleaseNotify", "/test/feed.xml")
        .doesNotContain("feed.example/secret");
    assertThat(Jsoup.parse(body).select("nav, input[name=form_token]")).isEmpty();
    for (String path :
        List.of(
            "/feeds",
            "/search",
            "/hosts",
            "/origins",
            "/webhooks",
            "/published",
            "/live",
            "/live/log",
            "/access",
            "/attention",
            "/figures")) {
      HttpResponse<String> answer = world.gateway().getBy("203.0.113.9", path);
      assertThat(answer.statusCode()).as(path).isEqualTo(403);
      assertThat(answer.body()).doesNotContain("feed.example/secret");
    }
  }

  @Test
  void a_feed_is_explained_before_it_is_followed() {
    String feed =
        world
            .origin()
            .serve(
                "explained.xml",
                "application/rss+xml",
                "<rss version=\"2.0\"><channel><title>Slow news</title></channel></rss>");

    Document before = Jsoup.parse(form("/feeds/new", "url", feed).body());
    assertThat(before.select("h2").eachText()).contains("Slow news");
    assertThat(before.select(".lead").text()).isNotEmpty();
    assertThat(page("/feeds?q=explained.xml").select("tbody tr")).isEmpty();

    String own = location(form("/feeds", "url", feed));
    world.gateway().settle();
    assertThat(own).matches("/feeds/\\d+\\?done=followed");
    assertThat(page(own).select(".notice").text()).contains("followed");
    assertThat(page("/feeds?q=explained.xml").select("tbody tr").text()).contains("Slow news");
  }

  @Test
  void the_history_of_a_feed_leads_to_its_event_and_the_event_tells_how_it_arrived() {
    String feed = world.origin().rss("told.xml", "", "one");
    world.subscribe(feed, "told");
    world.origin().rss("told.xml", "", "two", "one");
    world.publish(feed);
    String list = "/feeds?q=" + URLEncoder.encode(feed, StandardCharsets.UTF_8);
    String own = page(list).select("tbody a[href^=/feeds/]").attr("href");

    World.until(() -> !page(own).select("#history a[href^=/events/]").isEmpty());
    Document shown = page(own);
    assertThat(shown.select("#history tbody tr").get(0).text()).contains("fetch", "127.0.0.1");
    assertThat(shown.select("#history").text()).contains("new →");
    Document event = page(shown.select("#history a[href^=/events/]").attr("href"));
    assertThat(event.select("dl").text()).contains("127.0.0.1", "Fetched");
  }

  @Test
  void a_page_that_is_no_feed_is_told_before_it_is_followed() {
    String page =
        world.origin().serve("page.html", "text/html", "<html><title>Home</title></html>");

    assertThat(Jsoup.parse(form("/feeds/new", "url", page).body()).select("main").text())
        .contains("This is not a feed");
  }

  @Test
  void a_site_is_followed_as_the_feed_that_it_names_after_a_question() {
    String feed = world.origin().rss("of-site.xml", "", "one");
    String site =
        world
            .origin()
            .serve(
                "site.html",
                "text/html",
                "<html><head><link rel='alternate' type='application/rss+xml' href='%s'></head></html>"
                    .formatted(feed));

    Document asked = Jsoup.parse(form("/feeds/new", "url", site).body());

    assertThat(asked.select(".lead").text()).contains("names a feed", feed);
    assertThat(asked.select("form[action=/feeds] input[name=url]").eachAttr("value"))
        .containsExactly(feed, site);
    assertThat(page("/feeds?q=of-site.xml").select("tbody tr")).isEmpty();
  }

  @Test
  void a_visitor_is_given_the_bridged_feed_of_a_typed_url() {
    String feed = "https://example.com/feed?x=1&y=2";

    String encoded = URLEncoder.encode(feed, StandardCharsets.UTF_8);

    Document shown = page("/connect?feed=" + encoded);

    assertThat(shown.select("li code").eachText())
        .containsExactly(
            world.gateway().url("/feed.atom?url=" + encoded),
            world.gateway().url("/feed.rss?url=" + encoded),
            world.gateway().url("/feed.json?url=" + encoded));
    assertThat(page("/connect?feed=nothing").select("#error-feed").text()).isNotEmpty();
  }

  @Test
  void a_link_from_another_site_has_no_feed_looked_at() {
    String feed = world.origin().rss("linked.xml", "", "one");

    Document shown = page("/feeds/new?url=" + feed);

    assertThat(shown.select("#url").attr("value")).isEqualTo(feed);
    assertThat(world.gateway().form("/feeds/new", "url", feed).statusCode()).isEqualTo(403);
    assertThat(world.origin().requests("linked.xml")).isEmpty();
  }

  @Test
  void a_wrong_url_is_told_beside_its_field() {
    HttpResponse<String> answer = form("/feeds", "url", "ftp://feed.example/");

    assertThat(answer.statusCode()).isEqualTo(400);
    Document page = Jsoup.parse(answer.body());
    assertThat(page.select("#error-url").text()).isNotEmpty();
    assertThat(page.select("#url").attr("value")).isEqualTo("ftp://feed.example/");
  }

  @Test
  void a_form_without_the_token_of_its_page_changes_nothing() {
    for (String token : List.of("", "forged")) {
      HttpResponse<String> answer =
          world.gateway().form("/feeds", "form_token", token, "url", "http://feed.example/forged");
      assertThat(answer.statusCode()).isEqualTo(403);
    }
    assertThat(page("/feeds?q=forged").select("tbody tr")).isEmpty();
  }

  @Test
  void a_form_of_another_site_changes_nothing_even_with_the_token() {
    byte[] body =
        Http.encode("form_token", formToken(), "url", "http://feed.example/crossed")
            .getBytes(StandardCharsets.UTF_8);

    HttpResponse<String> answer =
        world
            .gateway()
            .post(
                "/feeds",
                "application/x-www-form-urlencoded",
                body,
                "Origin",
                "http://evil.example");

    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(page("/feeds?q=crossed").select("tbody tr")).isEmpty();
  }

  @Test
  void a_list_tells_what_became_of_each_line() {
    String known = world.origin().rss("known.xml", "");
    String opml =
        """
        <opml version="2.0"><body>
        <outline type="rss" text="New" xmlUrl="http://feed.example/new.xml"/>
        <outline type="rss" text="Bad" xmlUrl="gopher://feed.example/"/>
        <outline type="rss" text="Known" xmlUrl="%s"/>
        </body></opml>
        """
            .formatted(known);
    form("/feeds", "url", known);
    String body =
        String.join(
            "\r\n",
            "--boundary",
            "Content-Disposition: form-data; name=\"form_token\"",
            "",
            formToken(),
            "--boundary",
            "Content-Disposition: form-data; name=\"opml\"; filename=\"a.opml\"",
            "Content-Type: text/xml",
            "",
            opml,
            "--boundary--",
            "");

    HttpResponse<String> answer =
        world
            .gateway()
            .post(
                "/feeds/import",
                "multipart/form-data; boundary=boundary",
                body.getBytes(StandardCharsets.UTF_8));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    List<String> rows = Jsoup.parse(answer.body()).select("tbody tr").eachText();
    assertThat(rows).hasSize(3);
    assertThat(rows.get(0)).contains("Bad", "gopher://", "bad");
    assertThat(rows).anyMatch(row -> row.contains("New") && row.contains("followed"));
    assertThat(rows).anyMatch(row -> row.contains("Known") && row.contains("known"));
  }

  @Test
  void a_webhook_for_a_chat_is_made_without_a_secret_and_its_template_is_tried_out_before() {
    String feed = world.origin().rss("chat.xml", "");
    FakeEndpoint endpoint = new FakeEndpoint(world.subscriber(), "chat");
    String[] fields = {"url", endpoint.url() + "/s3cret", "topics", feed, "target", "template"};

    Document bad = Jsoup.parse(form("/webhooks", with(fields, "template", "{{#a}}")).body());
    assertThat(bad.select("#error-template").text()).contains("cannot be read");
    Document tried =
        Jsoup.parse(
            form("/webhooks", with(with(fields, "template", "<{{title}}>"), "try", "1")).body());
    assertThat(tried.select("#preview pre").text()).isEqualTo("<Example>");
    fields[5] = "slack";
    String path = location(form("/webhooks", fields)).replaceAll("\\?.*", "");

    Document page = page(path);
    assertThat(page.text()).contains("slack").doesNotContain("s3cret");
    assertThat(page.select("#secret")).isEmpty();
    assertThat(page("/webhooks").text()).contains("slack").doesNotContain("s3cret");
    String shown = page.select("input[name=url]").attr("value");
    location(form(path, "url", shown, "topics", feed, "target", "slack", "description", "Chat"));
    assertThat(page(path).expectFirst("h1").text()).isEqualTo("Chat");
  }

  private static String[] with(String[] fields, String name, String value) {
    String[] more = Arrays.copyOf(fields, fields.length + 2);
    more[fields.length] = name;
    more[fields.length + 1] = value;
    return more;
  }

  @Test
  void a_webhook_that_signs_with_a_private_key_shows_its_public_key_on_its_page() {
    String feed = world.origin().rss("signed.xml", "");
    FakeEndpoint endpoint = new FakeEndpoint(world.subscriber(), "signed");

    Document made =
        Jsoup.parse(
            form("/webhooks", "url", endpoint.url(), "topics", feed, "signature", "v1a").body());

    String key = made.expectFirst("code").text();
    assertThat(key).startsWith("whpk_");
    String path = made.select("a.main").attr("href");
    assertThat(page(path).expectFirst("#secret code").text()).isEqualTo(key);
    Document rotated = Jsoup.parse(form(path + "/rotate").body());
    assertThat(rotated.expectFirst("code").text()).startsWith("whpk_").isNotEqualTo(key);
  }

  @Test
  void a_webhook_is_made_tested_rotated_disabled_enabled_and_deleted() {
    String feed = world.origin().rss("hooked.xml", "");
    FakeEndpoint endpoint = new FakeEndpoint(world.subscriber(), "hook");
    HttpResponse<String> made =
        form(
            "/webhooks",
            "url",
            endpoint.url(),
            "topics",
            feed + "\n",
            "filter",
            "keyword:mars",
            "description",
            "My hook");
    assertThat(made.statusCode()).as(made.body()).isEqualTo(200);
    Document page = Jsoup.parse(made.body());
    assertThat(page.expectFirst("code").text()).startsWith("whsec_");
    assertThat(page.select("dt").eachText()).contains("Java", "Python", "Node");
    for (Element program : page.select("a[download]")) {
      assertThat(world.gateway().get(program.attr("href")).body())
          .contains("endpoint.verification", "webhook-signature");
    }
    String path = page.select("a.main").attr("href");
    assertThat(page(path).text()).doesNotContain("whsec_");

    World.until(() -> page(path).expectFirst(".badge").text().equals("active"));
    assertThat(Jsoup.parse(form(path + "/test").body()).select("[role=status]").text())
        .contains("The test message arrived");
    Document rotated = Jsoup.parse(form(path + "/rotate").body());
    assertThat(rotated.expectFirst("code").text()).startsWith("whsec_");
    assertThat(page(path).select("#secret dt")).hasSize(2);
    assertThat(page(location(form(path + "/end-secrets"))).select("#secret dt")).hasSize(1);
    assertThat(Jsoup.parse(form(path + "/rotate", "end", "1").body()).text())
        .contains("The earlier secrets are not valid any more");
    assertThat(page(path).select("#secret dt")).hasSize(1);
    assertThat(page(location(form(path + "/disable"))).expectFirst(".badge").text())
        .isEqualTo("disabled");
    assertThat(page("/").select("#attention").text()).contains("My hook");
    location(form(path + "/enable"));
    assertThat(page("/webhooks").text()).contains("My hook", "keyword:mars");
    Document wrong = Jsoup.parse(form(path, "url", "x:", "topics", "*").body());
    assertThat(wrong.select("#error-url").text()).isNotEmpty();
    assertThat(location(form(path + "/delete"))).isEqualTo("/webhooks?done=deleted");
    assertThat(world.gateway().get(path).statusCode()).isEqualTo(404);
  }

  @Test
  void a_wrong_filter_is_told_beside_its_field_and_the_fields_stay() {
    Document page =
        Jsoup.parse(
            form(
                    "/webhooks",
                    "url",
                    "https://app.example/hook",
                    "topics",
                    "*",
                    "filter",
                    "(unclosed")
                .body());

    assertThat(page.select("#error-filter").text()).isNotEmpty();
    assertThat(page.select("#url").attr("value")).isEqualTo("https://app.example/hook");
  }

  @Test
  void a_feed_that_could_never_be_read_is_on_the_start_page_with_its_cause() {
    String feed = world.origin().fail("unread.xml", 500);
    form("/feeds", "url", feed);

    World.until(() -> page("/").select("#attention").text().contains("status 500"));
  }

  @Test
  void a_subscriber_that_is_behind_is_on_the_start_page_with_its_cause() {
    String feed = world.origin().rss("behind.xml", "");
    world.subscribe(feed, "behind");
    world.awaitSubscription("behind");
    world.gateway().settle();
    world.subscriber().answer("behind", 503);
    world.origin().rss("behind.xml", "", "<item><title>Now</title><guid>1</guid></item>");
    world.publish(feed);

    World.until(
        () -> page("/").select("#attention").text().contains(world.subscriber().url("behind")));
    Element row =
        page("/").select("#attention li").stream()
            .filter(one -> one.text().contains(world.subscriber().url("behind")))
            .findFirst()
            .orElseThrow();
    assertThat(row.text()).contains("HTTP 503", "1 event behind");
    Document subscription = page(row.select("a").attr("href"));
    assertThat(subscription.select("table").text()).contains("HTTP 503");
    assertThat(location(form(row.select("form").attr("action")))).contains("done=retried");
  }

  @Test
  void an_event_tells_of_each_subscriber_whether_it_got_it_and_why_not() {
    String feed = world.origin().rss("reached.xml", "", "one");
    world.subscribe(feed, "reached");
    world.subscribe(feed, "unreached");
    world.awaitSubscription("reached");
    world.awaitSubscription("unreached");
    world.gateway().settle();
    world.subscriber().answer("unreached", 503);
    world.origin().rss("reached.xml", "", "two", "one");
    world.publish(feed);
    String list = "/feeds?q=" + URLEncoder.encode(feed, StandardCharsets.UTF_8);
    String own = page(list).select("tbody a[href^=/feeds/]").attr("href");
    World.until(() -> !page(own).select("#history a[href^=/events/]").isEmpty());
    String event = page(own).select("#history a[href^=/events/]").attr("href");

    World.until(() -> row(event, "/unreached").contains("HTTP 503"));
    World.until(() -> row(event, "/reached").contains("delivered"));
    assertThat(row(event, "/unreached")).contains("failed", "1 failed attempt", "next try");
    assertThat(row(event, "/reached")).contains("HTTP 204").doesNotContain("503");
  }

  private static String row(String path, String callback) {
    return page(path).select("tbody tr").stream()
        .filter(one -> one.select("a.url").text().endsWith(callback))
        .findFirst()
        .map(Element::text)
        .orElse("");
  }

  @Test
  void an_entry_is_found_by_a_word_and_leads_to_its_deliveries_and_documents() {
    String feed = world.origin().rss("searched.xml", "", "one");
    world.subscribe(feed, "searched");
    world.awaitSubscription("searched");
    world.origin().rss("searched.xml", "", "zyzzyva", "one");
    world.publish(feed);

    World.until(() -> !page("/search?q=zyzzyva").select("tbody a[href^=/events/]").isEmpty());
    Document found = page("/search?q=zyzzyva");
    assertThat(found.select("tbody tr")).hasSize(1);
    assertThat(found.select("code").text()).contains("/track?query=zyzzyva");
    assertThat(found.select("a[href^=/webhooks/new?topic=]").attr("href")).contains("zyzzyva");
    String event = found.select("tbody a[href^=/events/]").attr("href");
    World.until(() -> row(event, "/searched").contains("delivered"));
    for (String format : List.of("atom", "json", "rss", "jsonfeed")) {
      assertThat(page(event + "?format=" + format).select("pre.document").text())
          .as(format)
          .contains("zyzzyva");
    }
    assertThat(page(event + "?format=raw").select("pre.document").text()).contains("not kept");

    assertThat(page("/").select("tbody a[href=" + event + "]").text()).contains("zyzzyva");
    String own = page(event).select("a[href^=/feeds/]").attr("href");
    assertThat(page(own).select("a[href=" + event + "]").eachText())
        .hasSizeGreaterThanOrEqualTo(2)
        .allMatch(text -> text.contains("zyzzyva"));
    String subscriber = page(event).select("a[href^=/subscriptions/]").attr("href");
    assertThat(page(subscriber).select("a[href=" + event + "]").text()).contains("zyzzyva");
  }

  @Test
  void a_host_shows_its_state_and_the_subscriptions_that_wait_for_it() {
    String feed = world.origin().rss("held.xml", "", "one");
    world.subscribe(feed, "held");
    world.awaitSubscription("held");
    world.subscriber().answer("held", 503);
    world.origin().rss("held.xml", "", "two", "one");
    world.publish(feed);

    World.until(() -> !page("/hosts?q=127").select("tbody a[href^=/hosts/]").isEmpty());
    String own = page("/hosts?q=127").select("tbody a[href^=/hosts/]").attr("href");
    World.until(() -> page(own).select("tbody tr").text().contains("/held"));
    assertThat(page("/hosts?q=127&state=answering").select("tbody tr").text())
        .contains("127.0.0.1", "answering", " ms");
    assertThat(page("/hosts?q=127&state=open").select("tbody tr")).isEmpty();
    assertThat(page(own).select("dl").text()).contains("answering", "Behind");
    assertThat(page("/subscriptions?q=%2FHELD").select("tbody tr")).hasSize(1);
  }

  @Test
  void a_host_of_feeds_shows_its_state_its_pause_and_its_feeds_that_fail() {
    // Another port: a pause holds for one port of a host.
    try (FakeOrigin busy = new FakeOrigin()) {
      ResponseDefinitionBuilder refusal = aResponse().withStatus(503);
      form("/feeds", "url", busy.answer("paused.xml", refusal.withHeader("Retry-After", "900")));

      World.until(() -> page("/origins/127.0.0.1").select("dl").text().contains("Paused until"));
      assertThat(page("/origins/127.0.0.1").select("dl").text())
          .contains("Latency", "that it may have at once");
      assertThat(page("/origins?q=127").select("tbody tr").text()).contains("127.0.0.1");
      assertThat(page("/origins?q=no-such-host").select("tbody tr")).isEmpty();
    }
    String failing = location(form("/feeds", "url", world.origin().fail("failing.xml", 404)));
    String refresh = failing.substring(0, failing.indexOf('?')) + "/refresh";
    World.until(
        () -> {
          form(refresh);
          return page("/origins/127.0.0.1").select("ul").text().contains("failing.xml");
        });
  }

  @Test
  void a_search_that_is_none_says_what_is_wrong_beside_its_field() {
    HttpResponse<String> answer = world.gateway().get("/search?q=" + "%28");

    assertThat(answer.statusCode()).isEqualTo(422);
    assertThat(Jsoup.parse(answer.body()).select("#error-q").text()).isNotEmpty();
  }

  @Test
  void the_start_page_has_the_last_hour_and_the_totals() {
    follow("counted.xml");
    Document start = page("/");

    assertThat(start.select(".plot").eachAttr("data-name"))
        .containsExactly("Pings", "Fetches", "Entries", "Deliveries", "Ping to first delivery, ms");
    assertThat(start.select(".plot").eachAttr("data-times")).allMatch(times -> !times.isEmpty());
    assertThat(start.select("#figures").text()).contains("Deliveries", "WebSub subscriptions");
    int feeds = Integer.parseInt(start.select(".figures > div:has(a[href=/feeds]) strong").text());
    assertThat(feeds).isPositive();
  }

  @Test
  void a_feed_for_a_webhook_is_found_by_its_words_and_a_bad_one_is_named_by_its_number() {
    follow("offered.xml");
    String feed = world.origin().url("offered.xml");

    assertThat(page("/webhooks/feeds?q=offered.xml").select("[data-add]").eachAttr("data-add"))
        .containsExactly(feed);
    assertThat(page("/webhooks/feeds?q=").select("[data-add]")).isEmpty();
    String[] fields = {"topics", feed + "\nnothing", "url", "http://callback.example/"};
    assertThat(Jsoup.parse(form("/webhooks", fields).body()).select("#error-topics").text())
        .startsWith("topic 2, 'nothing': ");
  }

  @Test
  void the_language_of_filters_and_searches_is_explained_where_it_is_typed() {
    for (String path : List.of("/webhooks/new", "/search")) {
      assertThat(page(path).select("details").text()).as(path).contains("category:", "OR", "-ice");
    }
  }

  @Test
  void a_filter_is_tried_on_recent_entries_before_a_webhook_has_it() {
    String feed = world.origin().rss("tried.xml", "", "one");
    world.subscribe(feed, "tried");
    world.awaitSubscription("tried");
    world.gateway().settle();
    world.origin().rss("tried.xml", "", "two of mars", "three", "one");
    world.publish(feed);
    String[] fields = {"try", "1", "topics", feed, "filter", "keyword:mars", "url", "", "x", ""};

    World.until(() -> tried(fields).select("#preview tbody tr").size() >= 2);
    Document shown = tried(fields);
    assertThat(shown.select("#preview tbody tr").eachText())
        .anyMatch(one -> one.contains("mars") && one.endsWith("yes"))
        .anyMatch(one -> one.contains("three") && one.endsWith("no"));
    assertThat(shown.select("#topics").text()).isEqualTo(feed);
    assertThat(shown.select("#filter").attr("value")).isEqualTo("keyword:mars");
    fields[5] = "keyword:(";
    assertThat(tried(fields).select("#error-filter").text()).isNotEmpty();
  }

  private static Document tried(String... fields) {
    return Jsoup.parse(form("/webhooks", fields).body());
  }

  @Test
  void a_webhook_is_sent_the_events_of_a_time_again() {
    String feed = world.origin().rss("again.xml", "", "one");
    FakeEndpoint endpoint = new FakeEndpoint(world.subscriber(), "again");
    HttpResponse<String> made = form("/webhooks", "url", endpoint.url(), "topics", feed);
    String path = Jsoup.parse(made.body()).select("a.main").attr("href");
    World.until(() -> page(path).expectFirst(".badge").text().equals("active"));
    world.gateway().settle();
    world.origin().rss("again.xml", "", "two", "one");
    world.publish(feed);
    World.until(() -> !endpoint.messages().isEmpty());

    assertThat(location(form(path + "/replay", "hours", "1"))).contains("done=replayed");

    World.until(() -> endpoint.messages().size() > 1);
    assertThat(Jsoup.parse(form(path + "/replay", "hours", "soon").body()).select("#error-since"))
        .hasSize(1);
  }

  @Test
  void a_token_and_a_publisher_are_made_and_removed() {
    Document made = Jsoup.parse(form("/access/tokens", "login", "ada", "rights", "list").body());
    assertThat(made.select("[role=status] code").text()).isNotEmpty();
    assertThat(page("/access").select("td").eachText()).contains("ada", "list");
    Document wrong =
        Jsoup.parse(form("/access/tokens", "login", "no spaces", "rights", "list").body());
    assertThat(wrong.select("#error-token-login").text()).isNotEmpty();
    String revoke = page("/access").select("form[action$=revoke]").attr("action");
    assertThat(location(form(revoke))).contains("revoked");

    form("/access/publishers", "topic", "http://feed.example/published");
    assertThat(page("/access").text()).contains("http://feed.example/published");
  }

  @Test
  void a_list_is_published_changed_followed_and_removed() {
    String feed = world.origin().rss("listed.xml", "", "old");
    String lines = feed + "  Listed feed\n\nhttp://other.example/feed";
    assertThat(location(form("/published", "name", "mine", "title", "My list", "feeds", lines)))
        .contains("/published/mine");
    assertThat(page("/published").select("td").eachText()).contains("My list", "2");
    assertThat(
            Jsoup.parse(form("/published", "name", "mine", "feeds", feed).body())
                .select("#error-name"))
        .hasSize(1);
    assertThat(
            Jsoup.parse(form("/published", "name", "a/b", "feeds", feed).body()).select(".error"))
        .isNotEmpty();
    form("/published/mine/take", "url", "http://other.example/feed");
    assertThat(
            Jsoup.parse(form("/published/mine/add", "feeds", "no url").body()).select("#error-add"))
        .hasSize(1);

    String list = world.gateway().url("/lists/mine.opml");
    String id = location(form("/feeds", "url", list)).replaceAll("\\?.*", "");
    World.until(() -> page(id).select("#members td").eachText().contains("followed"));
    assertThat(page(id).select("#members a").eachText()).containsExactly("Listed feed");
    assertThat(page(id).select("#members .lead").text())
        .isEqualTo("1 feed, 1 followed for the list");

    form("/published/mine/remove");
    assertThat(page("/published").text()).contains("No list is published yet");
  }

  @Test
  void the_live_log_filters_and_its_stream_has_rows() {
    follow("live.xml");
    world.gateway().settle();

    assertThat(page("/live").select("tbody tr").text()).contains("live.xml");
    assertThat(page("/live?text=no-such-thing").select("tbody tr")).isEmpty();
    assertThat(world.gateway().get("/live?kind=unheard").statusCode()).isEqualTo(400);

    String stream =
        page("/live?text=streamed").selectXpath("//*[@sse-connect]").attr("sse-connect");
    try (StreamClient rows = StreamClient.get(world.gateway().url(stream))) {
      follow("unwanted.xml");
      world.gateway().settle();
      follow("streamed.xml");
      World.until(() -> !rows.fields("data").isEmpty());
      assertThat(rows.fields("data"))
          .allMatch(row -> row.startsWith("<tr") && row.contains("streamed.xml"));
    }
  }

  @Test
  void a_list_says_how_long_it_is_and_is_sorted_and_entered_at_any_page() {
    String feeds =
        IntStream.range(0, 60)
            .mapToObj(i -> "<outline xmlUrl=\"http://many.example/%d.xml\"/>".formatted(i))
            .reduce("", String::concat);
    world
        .gateway()
        .post(
            "/api/v1/import",
            "text/x-opml",
            ("<opml version=\"2.0\"><body>" + feeds + "</body></opml>")
                .getBytes(StandardCharsets.UTF_8));

    Document first = page("/feeds?q=many.example");
    assertThat(first.select("tbody tr")).hasSize(50);
    assertThat(first.select(".pages").text()).contains("1 to 50 of 60 feeds");
    Document second = page(first.select(".pages a[rel=next]").attr("href"));
    assertThat(second.select("tbody tr")).hasSize(10);
    assertThat(second.select(".pages").text()).contains("51 to 60 of 60 feeds");
    assertThat(second.select(".pages a[rel=next]")).isEmpty();
    assertThat(second.select(".pages a[rel=prev]").attr("href")).isEqualTo("/feeds?q=many.example");

    // The form of the page number keeps the filter.
    assertThat(second.select(".pages form input[type=hidden]").attr("value"))
        .isEqualTo("many.example");
    Document beyond = page("/feeds?q=many.example&page=9");
    assertThat(beyond.select(".empty").text()).contains("has no page 9");
    assertThat(beyond.select(".empty a").attr("href")).isEqualTo("/feeds?q=many.example&page=2");

    String byTitle = first.select("th a").attr("href");
    assertThat(byTitle).isEqualTo("/feeds?q=many.example&sort=title");
    assertThat(page(byTitle).select("tbody tr .url").eachText())
        .as("feeds without a title are sorted by their URL")
        .startsWith("http://many.example/0.xml", "http://many.example/1.xml")
        .isSorted();
    assertThat(page("/feeds?q=nothing.like.it&sort=title").select(".empty").text())
        .contains("No feed matches");
    assertThat(page("/webhooks?page=2").select(".empty").text()).isNotEmpty();
  }

  @Test
  void the_first_byte_of_each_page_comes_soon() {
    // Of a slow machine, the simplest answer tells how slow it is.
    long simplest = usualMillis("/health");
    for (String path : List.of("/feeds", "/subscriptions", "/webhooks", "/upstreams", "/")) {
      assertThat(usualMillis(path)).as(path).isLessThan(100 + 10 * simplest);
    }
  }

  /** The median of the times that a path takes, once it was asked for a few times. */
  private static long usualMillis(String path) {
    List<Long> times =
        IntStream.range(0, 25)
            .mapToObj(
                i -> {
                  long before = System.nanoTime();
                  assertThat(world.gateway().get(path).statusCode()).isEqualTo(200);
                  return Duration.ofNanos(System.nanoTime() - before).toMillis();
                })
            .skip(10)
            .sorted()
            .toList();
    return times.get(times.size() / 2);
  }
}
