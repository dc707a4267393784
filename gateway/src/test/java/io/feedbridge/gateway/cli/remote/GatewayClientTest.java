package io.feedbridge.gateway.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.feedbridge.gateway.testing.RawHost;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A command's calls to servers that do what gateways, proxies and networks do. */
class GatewayClientTest {

  private final List<String> asked = new CopyOnWriteArrayList<>();
  private volatile RawHost.Script script = talk -> {};
  private final RawHost gateway = RawHost.running(this::talk);
  private final GatewayClient client = new GatewayClient(gateway.url(""), "secret");

  @AfterEach
  void stop() {
    gateway.close();
  }

  private void talk(RawHost.Talk talk) throws IOException {
    RawHost.Received received = talk.read();
    if (received != null) {
      asked.add(received.target());
      script.talk(talk);
    }
  }

  private void answers(String statusLineAndFields, String body) {
    script =
        talk ->
            talk.send(
                "HTTP/1.1 %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
                    .formatted(statusLineAndFields, body.length(), body));
  }

  private String reason(Calls calls) {
    return catchThrowableOfType(GatewayException.class, calls::make).reason();
  }

  private interface Calls {
    void make() throws GatewayException;
  }

  @Test
  void a_post_whose_connection_is_lost_is_not_sent_again() {
    assertThat(reason(() -> client.form("/api/v1/feeds", "url", "http://a/")))
        .contains("the connection broke");
    assertThat(asked).containsExactly("/api/v1/feeds");
  }

  @Test
  void the_answer_to_a_wrong_token_names_the_option() throws Exception {
    answers("401 Unauthorized\r\nWWW-Authenticate: Bearer", "{\"detail\":\"no such token\"}");
    for (GatewayClient.Answer answer :
        List.of(client.get("/api/v1/feeds"), client.form("/api/v1/feeds", "url", "http://a/"))) {
      assertThat(answer.status()).isEqualTo(401);
      assertThat(client.refusal(answer).reason())
          .contains("token", "FEEDBRIDGE_TOKEN")
          .doesNotContain("no reason");
    }
    assertThat(asked).hasSize(2);
  }

  @Test
  void a_refusal_of_a_post_keeps_its_text() throws Exception {
    answers("422 Unprocessable", "{\"detail\":\"url: is no URL\"}");
    assertThat(client.refusal(client.form("/api/v1/feeds", "url", "x")).reason())
        .contains("status 422", "url: is no URL");
  }

  @Test
  void no_redirect_is_followed() throws Exception {
    answers("302 Found\r\nLocation: " + gateway.url("/else"), "");
    assertThat(client.get("/health").status()).isEqualTo(302);
    assertThat(asked).containsExactly("/health");
  }

  @Test
  void an_answer_that_breaks_off_is_none() {
    script = talk -> talk.send("HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{}");
    assertThat(reason(() -> client.get("/health"))).contains("the connection broke");
  }

  @Test
  void a_gateway_that_is_not_there_is_told_with_the_command_that_starts_one() {
    gateway.close();
    assertThat(reason(() -> client.get("/health")))
        .contains("cannot be reached", "feedbridge serve");
  }

  @Test
  void a_gateway_that_went_away_behind_a_kept_connection_is_not_there() throws Exception {
    script =
        talk -> {
          talk.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
          // Kept until the gateway ends.
          talk.read();
        };
    assertThat(client.get("/health").status()).isEqualTo(200);
    gateway.close();
    assertThat(reason(() -> client.get("/health"))).contains("cannot be reached");
  }
}
