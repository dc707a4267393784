package io.feedbridge.gateway.server;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate that the server shows, from two PEM files. {@link #reload} takes what the files
 * have become for connections from then on; those that are open keep theirs. Safe for use by
 * several threads.
 */
public final class TlsCertificate {
  private static final Logger log = LoggerFactory.getLogger(TlsCertificate.class);

  private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

  private final Path certificate;
  private final Path key;
  private final Executor handshakes;

  /** What the files were when they could last be read, whether it could be used or not. */
  private byte[] seen;

  /** What was wrong with them since. */
  private String complaint = "";

  private volatile SslContext context;

  private TlsCertificate(Path certificate, Path key, Executor handshakes) throws IOException {
    this.certificate = certificate;
    this.key = key;
    this.handshakes = handshakes;
    PemFiles.Text files = PemFiles.Text.read(certificate, key);
    seen = files.digest();
    context = contextOf(files.parse());
  }

  /**
   * Reads the files. Blocks.
   *
   * @param certificate the server's certificate, and behind it those of who vouches for it
   * @param key its private key, without a passphrase
   * @param handshakes where keys are worked with, which takes too long for an event loop
   * @throws IOException if they cannot be used, with a message for the operator
   */
  public static TlsCertificate of(Path certificate, Path key, Executor handshakes)
      throws IOException {
    return new TlsCertificate(certificate, key, handshakes);
  }

  /**
   * Looks at the files. Where they have changed to something that cannot be used, the certificate
   * stays, and the log says why, once. Blocks.
   */
  public synchronized void reload() {
    try {
      PemFiles.Text files = PemFiles.Text.read(certificate, key);
      if (!isNews(files.digest())) {
        return;
      }
      PemFiles parsed = files.parse();
      context = contextOf(parsed);
      log.atInfo()
          .addKeyValue("certificate", certificate)
          .addKeyValue("until", parsed.chain()[0].getNotAfter().toInstant())
          .log("The TLS certificate has changed: new connections get the new one");
    } catch (IOException e) {
      String reason = String.valueOf(e.getMessage());
      // Of files that can be read it is news already.
      if (!reason.equals(complaint)) {
        complaint = reason;
        log.atWarn()
            .addKeyValue("reason", reason)
            .log("The TLS certificate has changed and cannot be used: the one before stays");
      }
    }
  }

  private boolean isNews(byte[] digest) {
    boolean news = !Arrays.equals(digest, seen);
    if (news) {
      seen = digest;
      complaint = "";
    }
    return news;
  }

  private static SslContext contextOf(PemFiles files) throws IOException {
    return SslContextBuilder.forServer(files.key(), files.chain())
        .sslProvider(SslProvider.JDK)
        .protocols(PROTOCOLS)
        .build();
  }

  /** For one connection, which is closed if it does not get through the handshake in time. */
  SslHandler newHandler(ByteBufAllocator allocator, Duration handshakeTime) {
    SslHandler handler = context.newHandler(allocator, handshakes);
    handler.setHandshakeTimeout(handshakeTime.toMillis(), TimeUnit.MILLISECONDS);
    return handler;
  }
}
