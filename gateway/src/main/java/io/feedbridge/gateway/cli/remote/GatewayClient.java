package io.feedbridge.gateway.cli.remote;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A running gateway, as its clients see it. No redirect is followed, since the token would go where
 * it leads. Thread-safe.
 */
public final class GatewayClient {

  /** The longest answer that is read, in bytes; a report of an import is the longest there is. */
  private static final int MAX_ANSWER = 16 << 20;

  /** The longest refusal that is shown, in characters. */
  private static final int MAX_REASON = 1_000;

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  /** The time limit from the request to the end of the answer. */
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERROR = 500;
  private static final String FORM = "application/x-www-form-urlencoded";
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final String base;
  private final String token;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .followRedirects(HttpClient.Redirect.NEVER)
          .connectTimeout(CONNECT_TIMEOUT)
          .build();

  /**
   * A client.
   *
   * @param base the URL of the gateway, without a slash at its end
   * @param token its admin token; empty for none
   */
  GatewayClient(String base, String token) {
    this.base = base;
    this.token = token;
  }

  /** An answer of the gateway, with any status. */
  public record Answer(int status, String body) {
    public boolean successful() {
      return status / 100 == 2;
    }
  }

  /** The URL of the gateway. */
  String base() {
    return base;
  }

  /** GET, with a query of alternating names and values. */
  public Answer get(String path, String... query) throws GatewayException {
    String encoded = encoded(query);
    return call(request(encoded.isEmpty() ? path : path + "?" + encoded).GET().build());
  }

  /** DELETE. */
  public Answer delete(String path) throws GatewayException {
    return call(request(path).DELETE().build());
  }

  /** POST of a form of alternating names and values; JSON is asked for. */
  public Answer form(String path, String... form) throws GatewayException {
    return post(path, FORM, encoded(form).getBytes(StandardCharsets.UTF_8));
  }

  /** POST of a body. */
  public Answer post(String path, String contentType, byte[] body) throws GatewayException {
    return call(
        request(path)
            .header("Content-Type", contentType)
            .header("Accept", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build());
  }

  /**
   * GET of a response that has no end. The caller closes its body.
   *
   * @throws GatewayException also if the request is refused
   */
  HttpResponse<InputStream> open(String path, String accept, List<String> query)
      throws GatewayException {
    String encoded = encoded(query.toArray(String[]::new));
    HttpRequest request =
        request(encoded.isEmpty() ? path : path + "?" + encoded)
            .header("Accept", accept)
            .timeout(TIMEOUT)
            .build();
    HttpResponse<InputStream> response;
    try {
      response = http.send(request, HttpResponse.BodyHandlers.ofInputStream());
      if (response.statusCode() / 100 != 2) {
        throw refusal(read(response));
      }
    } catch (IOException | UncheckedIOException e) {
      throw failure(e);
    } catch (InterruptedException e) {
      throw interrupted();
    }
    return response;
  }

  /** An answer of success as JSON; any other is thrown. */
  public JsonNode json(Answer answer) throws GatewayException {
    if (!answer.successful()) {
      throw refusal(answer);
    }
    try {
      return MAPPER.readTree(answer.body());
    } catch (JsonProcessingException e) {
      throw noGateway("its answer is not JSON");
    }
  }

  /** The exception for an answer that is no success. */
  public GatewayException refusal(Answer answer) {
    String reason =
        "the gateway %s answered with status %d: %s"
            .formatted(base, answer.status(), PlainText.of(reason(answer.body()), MAX_REASON));
    boolean guarded = answer.status() == UNAUTHORIZED || answer.status() == FORBIDDEN;
    return new GatewayException(
        guarded ? reason + " (set FEEDBRIDGE_TOKEN to its admin token)" : reason,
        answer.status() >= SERVER_ERROR || answer.status() == TOO_MANY_REQUESTS);
  }

  /** Something answers that is no gateway. */
  public GatewayException noGateway(String why) {
    return new GatewayException(
        "the gateway %s: %s; does --gateway lead to one?".formatted(base, why), false);
  }

  /** RFC 9457 if it is that, else the text. */
  private static String reason(String body) {
    try {
      JsonNode problem = MAPPER.readTree(body);
      if (problem != null && problem.isObject()) {
        StringJoiner reason = new StringJoiner("; ");
        reason.add(problem.path("detail").asText("no reason"));
        for (JsonNode error : problem.path("errors")) {
          reason.add(error.path("field").asText() + ": " + error.path("detail").asText());
        }
        return reason.toString();
      }
    } catch (JsonProcessingException e) {
      // The protocols that are no JSON answer with a line of text.
    }
    return body.isBlank() ? "no reason" : body;
  }

  private HttpRequest.Builder request(String pathAndQuery) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + pathAndQuery));
    return token.isEmpty() ? request : request.header("Authorization", "Bearer " + token);
  }

  private Answer call(HttpRequest request) throws GatewayException {
    CompletableFuture<Answer> answer =
        http.sendAsync(request, HttpResponse.BodyHandlers.ofInputStream())
            .thenApplyAsync(GatewayClient::read);
    try {
      return answer.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw failure(e.getCause());
    } catch (TimeoutException e) {
      throw late();
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  private static Answer read(HttpResponse<InputStream> response) {
    try (InputStream in = response.body()) {
      byte[] body = in.readNBytes(MAX_ANSWER + 1);
      if (body.length > MAX_ANSWER) {
        throw new IOException("the answer has more than %,d bytes".formatted(MAX_ANSWER));
      }
      return new Answer(response.statusCode(), new String(body, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private GatewayException failure(@Nullable Throwable cause) {
    if (cause instanceof ConnectException) {
      return new GatewayException(
          ("the gateway %s: it cannot be reached. Start one with 'feedbridge serve', or name"
                  + " another with --gateway")
              .formatted(base),
          true);
    }
    if (cause instanceof HttpTimeoutException) {
      return late();
    }
    Throwable why = cause instanceof UncheckedIOException ? cause.getCause() : cause;
    return new GatewayException(
        "the gateway %s: the connection broke: %s"
            .formatted(base, why == null ? "unknown reason" : String.valueOf(why.getMessage())),
        true);
  }

  private GatewayException late() {
    return new GatewayException(
        "the gateway %s: it did not answer within %d s".formatted(base, TIMEOUT.toSeconds()), true);
  }

  private static GatewayException interrupted() {
    Thread.currentThread().interrupt();
    return new GatewayException("interrupted", false);
  }

  private static String encoded(String... namesAndValues) {
    StringJoiner form = new StringJoiner("&");
    for (int i = 0; i < namesAndValues.length; i += 2) {
      form.add(
          URLEncoder.encode(namesAndValues[i], StandardCharsets.UTF_8)
              + "="
              + URLEncoder.encode(namesAndValues[i + 1], StandardCharsets.UTF_8));
    }
    return form.toString();
  }
}
