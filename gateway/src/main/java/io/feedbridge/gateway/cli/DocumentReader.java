package io.feedbridge.gateway.cli;

import io.feedbridge.gateway.client.Brotli;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.ClientConfig;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.Room;
import io.feedbridge.gateway.client.address.AddressPolicy;
import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.runtime.Version;
import io.feedbridge.normalizer.Limits;
import io.feedbridge.normalizer.Served;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the documents that a command names: a file, an http or https URL, or {@code -} for the
 * standard input. Thread-safe.
 */
final class DocumentReader implements AutoCloseable {

  /** The name of the standard input. */
  static final String STDIN = "-";

  /** The time limit of one document, from looking up the name to the last byte. */
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private static final String ACCEPT =
      "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9,"
          + " text/xml;q=0.9, */*;q=0.8";

  private final InputStream stdin;
  private @Nullable OutboundClient client;

  DocumentReader(InputStream stdin) {
    this.stdin = stdin;
  }

  /** The bytes of a document, and how they were served: of a file nothing is known. */
  @SuppressWarnings("ArrayRecordComponent") // carried, never compared
  record Document(byte[] body, Served served) {}

  /** The bytes of a file, as far as they are read; 0 where that is not known before. */
  static long size(String input) {
    try {
      return isUrl(input) || input.equals(STDIN)
          ? 0
          : Math.min(Files.size(Path.of(input)), Limits.MAX_BYTES);
    } catch (IOException | InvalidPathException unreadable) {
      // Reading it tells why
      return 0;
    }
  }

  /**
   * Reads one document. Blocks.
   *
   * @throws IOException with a human-readable sentence, if there is no document or it has more than
   *     {@link Limits#MAX_BYTES}
   */
  Document read(String input) throws IOException {
    if (isUrl(input)) {
      return fetch(input);
    }
    Served nowhere = Served.at(URI.create(""), null);
    if (input.equals(STDIN)) {
      return new Document(bounded(stdin), nowhere);
    }
    try (InputStream in = Files.newInputStream(Path.of(input))) {
      return new Document(bounded(in), nowhere);
    } catch (NoSuchFileException e) {
      throw new IOException("There is no such file.", e);
    } catch (AccessDeniedException e) {
      throw new IOException("The file may not be read: permission denied.", e);
    } catch (InvalidPathException e) {
      throw new IOException("The name is no path: %s.".formatted(e.getReason()), e);
    }
  }

  private static byte[] bounded(InputStream in) throws IOException {
    byte[] body = in.readNBytes(Limits.MAX_BYTES + 1);
    if (body.length > Limits.MAX_BYTES) {
      throw new IOException("The document has more than %,d bytes.".formatted(Limits.MAX_BYTES));
    }
    return body;
  }

  private Document fetch(String url) throws IOException {
    Call call =
        Call.get(url, Purpose.FETCH)
            .header("Accept", ACCEPT)
            .header("User-Agent", "Feedbridge/" + Version.current())
            .acceptBrotli()
            .redirects(Call.MAX_REDIRECTS)
            .refuseBodyOver(Limits.MAX_BYTES)
            .timeout(TIMEOUT)
            .build();
    Reply reply;
    try {
      reply = client().send(call).join();
    } catch (CompletionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IOException(cause.getMessage(), cause);
    }
    if (!reply.successful()) {
      throw new IOException("The server answered with status %d.".formatted(reply.status()));
    }
    return new Document(
        body(reply),
        new Served(
            uri(reply.finalUrl()),
            reply.headers().first("Content-Type").orElse(null),
            reply.headers().first("Content-Language").orElse(null),
            reply.headers().first("Content-Location").orElse(null)));
  }

  private byte[] body(Reply reply) throws IOException {
    try {
      return Brotli.isIn(reply)
          ? new Brotli().undo(reply, Limits.MAX_BYTES, Room.UNBOUNDED)
          : reply.body();
    } catch (CallException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static URI uri(String url) throws IOException {
    try {
      return new URI(url);
    } catch (URISyntaxException e) {
      throw new IOException("'%s' is no URL: %s.".formatted(url, e.getReason()), e);
    }
  }

  /**
   * A URL on the command line is meant: as curl does, the client fetches from private networks too.
   */
  private synchronized OutboundClient client() {
    if (client == null) {
      List<String> everywhere = List.of("0.0.0.0/0", "::/0");
      client =
          OutboundClient.start(
              1, ClientConfig.defaults(), AddressPolicy.allowing(everywhere, List.of()));
    }
    return client;
  }

  static boolean isUrl(String input) {
    String lower = input.toLowerCase(Locale.ROOT);
    return lower.startsWith("http://") || lower.startsWith("https://");
  }

  @Override
  public synchronized void close() {
    if (client != null) {
      client.close();
    }
  }
}
