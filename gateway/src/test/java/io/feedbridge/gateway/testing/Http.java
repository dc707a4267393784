package io.feedbridge.gateway.testing;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;

/** A client that owes nothing to the gateway's own: the JDK's. */
public final class Http {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final HttpClient client;
  private final String authorization;

  /** A client with the JDK's own trust that follows no redirect. */
  public Http() {
    this(HttpClient.newBuilder());
  }

  Http(HttpClient.Builder builder) {
    this(builder.version(HttpClient.Version.HTTP_1_1).build(), "");
  }

  private Http(HttpClient client, String authorization) {
    this.client = client;
    this.authorization = authorization;
  }

  /** A client that shows a token with each request of the JSON API. */
  public Http showing(String token) {
    return new Http(client, "Bearer " + token);
  }

  /** GET. */
  public HttpResponse<String> get(String url) {
    return send(HttpRequest.newBuilder(URI.create(url)).timeout(TIMEOUT).build()).join();
  }

  /** GET with a header. */
  public HttpResponse<String> get(String url, String name, String value) {
    return getAsync(url, name, value).join();
  }

  /** GET with a header, without waiting. */
  public CompletableFuture<HttpResponse<String>> getAsync(String url, String name, String value) {
    return send(
        HttpRequest.newBuilder(URI.create(url)).timeout(TIMEOUT).header(name, value).build());
  }

  /** A request without a body; the URL may hold what {@link URI} takes and nothing else. */
  public HttpResponse<String> send(String method, String url) {
    return send(HttpRequest.newBuilder(URI.create(url))
            .timeout(TIMEOUT)
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build())
        .join();
  }

  /** The same with alternating names and values of header fields. */
  public HttpResponse<String> send(String method, String url, String... headers) {
    return send(HttpRequest.newBuilder(URI.create(url))
            .timeout(TIMEOUT)
            .headers(headers)
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build())
        .join();
  }

  /** A request with a body of JSON. */
  public HttpResponse<String> json(String method, String url, String body) {
    return send(HttpRequest.newBuilder(URI.create(url))
            .timeout(TIMEOUT)
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build())
        .join();
  }

  /** POST of a form given as alternating names and values. */
  public HttpResponse<String> form(String url, String... namesAndValues) {
    return formAsync(url, namesAndValues).join();
  }

  /** {@link #form}, without waiting. */
  public CompletableFuture<HttpResponse<String>> formAsync(String url, String... namesAndValues) {
    return post(
        url,
        "application/x-www-form-urlencoded",
        encode(namesAndValues).getBytes(StandardCharsets.UTF_8));
  }

  /** POST of a body with alternating names and values of further headers. */
  public CompletableFuture<HttpResponse<String>> post(
      String url, String contentType, byte[] body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url))
            .timeout(TIMEOUT)
            .header("Content-Type", contentType)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return send(request.build());
  }

  /** GET of a response that goes on, with alternating names and values of header fields. */
  public StreamClient stream(String url, String... headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return new StreamClient(
        client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofInputStream()).join());
  }

  /** Names and values as a form. */
  public static String encode(String... namesAndValues) {
    StringJoiner form = new StringJoiner("&");
    for (int i = 0; i < namesAndValues.length; i += 2) {
      form.add(
          URLEncoder.encode(namesAndValues[i], StandardCharsets.UTF_8)
              + "="
              + URLEncoder.encode(namesAndValues[i + 1], StandardCharsets.UTF_8));
    }
    return form.toString();
  }

  /** The first value of a parameter that must be there. */
  public static String first(Map<String, List<String>> form, String name) {
    List<String> values = form.get(name);
    if (values == null) {
      throw new AssertionError("there is no " + name + " in " + form.keySet());
    }
    return values.get(0);
  }

  private CompletableFuture<HttpResponse<String>> send(HttpRequest request) {
    HttpRequest sent =
        authorization.isEmpty() || !request.uri().getPath().startsWith("/api/")
            ? request
            : HttpRequest.newBuilder(request, (name, value) -> true)
                .header("Authorization", authorization)
                .build();
    return client.sendAsync(sent, HttpResponse.BodyHandlers.ofString());
  }
}
