package io.feedbridge.rsscloud;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Random input ends in a value that keeps its promises, or in the documented exception. */
class HostileInputTest {

  private static final int ROUNDS = 20_000;
  private static final String[] PIECES = {
    "http://",
    "https:",
    "//",
    "/",
    "\\",
    "@",
    ":",
    "?",
    "#",
    "&",
    "%",
    "%2F",
    "[",
    "]",
    "::1",
    ".",
    "a.example",
    "127.0.0.1",
    "0x7f",
    "80",
    "443",
    "-",
    "_",
    "xn--",
    "ß",
    "℀",
    "／",
    "。",
    "\u200d",
    "\u0000",
    "\r\n",
    " ",
    "\ud83d",
    "😀",
    "\u0660",
    "http-post",
    "https-post"
  };

  @Test
  void a_registration_is_refused_or_has_a_callback_on_the_host_it_names() {
    Random random = new Random(8);
    int accepted = 0;
    for (int i = 0; i < ROUNDS; i++) {
      String domain = random.nextInt(4) == 0 ? "a.example" : text(random);
      try {
        Registration registration =
            Registration.parse(
                Forms.registration(
                    "domain",
                    domain,
                    "path",
                    text(random),
                    "port",
                    random.nextInt(9) == 0 ? text(random) : "8080"),
                "192.0.2.7");
        accepted++;
        URI callback = new URI(registration.callback());
        assertThat(callback.getRawUserInfo()).isNull();
        assertThat(callback.getRawFragment()).isNull();
        assertThat(callback.getRawAuthority())
            .matches("[a-z0-9._-]+(:8080)?|\\[[0-9a-f:.]+](:8080)?");
      } catch (BadRegistrationException refused) {
        assertThat(refused.getMessage()).isNotBlank();
      } catch (URISyntaxException e) {
        throw new AssertionError("a callback must be a URI", e);
      }
    }
    assertThat(accepted).isPositive();
  }

  @Test
  void a_ping_is_refused_or_names_urls_without_user_information() {
    Random random = new Random(9);
    int accepted = 0;
    for (int i = 0; i < ROUNDS; i++) {
      String url = random.nextBoolean() ? "http://a.example/" + text(random) : text(random);
      try {
        List<String> urls = Ping.parse(Forms.of("url", url)).urls();
        accepted++;
        assertThat(urls).containsExactly(url);
        assertThat(URI.create(url).getRawAuthority()).isNotBlank().doesNotContain("@");
      } catch (BadPingException refused) {
        assertThat(refused.getMessage()).isNotBlank();
      }
    }
    assertThat(accepted).isPositive();
  }

  @Test
  void a_damaged_answer_is_read_or_is_a_bad_result() {
    Random random = new Random(10);
    NotifyResult result = new NotifyResult(true, "It worked & é");
    List<byte[]> answers = new ArrayList<>();
    answers.add(result.toXml().getBytes(UTF_8));
    answers.add(result.toJson().getBytes(UTF_8));
    int unreadable = 0;
    for (int i = 0; i < ROUNDS; i++) {
      byte[] damaged = answers.get(i % 2).clone();
      for (int hits = random.nextInt(4); hits >= 0; hits--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      try {
        assertThat(NotifyResult.parse(damaged).msg()).isNotNull();
      } catch (BadResultException e) {
        assertThat(e.getMessage()).isNotBlank();
        unreadable++;
      }
    }
    assertThat(unreadable).isBetween(1, ROUNDS - 1);
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int pieces = random.nextInt(5); pieces >= 0; pieces--) {
      boolean known = random.nextInt(5) > 0;
      text.append(
          known
              ? PIECES[random.nextInt(PIECES.length)]
              : String.valueOf((char) random.nextInt(0x10000)));
    }
    return text.toString();
  }
}
