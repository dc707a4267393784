package io.feedbridge.gateway.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.crash.NodesRun.Fault;
import io.feedbridge.gateway.store.postgres.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The harness of nodes can fail: nodes with one mistake are found out. Most mistakes are made good
 * by a second means, such as the server's lock beside the epoch; these are not. Each takes minutes,
 * so that {@code -Drun=crash/*IT} alone plays them.
 */
@EnabledIfSystemProperty(named = "crash.mutants", matches = "all")
class NodeMutantsIT {

  private static final int CROWD = 2_000;
  private static final long SEED = 4_711;

  private static final String TRANSACTIONAL =
      """
              new KafkaProducer<>(
                  with(
                      properties, Map.of("transactional.id", "feedbridge-%s-%s".formatted(topic, logId))),
                  new ByteArraySerializer(),
                  new ByteArraySerializer());
      """;

  private static Arguments mutant(
      String name, String file, String text, String by, Rule broken, List<Fault> faults) {
    return Arguments.of(Named.of(name, new Mutant(name, file, text, by)), faults, broken);
  }

  static List<Arguments> mutants() {
    return List.of(
        mutant(
            "a commit whose outcome is not known counts as done",
            "store/postgres/PostgresWriter.java",
            "decided = Optional.of(owner.get().isNewest(open, doubt.mark));",
            "decided = Optional.of(true);",
            Rule.DUPLICATES,
            Collections.nCopies(12, Fault.COMMIT_UNSENT)),
        mutant(
            "a node trusts a lease that is over",
            "store/postgres/PostgresNode.java",
            "return epoch > 0 && isTrusted();",
            "return epoch > 0;",
            Rule.ORDER,
            Collections.nCopies(5, Fault.LONG_STOPPED)),
        mutant(
            "a publisher without transactions",
            "kafka/TopicSession.java",
            TRANSACTIONAL,
            """
                    new KafkaProducer<>(
                        with(properties, Map.of()),
                        new ByteArraySerializer(),
                        new ByteArraySerializer()) {
                      @Override
                      public void initTransactions() {}

                      @Override
                      public void beginTransaction() {}

                      @Override
                      public void commitTransaction() {}

                      @Override
                      public Future<org.apache.kafka.clients.producer.RecordMetadata> send(
                          ProducerRecord<byte[], byte[]> record) {
                        if (record.topic().endsWith(".cursor")) {
                          flush();
                        }
                        return super.send(record);
                      }
                    };
            """,
            Rule.TOPIC,
            Collections.nCopies(4, Fault.PUBLISHER_KILLED)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mutants")
  void the_judge_finds_the_mistake(
      Mutant mutant, List<Fault> faults, Rule broken, @TempDir Path folder) throws IOException {
    Path classes = Files.createDirectory(folder.resolve("classes"));
    mutant.compileInto(classes);
    try (TestServer server = TestServer.durable()) {
      NodesRun run = new NodesRun(folder, server, classes, SEED, faults, CROWD);

      Report report = run.run();

      assertThat(report.faults().stream().map(Fact.Fault::rule)).contains(broken);
    }
  }
}
