package io.feedbridge.gateway.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.bench.parts.Usage;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A process of the bench. It ends with this object, and with this process, at the latest. */
final class Child implements AutoCloseable {

  /**
   * The longest that a process may take to end by itself: a gateway writes its work in progress.
   */
  private static final Duration ENDS_WITHIN = Duration.ofSeconds(60);

  /** The lines of a failed process's log that are shown. */
  private static final int LINES_SHOWN = 20;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final String name;
  private final Process process;
  private final Path log;
  private final BufferedWriter in;
  private final BlockingQueue<Optional<String>> answers = new LinkedBlockingQueue<>();

  private Child(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    this.log = log;
    in = process.outputWriter(StandardCharsets.UTF_8);
    Thread reader = new Thread(this::read, "answers-of-" + name);
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Starts a process.
   *
   * @param log the file of its error output
   */
  static Child start(String name, ProcessBuilder command, Path log) throws BenchException {
    command.redirectError(log.toFile());
    try {
      return new Child(name, command.start(), log);
    } catch (IOException e) {
      throw new BenchException("The " + name + " could not be started: " + e.getMessage(), e);
    }
  }

  private void read() {
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        // Each answer is an object. Other lines are the JVM's own, of a recording for instance.
        if (line.startsWith("{")) {
          answers.add(Optional.of(line));
        }
      }
    } catch (IOException e) {
      // The process has ended, for any reason.
    }
    answers.add(Optional.empty());
  }

  /** Asks, without waiting for the answer. */
  void tell(Object... words) throws BenchException {
    try {
      in.write(Stream.of(words).map(String::valueOf).collect(Collectors.joining(" ")));
      in.newLine();
      in.flush();
    } catch (IOException e) {
      throw ended();
    }
  }

  /** The answer to the oldest command that has none. */
  JsonNode answer(Duration atMost) throws BenchException {
    Optional<String> line;
    try {
      line = answers.poll(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BenchException("The bench was interrupted", e);
    }
    if (line == null) {
      throw new BenchException(
          "The %s did not answer within %d s".formatted(name, atMost.toSeconds()));
    }
    if (line.isEmpty()) {
      throw ended();
    }
    try {
      JsonNode answer = JSON.readTree(line.get());
      if (answer.hasNonNull("error")) {
        throw new BenchException("The " + name + ": " + answer.get("error").asText());
      }
      return answer;
    } catch (JsonProcessingException e) {
      throw new BenchException(
          "The " + name + " printed a line that is not JSON: " + line.get(), e);
    }
  }

  /** Asks and waits for the answer. */
  JsonNode ask(Duration atMost, Object... words) throws BenchException {
    tell(words);
    return answer(atMost);
  }

  private BenchException ended() {
    String last = "";
    try (Stream<String> lines = Files.lines(log, StandardCharsets.UTF_8)) {
      last =
          lines
              .skip(Math.max(0, Files.readAllLines(log).size() - LINES_SHOWN))
              .collect(Collectors.joining("\n", ":\n", ""));
    } catch (IOException e) {
      // The last lines of the log would help, but the message does without them.
    }
    return new BenchException("The " + name + " has ended before its time" + last);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** The processor time that it has used so far, in steps of 10 ms on Linux. */
  Duration cpu() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** The most memory that it had in RAM; empty where the system does not tell. */
  Optional<Long> peakBytes() {
    return Usage.peakBytes(process.pid());
  }

  /** Bytes that it had the disk write; empty where the system does not tell. */
  Optional<Long> writtenBytes() {
    return Usage.writtenBytes(process.pid());
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException e) {
      // It reads no more, since it has ended.
    }
    boolean ended = false;
    try {
      ended = process.waitFor(ENDS_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!ended) {
      process.destroyForcibly();
    }
  }
}
