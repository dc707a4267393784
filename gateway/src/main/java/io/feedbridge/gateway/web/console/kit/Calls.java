package io.feedbridge.gateway.web.console.kit;

import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.feedbridge.gateway.server.LocalCalls;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.console.view.Listed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Calls of the API within the process, with answers as values. Calls that wait for the answer block
 * the calling thread. Safe for any number of threads.
 */
public final class Calls {

  private static final String BASE = "/api/v1";
  private static final String JSON = "application/json";
  private static final byte[] NOTHING = {};
  private static final int FIRST_FAILURE = 400;
  private static final int NOT_FOUND = 404;

  private static final JsonMapper MAPPER =
      JsonMapper.builder().addModule(new JavaTimeModule()).build();

  private final LocalCalls api;

  /** Calls of these routes, which let every caller in. */
  public Calls(LocalCalls api) {
    this.api = api;
  }

  /** The answer to a GET. */
  public <T> T get(String path, Class<T> type) {
    return value(wait(later("GET", path, JSON, NOTHING)), MAPPER.constructType(type));
  }

  /** The answer to a GET; empty where there is no such thing. */
  public <T> Optional<T> find(String path, Class<T> type) {
    Response answer = wait(later("GET", path, JSON, NOTHING));
    return answer.status() == NOT_FOUND
        ? Optional.empty()
        : Optional.of(value(answer, MAPPER.constructType(type)));
  }

  /** The answer to a GET of a list. */
  public <T> Listed<T> list(String path, Class<T> type) {
    return value(
        wait(later("GET", path, JSON, NOTHING)),
        MAPPER.getTypeFactory().constructParametricType(Listed.class, type));
  }

  /** The answer to a GET that may take long; does not block. */
  public <T> CompletionStage<T> getLater(String path, Class<T> type) {
    return later("GET", path, JSON, NOTHING)
        .thenApply(answer -> value(answer, MAPPER.constructType(type)));
  }

  /** The answer to a POST that may take long; does not block. */
  public <T> CompletionStage<T> postLater(String path, Class<T> type) {
    return later("POST", path, JSON, NOTHING)
        .thenApply(answer -> value(answer, MAPPER.constructType(type)));
  }

  /** The answer to a POST of fields. */
  public <T> T post(String path, Map<String, ?> fields, Class<T> type) {
    return value(wait(later("POST", path, JSON, json(fields))), MAPPER.constructType(type));
  }

  /** The answer to a POST of a document. */
  public <T> T post(String path, String contentType, byte[] body, Class<T> type) {
    return value(wait(later("POST", path, contentType, body)), MAPPER.constructType(type));
  }

  /** A call without fields, whose answer does not matter. */
  public void run(String method, String path) {
    checked(wait(later(method, path, JSON, NOTHING)));
  }

  /** A call with fields, whose answer does not matter. */
  public void run(String method, String path, Map<String, ?> fields) {
    checked(wait(later(method, path, JSON, json(fields))));
  }

  /** The text of the answer to a GET of a document. */
  public String text(String path) {
    return checked(raw(path)).bodyAsText();
  }

  /** The answer to a GET as it is. */
  public Response raw(String path) {
    return wait(later("GET", path, JSON, NOTHING));
  }

  /** A path with a query, as names and values in turn; empty values are left out. */
  public static String path(String path, String... query) {
    StringBuilder text = new StringBuilder(path);
    char separator = '?';
    for (int i = 0; i < query.length; i += 2) {
      if (!query[i + 1].isEmpty()) {
        text.append(separator).append(query[i]).append('=').append(encoded(query[i + 1]));
        separator = '&';
      }
    }
    return text.toString();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private CompletionStage<Response> later(
      String method, String path, String contentType, byte[] body) {
    return api.call(method, BASE + path, contentType, body);
  }

  private static Response wait(CompletionStage<Response> answer) {
    CompletableFuture<Response> future = answer.toCompletableFuture();
    try {
      return future.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  @SuppressWarnings("TypeParameterUnusedInFormals") // The type says the same, for lists too.
  private static <T> T value(Response answer, JavaType type) {
    try {
      return MAPPER.readValue(checked(answer).body(), type);
    } catch (IOException e) {
      throw new UncheckedIOException("the API's answer is not a " + type, e);
    }
  }

  private static Response checked(Response answer) {
    if (answer.status() < FIRST_FAILURE) {
      return answer;
    }
    JsonNode problem;
    try {
      problem = MAPPER.readTree(answer.body());
    } catch (IOException e) {
      throw new CallFailedException(answer.status(), answer.bodyAsText(), Map.of());
    }
    Map<String, String> errors = new LinkedHashMap<>();
    problem
        .path("errors")
        .forEach(error -> errors.put(error.path("field").asText(), error.path("detail").asText()));
    throw new CallFailedException(answer.status(), problem.path("detail").asText(), errors);
  }

  private static byte[] json(Map<String, ?> fields) {
    try {
      return MAPPER.writeValueAsBytes(fields);
    } catch (IOException e) {
      throw new UncheckedIOException("Memory does not fail.", e);
    }
  }
}
