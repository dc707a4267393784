package io.feedbridge.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.Http;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two processes on one data folder. */
class OwnerIT {

  private static final String TOPIC = "http://127.0.0.1:9/feed.xml";

  private static final int UNUSED = FreePort.next();

  private final Http http = new Http();
  @TempDir Path data;

  private static HttpResponse<String> subscribe(GatewayProcess gateway) {
    return gateway.form(
        "/hub",
        "hub.mode",
        "subscribe",
        "hub.topic",
        TOPIC,
        "hub.callback",
        "http://127.0.0.1:%d/callback".formatted(UNUSED));
  }

  @Test
  void L15_once_the_lock_was_removed_and_another_opened_the_folder_the_first_takes_nothing_more()
      throws IOException {
    try (GatewayProcess first = GatewayProcess.start(data, FreePort.next())) {
      assertThat(subscribe(first).statusCode()).isEqualTo(202);
      Files.delete(data.resolve("feedbridge.lock"));
      try (GatewayProcess second = GatewayProcess.start(data, FreePort.next())) {

        HttpResponse<String> refused = subscribe(first);
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.headers().firstValue("Retry-After")).isPresent();
        HttpResponse<String> health = http.get(first.url("/health"));
        assertThat(health.statusCode()).isEqualTo(503);
        assertThat(health.body()).contains("another gateway has opened the data folder");
        assertThat(first.meter("feedbridge_feeds")).isEqualTo(second.meter("feedbridge_feeds"));

        assertThat(subscribe(second).statusCode()).isEqualTo(202);
        assertThat(http.get(second.url("/health")).statusCode()).isEqualTo(200);
        assertThat(first.terminate().code()).isZero();
        assertThat(subscribe(second).statusCode()).isEqualTo(202);
        assertThat(second.terminate().code()).isZero();
      }
    }
  }
}
