package io.feedbridge.gateway.cli.operate;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** A gateway as strangers see it: without a token, and without following redirects. */
final class PublicUrl {

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** The bytes of an answer that are read. */
  private static final int MAX_ANSWER = 64 << 10;

  private final URI url;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .followRedirects(HttpClient.Redirect.NEVER)
          .connectTimeout(TIMEOUT)
          .build();

  PublicUrl(URI url) {
    this.url = url;
  }

  /**
   * An answer.
   *
   * @param date of the server, if the answer has one
   * @param certificateEnds when the server's certificate ends; empty without TLS
   */
  record Answer(
      int status, String body, Optional<Instant> date, Optional<Instant> certificateEnds) {}

  /** The addresses of the host; empty if it has none. */
  List<InetAddress> addresses() {
    try {
      return List.of(InetAddress.getAllByName(url.getHost()));
    } catch (UnknownHostException e) {
      return List.of();
    }
  }

  /**
   * GET of a path.
   *
   * @throws IOException if no answer came
   */
  Answer get(String path) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url + path)).timeout(TIMEOUT).build();
    HttpResponse<InputStream> response =
        http.send(request, HttpResponse.BodyHandlers.ofInputStream());
    try (InputStream in = response.body()) {
      return new Answer(
          response.statusCode(),
          new String(in.readNBytes(MAX_ANSWER), StandardCharsets.UTF_8),
          response.headers().firstValue("Date").flatMap(PublicUrl::date),
          response.sslSession().flatMap(PublicUrl::end));
    }
  }

  private static Optional<Instant> date(String text) {
    try {
      return Optional.of(
          ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant());
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  private static Optional<Instant> end(SSLSession session) {
    try {
      Certificate first = session.getPeerCertificates()[0];
      return first instanceof X509Certificate certificate
          ? Optional.of(certificate.getNotAfter().toInstant())
          : Optional.empty();
    } catch (SSLPeerUnverifiedException e) {
      return Optional.empty();
    }
  }
}
