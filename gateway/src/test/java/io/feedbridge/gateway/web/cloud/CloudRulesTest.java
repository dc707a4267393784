package io.feedbridge.gateway.web.cloud;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.Results;
import io.feedbridge.gateway.testing.World;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The gateway as a cloud: registrations, tests of handlers, notifications, pings. */
class CloudRulesTest {

  private static final String FORM = "application/x-www-form-urlencoded";
  private static final String PROLOG = "<?xml version='1.0' encoding='UTF-8'?>";
  private static final String REGISTERED = "Registered. Register again within 25 hours to keep it.";

  private World world;
  private String feed;

  @BeforeEach
  void start(@TempDir Path data) {
    world = World.on(data);
    feed = world.origin().rss("feed.xml", "", "one");
  }

  @AfterEach
  void stop() {
    world.close();
  }

  @Nested
  class ARegistration {

    @ParameterizedTest
    @ValueSource(strings = {"/pleaseNotify", "/rsscloud/pleaseNotify"})
    void is_answered_in_this_very_text(String path) {
      HttpResponse<String> answer = world.gateway().post(path, FORM, form(Map.of()));

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type")).hasValue("text/xml; charset=utf-8");
      assertThat(answer.body())
          .isEqualTo(PROLOG + "<notifyResult success=\"true\" msg=\"" + REGISTERED + "\"/>");
    }

    @Test
    void is_answered_in_json_where_that_is_preferred() {
      HttpResponse<String> answer =
          world
              .gateway()
              .post(
                  "/pleaseNotify",
                  FORM,
                  form(Map.of()),
                  "Accept",
                  "text/xml;q=0.5,application/json");

      assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
      assertThat(answer.body()).isEqualTo("{\"success\":true,\"msg\":\"" + REGISTERED + "\"}");
    }

    @Test
    void with_a_domain_is_tested_by_GET_with_url_and_challenge() {
      assertThat(register(Map.of()).success()).isTrue();

      Request asked = world.subscriber().asked("one").get(0);
      assertThat(asked.query().keySet()).containsExactlyInAnyOrder("url", "challenge");
      assertThat(asked.query().get("url")).containsExactly(feed);
      assertThat(Http.first(asked.query(), "challenge")).hasSizeGreaterThanOrEqualTo(20);
      assertThat(world.subscriber().received("one")).isEmpty();
    }

    @Test
    void without_a_domain_is_tested_by_POST_at_the_callers_address() {
      assertThat(register(Map.of("domain", "")).success()).isTrue();

      Request test = world.delivery("one");
      assertThat(new String(test.body(), UTF_8)).isEqualTo(Http.encode("url", feed));
      assertThat(test.header("Content-Type"))
          .hasValueSatisfying(type -> assertThat(type).startsWith(FORM));
      assertThat(world.subscriber().asked("one")).isEmpty();
    }

    @Test
    void without_a_domain_needs_any_2xx() {
      for (int status : List.of(404, 500, 302, 200, 204, 299)) {
        world.subscriber().answer("to" + status, status);

        Results.Result result = register(Map.of("domain", "", "path", "/to" + status));

        assertThat(result.success()).as("status %d", status).isEqualTo(status < 300);
      }
      assertThat(world.gateway().rows().count("subscription")).isEqualTo(3);
    }

    @Test
    void with_a_query_in_its_path_has_the_rest_appended_to_it() {
      assertThat(register(Map.of("path", "/one?rsscloud=notify&a=%7e")).success()).isTrue();
      assertThat(world.subscriber().asked("one").get(0).rawQuery())
          .startsWith("rsscloud=notify&a=%7e&url=");

      changed("two", "one");

      Request notification = world.delivery("one");
      assertThat(notification.rawQuery()).isEqualTo("rsscloud=notify&a=%7e");
      assertThat(new String(notification.body(), UTF_8)).isEqualTo(Http.encode("url", feed));
    }

