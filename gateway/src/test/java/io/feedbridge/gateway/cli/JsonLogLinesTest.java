package io.feedbridge.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

/** Log lines for machines. */
class JsonLogLinesTest {

  private static JsonNode line(LoggingEvent event) throws IOException {
    JsonLogLines lines = new JsonLogLines();
    lines.start();
    byte[] line = lines.encode(event);
    assertThat(line).endsWith('\n');
    return new ObjectMapper().readTree(line);
  }

  private static LoggingEvent event() {
    LoggingEvent event = new LoggingEvent();
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    event.setLoggerContext(context);
    event.setLoggerName("io.feedbridge.gateway.Gateway");
    event.setThreadName("main");
    event.setLevel(Level.WARN);
    event.setInstant(Instant.parse("2026-11-27T12:00:00.123Z"));
    event.setMessage("A host does not answer");
    return event;
  }

  @Test
  void a_line_has_the_names_of_the_schema_and_its_values_under_names_of_their_own()
      throws IOException {
    LoggingEvent event = event();
    event.addKeyValuePair(new KeyValuePair("error", "a \"quoted\"\nreason"));
    event.addKeyValuePair(new KeyValuePair("silences", 5));

    JsonNode line = line(event);

    assertThat(line.get("@timestamp").asText()).isEqualTo("2026-11-27T12:00:00.123Z");
    assertThat(line.get("log.level").asText()).isEqualTo("WARN");
    assertThat(line.get("message").asText()).isEqualTo("A host does not answer");
    assertThat(line.get("service.name").asText()).isEqualTo("feedbridge");
    assertThat(line.get("feedbridge.error").asText()).isEqualTo("a \"quoted\"\nreason");
    assertThat(line.get("feedbridge.silences").isInt()).isTrue();
    assertThat(line.elements()).toIterable().allMatch(JsonNode::isValueNode);
  }

  @Test
  void a_line_without_values_is_whole() throws IOException {
    assertThat(line(event()).get("log.logger").asText()).endsWith("Gateway");
  }
}
