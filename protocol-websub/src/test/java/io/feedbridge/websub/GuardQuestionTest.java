package io.feedbridge.websub;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The question to a publisher's guard, and what its answers mean. */
class GuardQuestionTest {

  private static GuardQuestion.Verdict verdict(int status, String body) {
    return GuardQuestion.verdict(status, body.getBytes(UTF_8));
  }

  @Test
  void the_question_names_the_request_as_the_subscriber_gave_it() {
    assertThat(
            new GuardQuestion("http://p.example/a b", "http://s.example/?x=1", Duration.ofDays(1))
                .body())
        .isEqualTo(
            "hub.mode=subscribe&hub.topic=http%3A%2F%2Fp.example%2Fa%20b"
                + "&hub.callback=http%3A%2F%2Fs.example%2F%3Fx%3D1&hub.lease_seconds=86400");
  }

  @Test
  void no_content_alone_allows() {
    assertThat(verdict(204, "")).isEqualTo(new GuardQuestion.Allowed());
  }

  @Test
  void a_401_denies_with_the_text_of_the_guard_in_one_bounded_line() {
    assertThat(verdict(401, " members\r\n\u0000only "))
        .isEqualTo(new GuardQuestion.Denied("members only"));
    assertThat(((GuardQuestion.Denied) verdict(401, "long ".repeat(1_000))).reason())
        .hasSizeLessThanOrEqualTo(Denial.MAX_REASON_LENGTH);
    assertThat(verdict(401, " "))
        .isEqualTo(new GuardQuestion.Denied("the guard of the topic answered with status 401"));
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 202, 302, 400, 403, 404, 410})
  void any_other_answer_denies(int status) {
    assertThat(verdict(status, "yes"))
        .isEqualTo(
            new GuardQuestion.Denied("the guard of the topic answered with status " + status));
  }

  @ParameterizedTest
  @ValueSource(ints = {429, 500, 502, 503})
  void an_outage_is_no_answer(int status) {
    assertThat(verdict(status, "no")).isInstanceOf(GuardQuestion.Unanswered.class);
    assertThat(GuardQuestion.isAnswer(status)).isFalse();
  }
}