    @Test
    void whose_path_has_no_slash_gets_one() {
      assertThat(register(Map.of("path", "one")).success()).isTrue();
      assertThat(world.subscriber().asked("one")).hasSize(1);
    }

    @Test
    void by_https_post_is_tested_over_tls() {
      Results.Result result = register(Map.of("protocol", "https-post"));

      assertThat(result.success()).isFalse();
      assertThat(result.msg()).contains(feed, "your handler could not be reached", "TLS");
      assertThat(world.subscriber().asked("one")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"url", "url2", "url7", "url999999"})
    void may_name_the_feed_by_any_number_or_none(String name) {
      assertThat(register(Map.of("url1", "", name, feed)).success()).isTrue();
      assertThat(world.gateway().rows().count("subscription")).isEqualTo(1);
    }

    @Test
    void that_names_a_feed_twice_is_one() {
      assertThat(register(Map.of("url", feed, "url2", feed)).success()).isTrue();

      assertThat(world.gateway().rows().count("subscription")).isEqualTo(1);
      assertThat(world.subscriber().asked("one")).hasSize(1);
      changed("two", "one");
      world.delivery("one");
    }

    @Test
    void without_a_procedure_or_with_one_under_the_old_name_is_taken() {
      Map<String, String> form = fields(Map.of("registerProcedure", "notifyMe"));
      form.remove("notifyProcedure");

      assertThat(register(form).success()).isTrue();
    }

    @Test
    void that_is_repeated_is_a_renewal() {
      register(Map.of());
      String row = world.gateway().rows().query("SELECT id, start FROM subscription").get(0);
      register(Map.of());

      assertThat(world.gateway().rows().query("SELECT id, start FROM subscription"))
          .containsExactly(row);
    }

    @Test
    void of_one_feed_by_many_at_the_same_time_is_kept_for_each() {
      Http http = new Http();
      List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        answers.add(
            http.post(
                world.gateway().url("/pleaseNotify"), FORM, form(Map.of("path", "/many" + i))));
      }

      assertThat(answers)
          .allSatisfy(
              answer -> assertThat(Results.xml(answer.join(), "notifyResult").success()).isTrue());
      assertThat(world.gateway().rows().count("subscription")).isEqualTo(50);
      assertThat(world.origin().requests("feed.xml")).hasSize(1);
      changed("two", "one");
      for (int i = 0; i < 50; i++) {
        world.delivery("many" + i);
      }
    }

