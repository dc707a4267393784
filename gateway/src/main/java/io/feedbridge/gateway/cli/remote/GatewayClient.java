package io.feedbridge.gateway.cli.remote;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * A running gateway, as its clients see it. No redirect is followed, since the token would go where
 * it leads. Calls use {@link HttpURLConnection}, since the classes of {@link HttpClient} take
 * longer to load than the whole of a command takes; an answer without an end needs {@link
 * HttpClient}, whose bodies can be closed while another thread reads them. Thread-safe.
 */
public final class GatewayClient {

  /** The longest answer that is read, in bytes; a report of an import is the longest there is. */
  private static final int MAX_ANSWER = 16 << 20;

  /** The longest refusal that is shown, in characters. */
  private static final int MAX_REASON = 1_000;

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  /** The time limit from the request to the end of the answer. */
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private static final int BAD_REQUEST = 400;
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERROR = 500;

  /** The length of an answer that does not say it. */
  private static final int UNKNOWN = -1;

  private static final String JSON = "application/json";
  private static final String AUTHORIZATION = "Authorization";
  private static final String FORM = "application/x-www-form-urlencoded";
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final String base;
  private final String authorization;

  /** The server in messages. */
  private final String server;

  /**
   * A client.
   *
   * @param base the URL of the gateway, without a slash at its end
   * @param token its admin token; empty for none
   */
  GatewayClient(String base, String token) {
    this(base, token.isEmpty() ? "" : "Bearer " + token, "the gateway " + base);
  }

  private GatewayClient(String base, String authorization, String server) {
    this.base = base;
    this.authorization = authorization;
    this.server = server;
  }

  /**
   * A client of another service that speaks as a gateway does.
   *
   * @param base its URL, without a slash at its end
   */
  public static GatewayClient ofAccount(String base, String login, String token) {
    String shown =
        Base64.getEncoder().encodeToString((login + ":" + token).getBytes(StandardCharsets.UTF_8));
    return new GatewayClient(base, "Basic " + shown, base);
  }

  /**
   * An answer of the gateway, with any status.
   *
   * @param retryAfter as the field of that name has it in seconds; absent without one
   */
  public record Answer(int status, String body, Optional<Duration> retryAfter) {

    /** One without that field. */
    public Answer(int status, String body) {
      this(status, body, Optional.empty());
    }

    public boolean successful() {
      return status / 100 == 2;
    }
  }

  /** The URL of the gateway. */
  public String base() {
    return base;
  }

  /** GET, with a query of alternating names and values. */
  public Answer get(String path, String... query) throws GatewayException {
    return call(new Call("GET", target(path, query), "*/*", null, null));
  }

  /** DELETE. */
  public Answer delete(String path) throws GatewayException {
    return call(new Call("DELETE", path, "*/*", null, null));
  }

  /** POST of a form of alternating names and values; JSON is asked for. */
  public Answer form(String path, String... form) throws GatewayException {
    return post(path, FORM, encoded(form).getBytes(StandardCharsets.UTF_8));
  }

  /** POST of a body, which is sent once. */
  public Answer post(String path, String contentType, byte[] body) throws GatewayException {
    return call(new Call("POST", path, JSON, contentType, body));
  }

  /** The HTTP client for {@link #open}. */
  static HttpClient streaming() {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .followRedirects(HttpClient.Redirect.NEVER)
        .connectTimeout(CONNECT_TIMEOUT)
        .build();
  }

