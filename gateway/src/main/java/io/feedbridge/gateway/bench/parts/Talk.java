package io.feedbridge.gateway.bench.parts;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** The side of a conversation that is asked: a command's words come in, a line of JSON goes out. */
final class Talk {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final BufferedReader in;
  private final PrintStream out;

  /** A conversation; whatever else writes to {@code out} spoils it. */
  Talk(InputStream in, PrintStream out) {
    this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    this.out = out;
  }

  /** A process that carries out commands. */
  interface Role {
    /**
     * Carries out a command. Blocks until that is done.
     *
     * @param words the command and its arguments
     * @return the answer, as JSON
     * @throws Exception if the command failed; its message is answered
     */
    Object asked(String... words) throws Exception;
  }

  /** Answers commands until the input ends. */
  void run(Role role) throws IOException {
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      out.println(answer(role, line.split(" ", -1)));
      out.flush();
    }
  }

  private static String answer(Role role, String... words) throws JsonProcessingException {
    try {
      return JSON.writeValueAsString(role.asked(words));
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      return JSON.writeValueAsString(Map.of("error", String.valueOf(e.getMessage())));
    }
  }
}
