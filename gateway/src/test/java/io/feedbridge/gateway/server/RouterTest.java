package io.feedbridge.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.server.message.Handler;
import io.feedbridge.gateway.server.message.Response;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RouterTest {
  private static final Handler HANDLER =
      request -> CompletableFuture.completedStage(Response.noContent());

  private final Router router =
      Router.builder()
          .route("GET", "/feeds/{id}", HANDLER)
          .route("DELETE", "/feeds/{id}", HANDLER)
          .route("GET", "/feeds/export", HANDLER)
          .route("GET", "/{kind}/{id}", HANDLER)
          .route("GET", "/{year}/{month}/{day}/{hour}.xml", HANDLER)
          .route("GET", "/", HANDLER)
          .route("OPTIONS", "/cors", HANDLER)
          .route("GET", "/cors", HANDLER)
          .build();

  private Router.Outcome find(String method, String target) {
    return router.find(method, Target.parse(target));
  }

  private Router.Outcome.Found found(String method, String target) {
    Router.Outcome outcome = find(method, target);
    assertThat(outcome).isInstanceOf(Router.Outcome.Found.class);
    return (Router.Outcome.Found) outcome;
  }

  @Nested
  class Paths {
    @ParameterizedTest
    @CsvSource({
      "/, /",
      "/feeds/export, /feeds/export",
      "/feeds/%65xport, /feeds/export",
      "/feeds/7, /feeds/{id}",
      "/feeds/a%2Fb, /feeds/{id}",
      "/files/7, /{kind}/{id}",
      "/2026/01/02/03.xml, /{year}/{month}/{day}/{hour}.xml",
    })
    void the_most_specific_pattern_wins(String target, String pattern) {
      assertThat(found("GET", target).route().pattern()).isEqualTo(pattern);
    }

    @Test
    void variables_are_decoded() {
      assertThat(found("GET", "/feeds/a%2Fb+%C3%A9").variables()).isEqualTo(Map.of("id", "a/b+é"));
      assertThat(found("GET", "/2026/01/02/03.xml").variables())
          .isEqualTo(Map.of("year", "2026", "month", "01", "day", "02", "hour", "03"));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"/feeds", "/feeds/", "/a/b/c", "/2026/01/02/.xml", "/2026/01/02/03", "//"})
    void a_variable_takes_at_least_one_character_of_one_segment(String target) {
      assertThat(find("GET", target)).isInstanceOf(Router.Outcome.NoSuchPath.class);
    }

    @Test
    void a_path_without_variables_is_found_with_one_slash_at_its_end() {
      assertThat(found("GET", "/feeds/export/").route().pattern()).isEqualTo("/feeds/export");
      assertThat(find("GET", "/feeds/export//")).isInstanceOf(Router.Outcome.NoSuchPath.class);
    }

    @Test
    void an_encoded_slash_does_not_reach_an_exact_path() {
      assertThat(find("GET", "/feeds%2Fexport")).isInstanceOf(Router.Outcome.NoSuchPath.class);
    }
  }

  @Nested
  class Methods {
    @Test
    void head_is_answered_by_get() {
      assertThat(found("HEAD", "/feeds/7").route().pattern()).isEqualTo("/feeds/{id}");
    }

    @Test
    void another_method_is_told_which_are_allowed() {
      assertThat(find("POST", "/feeds/7"))
          .isEqualTo(new Router.Outcome.NoSuchMethod("/feeds/{id}", "DELETE, GET, HEAD, OPTIONS"));
    }

    @Test
    void options_lists_them_unless_a_route_answers() {
      assertThat(find("OPTIONS", "/feeds/7"))
          .isEqualTo(new Router.Outcome.Options("/feeds/{id}", "DELETE, GET, HEAD, OPTIONS"));
      assertThat(find("OPTIONS", "*"))
          .isEqualTo(new Router.Outcome.Options("*", "DELETE, GET, HEAD, OPTIONS"));
      assertThat(found("OPTIONS", "/cors").route().pattern()).isEqualTo("/cors");
    }

    @Test
    void methods_are_case_sensitive() {
      assertThat(router.knows("get")).isFalse();
      assertThat(router.knows("TRACE")).isFalse();
      assertThat(router.knows("PATCH")).isTrue();
    }
  }

  @Nested
  class Mistakes {
    @ParameterizedTest
    @ValueSource(strings = {"a", "/{", "/}", "/{}", "/{a}{b}", "/}a{", "/{a}/{a}"})
    void a_malformed_pattern_is_refused(String pattern) {
      assertThatThrownBy(() -> Router.builder().route("GET", pattern, HANDLER))
          .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void two_routes_for_the_same_requests_are_refused() {
      Router.Builder builder = Router.builder().route("GET", "/{a}", HANDLER);
      assertThatThrownBy(() -> builder.route("GET", "/{a}", HANDLER))
          .hasMessage("GET /{a} collides with the route /{a}");
      assertThatThrownBy(() -> builder.route("POST", "/{b}", HANDLER))
          .hasMessage("POST /{b} collides with the route /{a}");
    }
  }
}
