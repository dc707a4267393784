package io.feedbridge.gateway.crash;

import io.feedbridge.gateway.store.postgres.TestServer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;

/** The suite on PostgreSQL. */
class PostgresStopIT extends StopSuite {

  private static final TestServer SERVER = TestServer.durable();

  private final String store = "--store=" + SERVER.empty();

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  @Override
  String[] options() {
    return Stream.concat(Stream.of(store), List.of(RARE_POLLS).stream()).toArray(String[]::new);
  }
}
