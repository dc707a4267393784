package io.feedbridge.gateway.assembly;

import io.feedbridge.gateway.client.address.Networks;
import io.feedbridge.gateway.client.address.Transport;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.runtime.Descriptors;
import io.feedbridge.gateway.runtime.Lifecycle;
import io.feedbridge.gateway.runtime.Threads;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.SteadyClock;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.server.HttpServer;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.ServerConfig;
import io.feedbridge.gateway.server.limits.ServerLimits;
import io.feedbridge.gateway.server.limits.ServerObserver;
import io.feedbridge.gateway.server.limits.TlsCertificate;
import io.feedbridge.gateway.web.ProtocolPaths;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The server at the address that the settings name, with its event loops and its certificate. */
final class Listener {

  /** These threads work with keys, one handshake after the other. */
  private static final int TLS_THREADS = 2;

  /** The time between two checks for a renewed certificate. */
  private static final Duration CERTIFICATE_LOOKS = Duration.ofSeconds(1);

  /** Time for requests that wait for an answer at a stop. */
  private static final Duration REQUEST_GRACE = Duration.ofSeconds(1);

  private final Settings settings;
  private final SteadyClock clock;
  private final Timer timer;
  private final Lifecycle lifecycle;

  Listener(Settings settings, SteadyClock clock, Timer timer, Lifecycle lifecycle) {
    this.settings = settings;
    this.clock = clock;
    this.timer = timer;
    this.lifecycle = lifecycle;
  }

  /**
   * Serves until the life cycle ends.
   *
   * @param router the routes of now
   * @param loops event loops
   * @param forwards requests that other nodes pass on; empty for none
   * @throws IOException if it cannot listen, with a message for the operator
   */
  HttpServer serve(
      Supplier<Router> router,
      ServerObserver observer,
      int loops,
      Optional<ServerConfig.Forwards> forwards)
      throws IOException {
    Transport transport = Transport.best();
    EventLoopGroup boss = group(transport, 1, "accept");
    EventLoopGroup workers = group(transport, loops, "serve");
    Optional<TlsCertificate> certificate = certificate();
    HttpServer server =
        new HttpServer(
            new ServerConfig(
                boss,
                workers,
                transport.serverChannelClass(),
                router,
                Descriptors.within(ServerLimits.DEFAULT, settings.protection()),
                observer,
                SteadyClock.systemOf(clock),
                Networks.of(settings.serving().trustedProxies())::contains,
                certificate,
                settings.protection().tls().filter(Settings.Tls::plainRssCloud).isPresent()
                    ? ProtocolPaths.RSSCLOUD
                    : Set.of(),
                forwards));
    server.start(settings.listen());
    lifecycle.onStop(() -> server.close(REQUEST_GRACE));
    lifecycle.onStop(server::stopIntake);
    return server;
  }

  private Optional<TlsCertificate> certificate() throws IOException {
    Optional<Settings.Tls> files = settings.protection().tls();
    if (files.isEmpty()) {
      return Optional.empty();
    }
    ThreadPoolExecutor threads =
        Threads.pool("tls", TLS_THREADS, ServerLimits.DEFAULT.connections());
    lifecycle.onStop(() -> Threads.end(threads));
    TlsCertificate certificate =
        TlsCertificate.of(files.get().certificate(), files.get().key(), threads);
    Pump renewals =
        new Pump(
            "tls-certificate",
            () -> {
              certificate.reload();
              return Optional.of(clock.instant().plus(CERTIFICATE_LOOKS));
            },
            threads,
            timer);
    lifecycle.start(renewals::start, renewals::close);
    return Optional.of(certificate);
  }

  private EventLoopGroup group(Transport transport, int threads, String name) {
    EventLoopGroup group = transport.newGroup(threads, name);
    lifecycle.onStop(
        () ->
            group
                .shutdownGracefully(0, REQUEST_GRACE.toMillis(), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly());
    return group;
  }
}