  /**
   * GET of a response that has no end. The caller closes its body.
   *
   * @param http of {@link #streaming}
   * @throws GatewayException also if the request is refused
   */
  HttpResponse<InputStream> open(HttpClient http, String path, String accept, List<String> query)
      throws GatewayException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + target(path, query.toArray(String[]::new))))
            .header("Accept", accept)
            .timeout(TIMEOUT);
    if (!authorization.isEmpty()) {
      request.header(AUTHORIZATION, authorization);
    }
    try {
      HttpResponse<InputStream> response =
          http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      if (response.statusCode() / 100 != 2) {
        throw refusal(answer(response.statusCode(), response.body(), UNKNOWN));
      }
      return response;
    } catch (HttpTimeoutException e) {
      throw late();
    } catch (ConnectException e) {
      throw unreachable();
    } catch (IOException e) {
      throw broken(e);
    } catch (InterruptedException e) {
      throw interrupted();
    }
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
        "%s answered with status %d: %s"
            .formatted(server, answer.status(), PlainText.of(reason(answer.body()), MAX_REASON));
    boolean guarded = answer.status() == UNAUTHORIZED || answer.status() == FORBIDDEN;
    return new GatewayException(
        guarded ? reason + " (set FEEDBRIDGE_TOKEN to its admin token)" : reason,
        answer.status() >= SERVER_ERROR || answer.status() == TOO_MANY_REQUESTS);
  }

  /** Something answers that is no gateway. */
  public GatewayException noGateway(String why) {
    return new GatewayException(
        "%s: %s; does --gateway lead to one?".formatted(server, why), false);
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

  /** A request; a body and its type are both absent or both there. */
  // No other class sees the array.
  @SuppressWarnings("ArrayRecordComponent")
  private record Call(
      String method,
      String target,
      String accept,
      @Nullable String contentType,
      byte @Nullable [] body) {}

  private Answer call(Call call) throws GatewayException {
    FutureTask<Answer> answer = new FutureTask<>(() -> exchange(call));
    Thread thread = new Thread(answer, "call");
    thread.setDaemon(true);
    thread.start();
    try {
      return answer.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof GatewayException refused) {
        throw refused;
      }
      throw new IllegalStateException("the call failed for a reason that is no answer", e);
    } catch (TimeoutException e) {
      throw late();
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  private Answer exchange(Call call) throws GatewayException {
    HttpURLConnection connection = connected(call);
    try {
      if (call.body != null) {
        connection.getOutputStream().write(call.body);
      }
      int status = connection.getResponseCode();
      InputStream body =
          status < BAD_REQUEST ? connection.getInputStream() : connection.getErrorStream();
      if (body == null) {
        // Of a 401 to a body that was sent as it was written, the JDK hands on the status alone.
        return new Answer(status, status == UNAUTHORIZED ? "it wants a token, or another one" : "");
      }
      Answer answer = answer(status, body, connection.getContentLengthLong());
      long seconds = connection.getHeaderFieldInt("Retry-After", UNKNOWN);
      return seconds < 0
          ? answer
          : new Answer(status, answer.body, Optional.of(Duration.ofSeconds(seconds)));
    } catch (SocketTimeoutException e) {
      throw late();
    } catch (ConnectException e) {
      // A connection that was kept had ended, and there was no other.
      throw unreachable();
    } catch (IOException e) {
      throw broken(e);
    } finally {
      connection.disconnect();
    }
  }

  private HttpURLConnection connected(Call call) throws GatewayException {
    try {
      var connection = (HttpURLConnection) URI.create(base + call.target).toURL().openConnection();
      connection.setRequestMethod(call.method);
      connection.setInstanceFollowRedirects(false);
      connection.setConnectTimeout((int) CONNECT_TIMEOUT.toMillis());
      connection.setReadTimeout((int) TIMEOUT.toMillis());
      connection.setRequestProperty("Accept", call.accept);
      if (!authorization.isEmpty()) {
        connection.setRequestProperty(AUTHORIZATION, authorization);
      }
      if (call.body != null) {
        connection.setRequestProperty("Content-Type", call.contentType);
        connection.setDoOutput(true);
        // Otherwise the JDK sends a POST again by itself when its connection is lost.
        connection.setFixedLengthStreamingMode(call.body.length);
      }
      connection.connect();
      return connection;
    } catch (SSLException e) {
      throw broken(e);
    } catch (IOException e) {
      throw unreachable();
    }
  }

  private static Answer answer(int status, InputStream from, long length) throws IOException {
    try (from) {
      byte[] body = from.readNBytes(MAX_ANSWER + 1);
      if (body.length > MAX_ANSWER) {
        throw new IOException("the answer has more than %,d bytes".formatted(MAX_ANSWER));
      }
      if (body.length < length) {
        throw new EOFException("the answer broke off");
      }
      return new Answer(status, new String(body, StandardCharsets.UTF_8));
    }
  }

  private GatewayException unreachable() {
    return new GatewayException(
        server.equals(base)
            ? server + ": it cannot be reached"
            : "%s: it cannot be reached. Start one with 'feedbridge serve', or name another with --gateway"
                .formatted(server),
        true);
  }

  private GatewayException broken(IOException why) {
    return new GatewayException(
        "%s: the connection broke: %s"
            .formatted(server, why.getMessage() == null ? "unknown reason" : why.getMessage()),
        true);
  }

  private GatewayException late() {
    return new GatewayException(
        "%s: it did not answer within %d s".formatted(server, TIMEOUT.toSeconds()), true);
  }

  private static GatewayException interrupted() {
    Thread.currentThread().interrupt();
    return new GatewayException("interrupted", false);
  }

  private static String target(String path, String... query) {
    return query.length == 0 ? path : path + "?" + encoded(query);
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
