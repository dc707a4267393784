package io.feedbridge.gateway.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.store.sqlite.SqliteBackend;
import io.feedbridge.gateway.testing.RawHost;
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
  void a_process_that_does_not_own_the_store_writes_nothing(@TempDir Path folder) {
    AtomicInteger asked = new AtomicInteger();
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try (RawHost broker = RawHost.running(RawHost.Talk::hang);
        SqliteBackend backend = new SqliteBackend(folder);
        SystemTimer timer = new SystemTimer(Clock.systemUTC())) {
      Properties properties = new Properties();
      properties.put("bootstrap.servers", broker.address() + ":" + broker.port());
      TopicPublisher publisher =
          new TopicPublisher(
              backend.store(),
              properties,
              "events",
              false,
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

        assertThat(broker.accepted()).isZero();
      } finally {
        publisher.close();
      }
    } finally {
      executor.shutdown();
    }
  }
}