    @Test
    void lasts_25_hours() {
      register(Map.of());

      assertThat(
              world
                  .gateway()
                  .rows()
                  .query("SELECT (lease_ends_at - created_at) / 3600000 FROM subscription"))
          .containsExactly("25");
    }
  }

  @Nested
  class AHandlerThatRedirects {

    private static final List<Integer> STATUSES = List.of(301, 302, 307, 308);

    @Test
    void is_tested_where_it_leads_with_the_challenge_that_the_redirect_dropped() {
      for (int status : STATUSES) {
        onQuestion("from" + status, status, "/to" + status + "?a=b");

        assertThat(register(Map.of("path", "/from" + status)).success()).isTrue();

        Request first = world.subscriber().asked("from" + status).get(0);
        Request test = world.subscriber().asked("to" + status).get(0);
        assertThat(test.query().get("url")).containsExactly(feed);
        assertThat(test.query().get("a")).containsExactly("b");
        assertThat(Http.first(test.query(), "challenge"))
            .isEqualTo(Http.first(first.query(), "challenge"));
      }
    }

    @Test
    void without_a_domain_is_tested_by_a_POST_where_it_leads() {
      for (int status : STATUSES) {
        redirect("from" + status, status, "/to" + status);

        assertThat(register(Map.of("path", "/from" + status, "domain", "")).success()).isTrue();

        assertThat(world.subscriber().bodies("to" + status))
            .containsExactly(Http.encode("url", feed));
      }
    }

    @Test
    void keeps_a_challenge_that_its_redirect_kept() {
      world
          .subscriber()
          .onQuestion(
              "from",
              request ->
                  CompletableFuture.completedFuture(
                      Response.empty(301).withHeader("Location", "/to?" + request.rawQuery())));

      assertThat(register(Map.of("path", "/from")).success()).isTrue();
      assertThat(world.subscriber().asked("to").get(0).query().get("challenge")).hasSize(1);
    }

    @Test
    void in_circles_or_to_an_address_that_is_refused_fails_its_test() {
      onQuestion("circle", 302, "/circle");
      onQuestion("inside", 302, "http://10.0.0.1/handler");
      onQuestion("file", 302, "file:///etc/hostname");

      assertThat(register(Map.of("path", "/circle")).msg()).contains("more than 5 times");
      assertThat(world.subscriber().asked("circle")).hasSize(6);
      assertThat(register(Map.of("path", "/inside")).msg())
          .contains("your handler could not be reached", "10.0.0.1");
      assertThat(register(Map.of("path", "/file")).msg()).contains("not http or https");
      assertThat(world.gateway().rows().count("subscription")).isZero();
    }

    @Test
    void is_notified_where_it_was_tested() {
      onQuestion("from", 301, "/to");
      redirect("from", 301, "/to");
      assertThat(register(Map.of("path", "/from")).success()).isTrue();

      changed("two", "one");

      assertThat(new String(world.delivery("to").body(), UTF_8))
          .isEqualTo(Http.encode("url", feed));
    }

    private void onQuestion(String path, int status, String location) {
      world
          .subscriber()
          .onQuestion(
              path,
              request ->
                  CompletableFuture.completedFuture(
                      Response.empty(status).withHeader("Location", location)));
    }
  }

  @Nested
  class ANotification {

    @BeforeEach
    void registered() {
      world.register(feed, "one");
    }

    @Test
    void follows_redirects_and_stays_a_POST_with_its_form() {
      List<Integer> redirects = List.of(301, 302, 303, 307, 308);
      for (int status : redirects) {
        world.register(feed, "from" + status);
        redirect("from" + status, status, "/to" + status + "?a=b");
      }

      changed("two", "one");

      for (int status : redirects) {
        Request notification = world.delivery("to" + status);
        assertThat(notification.rawQuery()).isEqualTo("a=b");
        assertThat(new String(notification.body(), UTF_8)).isEqualTo(Http.encode("url", feed));
      }
      assertThat(world.gateway().rows().count("laggard")).isZero();
    }

    @Test
    void follows_at_most_five_redirects() {
      redirect("one", 307, "/one");

      changed("two", "one");

      assertThat(world.deliveries("one", 6)).hasSize(6);
      assertThat(world.gateway().rows().count("laggard")).isEqualTo(1);
    }

    @Test
    void that_fails_is_tried_again() {
      world.subscriber().answer("one", 500);
      changed("two", "one");
      world.delivery("one");
      world.subscriber().answer("one", 204);

      world.deliveries("one", 2);
      assertThat(world.subscriber().bodies("one")).containsOnly(Http.encode("url", feed));
    }

    @Test
    void is_sent_for_changed_bytes_too() {
      world.origin().rss("feed.xml", "<copyright>c</copyright>", "one");

      ping(feed);

      world.delivery("one");
    }
  }

  @Nested
  class APing {

    private static final String THANKS = "Thanks for the ping.";

    @ParameterizedTest
    @ValueSource(strings = {"/ping", "/rsscloud/ping"})
    void is_answered_in_this_very_text(String path) {
      world.register(feed, "one");
      HttpResponse<String> answer = world.gateway().form(path, "url", feed);

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type")).hasValue("text/xml; charset=utf-8");
      assertThat(answer.body())
          .isEqualTo(PROLOG + "<result success=\"true\" msg=\"" + THANKS + "\"/>");
    }

    @Test
    void is_answered_in_json_where_that_is_preferred() {
      world.register(feed, "one");
      HttpResponse<String> answer =
          world
              .gateway()
              .post(
                  "/ping",
                  FORM,
                  Http.encode("url", feed).getBytes(UTF_8),
                  "Accept",
                  "application/json");

      assertThat(answer.body()).isEqualTo("{\"success\":true,\"msg\":\"" + THANKS + "\"}");
    }

    @Test
    void for_a_feed_that_nobody_follows_says_so_and_fetches_nothing() {
      assertThat(Results.xml(world.gateway().form("/ping", "url", feed), "result"))
          .isEqualTo(
              new Results.Result(
                  true, THANKS + " No subscriber here follows " + feed + ": it was not fetched."));
      world.gateway().settle();

      assertThat(world.origin().requests("feed.xml")).isEmpty();
      assertThat(world.gateway().rows().count("feed")).isZero();
      assertThat(
              world
                  .gateway()
                  .meter("feedbridge_pings_total{outcome=\"unknown_feed\",via=\"ping\"}"))
          .isEqualTo(1);
    }

    @Test
    void fetches_once_and_tells_nobody_where_nothing_changed() {
      world.register(feed, "one");

      ping(feed);

      assertThat(world.origin().requests("feed.xml")).hasSize(2);
      assertThat(world.origin().requests("feed.xml").get(1).header("If-None-Match")).isPresent();
      assertThat(world.subscriber().received("one")).isEmpty();
    }

    @Test
    void of_a_feed_that_cannot_be_read_says_why() {
      world.register(feed, "one");
      world.origin().fail("feed.xml", 500);

      Results.Result result = Results.xml(world.gateway().form("/ping", "url", feed), "result");

      assertThat(result.success()).isFalse();
      assertThat(result.msg()).startsWith(feed + " could not be read: ").contains("500");
    }

    @Test
    void of_a_feed_that_takes_too_long_is_thanked_for_after_five_seconds() {
      world.register(feed, "one");
      CompletableFuture<Void> gate = new CompletableFuture<>();
      world.origin().holdBack("feed.xml", gate);

      assertThat(Results.xml(world.gateway().form("/ping", "url", feed), "result"))
          .isEqualTo(new Results.Result(true, THANKS));
      gate.complete(null);
    }

    @Test
    void may_name_several_feeds() {
      String other = world.origin().rss("other.xml", "", "one");
      world.register(feed, "one");
      world.register(other, "other");
      world.origin().rss("feed.xml", "", "two", "one");
      world.origin().rss("other.xml", "", "two", "one");

      world.gateway().form("/ping", "url", feed, "url2", other, "url", feed);

      world.delivery("one");
      world.delivery("other");
      world.gateway().settle();
      assertThat(world.origin().requests("feed.xml")).hasSize(2);
    }
  }

  private void ping(String url) {
    assertThat(Results.xml(world.gateway().form("/ping", "url", url), "result"))
        .isEqualTo(new Results.Result(true, APing.THANKS));
    world.gateway().settle();
  }

  private void changed(String... items) {
    world.origin().rss("feed.xml", "", items);
    ping(feed);
  }

  private void redirect(String path, int status, String location) {
    world
        .subscriber()
        .answer(
            path,
            request ->
                CompletableFuture.completedFuture(
                    Response.empty(status).withHeader("Location", location)));
  }

  private Results.Result register(Map<String, String> changes) {
    return Results.xml(world.gateway().post("/pleaseNotify", FORM, form(changes)), "notifyResult");
  }

  private Map<String, String> fields(Map<String, String> changes) {
    Map<String, String> form = new LinkedHashMap<>();
    form.put("notifyProcedure", "");
    form.put("domain", "127.0.0.1");
    form.put("port", Integer.toString(world.subscriber().port()));
    form.put("path", "/one");
    form.put("protocol", "http-post");
    form.put("url1", feed);
    form.putAll(changes);
    return form;
  }

  private byte[] form(Map<String, String> changes) {
    return Http.encode(
            fields(changes).entrySet().stream()
                .flatMap(field -> Stream.of(field.getKey(), field.getValue()))
                .toArray(String[]::new))
        .getBytes(UTF_8);
  }
}
