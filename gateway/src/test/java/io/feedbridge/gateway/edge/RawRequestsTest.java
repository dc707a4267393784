package io.feedbridge.gateway.edge;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.testing.LeakCheck;
import io.feedbridge.gateway.testing.RawClient;
import io.feedbridge.gateway.testing.TestGateway;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/**
 * What comes over the wire is answered or closed as RFC 9110 and RFC 9112 say. All the while the
 * gateway is well, and its log has no stack trace.
 */
@ExtendWith(LeakCheck.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class RawRequestsTest {

  private static final int PER_ADDRESS = 20;
  private static final String HEALTH = "GET /health HTTP/1.1\nHost: a\n\n";

  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private TestGateway gateway;
  private HealthProbe probe;

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger("io.feedbridge");
  }

  @BeforeAll
  void start(@TempDir Path data) {
    logged.start();
    logger().addAppender(logged);
    gateway =
        TestGateway.protectedBy(
            data, new Settings.Protection(Optional.empty(), Optional.empty(), PER_ADDRESS));
    probe = new HealthProbe(gateway.address(), "127.0.0.2");
  }

  @AfterAll
  void stop() {
    probe.close();
    gateway.close();
    logger().detachAppender(logged);
    assertThat(logged.list).allMatch(event -> event.getThrowableProxy() == null);
  }

  static Stream<RawRequests.Case> requests() {
    return RawRequests.all();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("requests")
  void a_request(RawRequests.Case request) throws IOException {
    try (RawClient client = new RawClient(gateway.address())) {
      RawClient.Answer answer = client.sendExactly(request.bytes()).read();
      assertThat(answer.status()).isEqualTo(request.status());
      assertThat(answer.body()).doesNotContain("Exception", "\tat ", ".java");
      assertThat(answer.closes()).isEqualTo(request.ends());
      if (request.ends()) {
        assertThat(client.atEnd()).as("what was behind it is not read").isTrue();
      } else {
        assertThat(client.send(HEALTH).read().status()).isEqualTo(200);
      }
    }
  }

  private static void fine(String answers) {
    assertThat(answers).startsWith("HTTP/1.1 ");
    assertThat(answers).doesNotContain("HTTP/1.1 500", "Exception", "\tat ");
  }

  @RepeatedTest(20)
  void a_request_with_damage_is_answered_or_the_connection_is_closed(RepetitionInfo repetition)
      throws IOException {
    Random random = new Random(repetition.getCurrentRepetition());
    List<RawRequests.Case> all = RawRequests.all().toList();
    byte[] bytes = all.get(random.nextInt(all.size())).bytes().getBytes(ISO_8859_1);
    for (int hits = random.nextInt(8); hits >= 0; hits--) {
      bytes[random.nextInt(Math.min(200, bytes.length))] = (byte) random.nextInt();
    }
    try (RawClient client = new RawClient(gateway.address())) {
      client.sendExactly(new String(bytes, ISO_8859_1));
      client.socket().shutdownOutput();
      String answers = new String(client.socket().getInputStream().readAllBytes(), ISO_8859_1);
      assertThat(answers).satisfiesAnyOf(none -> assertThat(none).isEmpty(), RawRequestsTest::fine);
    }
  }

  @Test
  void requests_without_end_are_taken_no_faster_than_their_answers() throws IOException {
    ByteBuffer requests =
        ByteBuffer.wrap(HEALTH.replace("\n", "\r\n").repeat(1_000).getBytes(ISO_8859_1));
    try (SocketChannel client = SocketChannel.open(gateway.address())) {
      client.configureBlocking(false);
      long most = 64L << 20;
      long sent = 0;
      for (int waits = 0; waits < 50 && sent < most; ) {
        int taken = client.write(requests.rewind());
        sent += taken;
        waits = taken == 0 ? waits + 1 : 0;
        if (taken == 0) {
          probeOnce();
        }
      }
      assertThat(sent).as("bytes that were taken").isLessThan(most);
    }
  }

  /** As long as it takes the gateway to answer somebody else. */
  private void probeOnce() throws IOException {
    try (RawClient other = new RawClient(gateway.address(), "127.0.0.3")) {
      assertThat(other.send(HEALTH).read().status()).isEqualTo(200);
    }
  }

  @Test
  void connections_beyond_the_bound_of_an_address_are_closed_and_other_addresses_are_served()
      throws IOException {
    List<RawClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < PER_ADDRESS; i++) {
        clients.add(new RawClient(gateway.address(), "127.0.0.4"));
        assertThat(clients.get(i).send(HEALTH).read().status()).isEqualTo(200);
      }
      try (RawClient further = new RawClient(gateway.address(), "127.0.0.4")) {
        assertThat(further.atEnd()).isTrue();
      }
      probeOnce();
      assertThat(gateway.meter("feedbridge_server_connections_closed_total{reason=\"address\"}"))
          .isEqualTo(1);
    } finally {
      for (RawClient client : clients) {
        client.close();
      }
    }
    await()
        .untilAsserted(
            () -> {
              try (RawClient later = new RawClient(gateway.address(), "127.0.0.4")) {
                assertThat(later.send(HEALTH).read().status()).isEqualTo(200);
              }
            });
  }
}
