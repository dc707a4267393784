package io.feedbridge.gateway.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.testing.KafkaBroker;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TopicSessionIT {

  private static final String TOPIC = "events";
  private static final Cursor FIRST = new Cursor(1, 0, "1@1");
  private static final Cursor SECOND = new Cursor(2, 0, "1@2");

  private static List<ProducerRecord<byte[], byte[]>> event(String text) {
    return List.of(new ProducerRecord<>(TOPIC, text.getBytes(UTF_8)));
  }

  @Test
  void a_session_writes_nothing_behind_a_cursor_that_it_did_not_read(@TempDir Path folder)
      throws Exception {
    Properties properties = new Properties();
    try (KafkaBroker broker = new KafkaBroker(folder)) {
      broker.start();
      properties.put("bootstrap.servers", broker.address());
      try (TopicSession session = new TopicSession(properties, TOPIC, "log")) {
        assertThat(session.cursor()).isEqualTo(Cursor.NONE);

        // What the broker did not tell when the session read.
        byte[] unread = ("log " + SECOND.text()).getBytes(UTF_8);
        try (KafkaProducer<byte[], byte[]> other =
            new KafkaProducer<>(
                Map.of("bootstrap.servers", broker.address()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
          other
              .send(new ProducerRecord<>(TOPIC + ".cursor", 0, "cursor".getBytes(UTF_8), unread))
              .get(1, TimeUnit.MINUTES);
        }

        assertThatThrownBy(() -> session.write(event("twice"), FIRST))
            .isInstanceOf(KafkaException.class)
            .hasMessageContaining("read up to offset 0")
            .hasMessageContaining("ends at 1");
      }
      try (TopicSession next = new TopicSession(properties, TOPIC, "log")) {
        assertThat(next.cursor()).isEqualTo(SECOND);

        next.write(event("new"), new Cursor(3, 0, "1@3"));
        next.write(event("newer"), new Cursor(4, 0, "1@4"));
      }
      assertThat(broker.read(TOPIC))
          .extracting(record -> record.value())
          .containsExactly("new", "newer");
    }
  }
}
