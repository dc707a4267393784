package io.feedbridge.gateway.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.store.postgres.TestServer;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.GatewayProcess.Exit;
import io.feedbridge.gateway.testing.RawHost;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The suite on PostgreSQL. */
class PostgresStopIT extends StopSuite {

  private static final TestServer SERVER = TestServer.durable();

  private final String store = "--store=" + SERVER.empty();

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  @Test
  void a_start_that_waits_for_a_database_which_says_nothing_ends_with_0_within_10_seconds() {
    try (RawHost silent = RawHost.running(RawHost.Talk::hang);
        GatewayProcess gateway =
            GatewayProcess.launch(
                data, port, "--store=jdbc:postgresql://127.0.0.1:" + silent.port() + "/feeds")) {
      await().atMost(LONG).until(() -> silent.accepted() > 0);

      Exit exit = gateway.terminate();

      assertGraceful(exit);
      assertThat(exit.errors()).contains("was cut off");
    }
  }

  @Override
  String[] options() {
    return Stream.concat(Stream.of(store), List.of(RARE_POLLS).stream()).toArray(String[]::new);
  }
}
