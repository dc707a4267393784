package io.feedbridge.gateway.kafka;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.store.sqlite.SqliteBackend;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TopicPublisherTest {

  private static final Duration LONG = Duration.ofSeconds(60);

  @Test
  void a_process_that_does_not_own_the_store_writes_nothing(@TempDir Path folder)
      throws IOException {
    AtomicInteger asked = new AtomicInteger();
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try (ServerSocket broker = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        SqliteBackend backend = new SqliteBackend(folder);
        SystemTimer timer = new SystemTimer(Clock.systemUTC())) {
      Properties properties = new Properties();
      properties.put("bootstrap.servers", "127.0.0.1:" + broker.getLocalPort());
      TopicPublisher publisher =
          new TopicPublisher(
              backend.store(),
              properties,
              "events",
              "log",
              () -> {
                asked.incrementAndGet();
                return false;
              },
              executor,
              timer);
      publisher.start();
      try {
        await().atMost(LONG).until(() -> asked.get() > 1);

        broker.setSoTimeout(1);
        assertThatThrownBy(broker::accept).isInstanceOf(SocketTimeoutException.class);
      } finally {
        publisher.close();
      }
    } finally {
      executor.shutdown();
    }
  }
}
