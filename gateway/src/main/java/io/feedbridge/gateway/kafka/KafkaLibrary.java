package io.feedbridge.gateway.kafka;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;

/** The client of Kafka, which is in a jar of its own, and its properties. */
public final class KafkaLibrary {

  private static final String CLIENT = "org.apache.kafka.clients.producer.KafkaProducer";

  /** The libraries of other algorithms are not in the jar. */
  private static final Set<String> COMPRESSIONS = Set.of("none", "gzip");

  private KafkaLibrary() {}

  /**
   * Checks that the client is there, and reads the file of its properties.
   *
   * @throws IOException if one of both cannot be, with a message for the operator
   */
  public static Properties check(Optional<Path> file) throws IOException {
    try {
      Class.forName(CLIENT, false, KafkaLibrary.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IOException(
          "--kafka needs feedbridge-kafka.jar, which is built beside feedbridge.jar: put it into the"
              + " folder of feedbridge.jar under this name",
          e);
    }
    return file.isPresent() ? read(file.get()) : new Properties();
  }

  private static Properties read(Path file) throws IOException {
    Properties properties = new Properties();
    try (InputStream in = Files.newInputStream(file)) {
      properties.load(in);
    } catch (IOException | IllegalArgumentException e) {
      throw new IOException("--kafka-config: %s cannot be read".formatted(file), e);
    }
    String compression = properties.getProperty("compression.type", "none");
    if (!COMPRESSIONS.contains(compression)) {
      throw new IOException(
          "--kafka-config: compression.type is '%s', and may be none or gzip"
              .formatted(compression));
    }
    return properties;
  }
}
