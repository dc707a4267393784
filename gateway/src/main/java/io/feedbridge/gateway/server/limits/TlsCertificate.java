package io.feedbridge.gateway.server.limits;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.OptionalSslHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate that the server shows, from two PEM files. After {@link #reload} new connections
 * get the changed certificate; open connections keep theirs. Safe for use by several threads.
 */
public final class TlsCertificate {
  private static final Logger log = LoggerFactory.getLogger(TlsCertificate.class);

  private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

  /**
   * Cipher suites with forward secrecy and authenticated encryption only: the suites of TLS 1.3,
   * and suites of TLS 1.2 with ECDHE (RFC 9325 §4.2). Without a list the JDK offers older ones too.
   */
  private static final List<String> SUITES =
      List.of(
          "TLS_AES_256_GCM_SHA384",
          "TLS_CHACHA20_POLY1305_SHA256",
          "TLS_AES_128_GCM_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");

  private final Path certificate;
  private final Path key;
  private final Executor handshakes;

  /** The digest of the files when they could last be read, whether they could be used or not. */
  private byte[] seen;

  /** The last error in the files since then; empty if there was none. */
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
   * @param certificate the server's certificate, followed by the certificates of its issuers
   * @param key its private key, without a passphrase
   * @param handshakes where keys are worked with, which takes too long for an event loop
   * @throws IOException if they cannot be used, with a message for the operator
   */
  public static TlsCertificate of(Path certificate, Path key, Executor handshakes)
      throws IOException {
    return new TlsCertificate(certificate, key, handshakes);
  }

  /**
   * Reads the files again. If they have changed and cannot be used, the certificate stays, and the
   * reason is logged once. Blocks.
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
        .ciphers(SUITES, SupportedCipherSuiteFilter.INSTANCE)
        .build();
  }

  /**
   * For one connection, which is closed if it does not get through the handshake in time. A client
   * that begins without TLS is read without it.
   */
  public ChannelHandler newHandler(Duration handshakeTime) {
    return new Handshake(handshakeTime);
  }

  /** Waits for the first bytes of a connection, which say whether it begins with TLS. */
  private final class Handshake extends OptionalSslHandler {
    private final Duration time;
    private @Nullable Future<?> end;

    private Handshake(Duration time) {
      super(context);
      this.time = time;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      Runnable close =
          () -> {
            var unused = ctx.close();
          };
      end = ctx.executor().schedule(close, time.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) {
      if (end != null) {
        end.cancel(false);
      }
    }

    @Override
    protected SslHandler newSslHandler(ChannelHandlerContext ctx, SslContext tls) {
      SslHandler handler = tls.newHandler(ctx.alloc(), handshakes);
      handler.setHandshakeTimeout(time.toMillis(), TimeUnit.MILLISECONDS);
      return handler;
    }
  }
}
