package io.feedbridge.gateway.cli.operate;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** A gateway as strangers see it: without a token, and without following redirects. */
final class PublicUrl {

  /** The time for a whole answer. */
  static final Duration TIMEOUT = Duration.ofSeconds(10);

  private static final int HTTPS_PORT = 443;

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
   * @throws IOException if no whole answer came in time
   */
  Answer get(String path) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    HttpRequest request = HttpRequest.newBuilder(URI.create(url + path)).timeout(TIMEOUT).build();
    HttpResponse<InputStream> response =
        http.send(request, HttpResponse.BodyHandlers.ofInputStream());
    try (InputStream in = response.body()) {
      return new Answer(
          response.statusCode(),
          new String(read(in, deadline), StandardCharsets.UTF_8),
          response.headers().firstValue("Date").flatMap(PublicUrl::date),
          response.sslSession().flatMap(PublicUrl::end));
    }
  }

  /** The timeout of a request ends with the header, and a body may never end. */
  private static byte[] read(InputStream in, long deadline)
      throws IOException, InterruptedException {
    CompletableFuture<byte[]> body =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return in.readNBytes(MAX_ANSWER);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    try {
      return body.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new IOException("its answer did not end within %d s".formatted(TIMEOUT.toSeconds()), e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof UncheckedIOException io ? io.getCause() : new IOException(e);
    }
  }

  /**
   * When the certificate ends that the server shows, trusted or not.
   *
   * @throws IOException if no certificate came in time
   */
  Optional<Instant> certificateEnd() throws IOException {
    int port = url.getPort() < 0 ? HTTPS_PORT : url.getPort();
    try (SSLSocket socket = (SSLSocket) anyCertificate().createSocket()) {
      socket.connect(new InetSocketAddress(url.getHost(), port), (int) TIMEOUT.toMillis());
      socket.setSoTimeout((int) TIMEOUT.toMillis());
      SSLParameters parameters = socket.getSSLParameters();
      // An address is no name that a server could choose its certificate by.
      if (!url.getHost().matches("[0-9.]+|\\[.*")) {
        parameters.setServerNames(List.of(new SNIHostName(url.getHost())));
      }
      socket.setSSLParameters(parameters);
      socket.startHandshake();
      return end(socket.getSession());
    }
  }

  /** Nothing is sent over a connection of these: only its certificate is read. */
  private static SSLSocketFactory anyCertificate() {
    X509ExtendedTrustManager any = new AnyCertificate();
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {any}, null);
      return context.getSocketFactory();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has TLS", e);
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
