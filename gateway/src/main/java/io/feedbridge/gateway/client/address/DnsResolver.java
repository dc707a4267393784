package io.feedbridge.gateway.client.address;

import com.github.benmanes.caffeine.cache.Ticker;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.resolver.dns.DnsErrorCauseException;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.DnsServerAddressStreamProvider;
import io.netty.resolver.dns.DnsServerAddressStreamProviders;
import io.netty.resolver.dns.NoopAuthoritativeDnsServerCache;
import io.netty.resolver.dns.NoopDnsCnameCache;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The hosts file, then the system's name servers, with answers cached for their time to live. */
public final class DnsResolver implements Resolver {
  private static final int MAX_CACHED_NAMES = 20_000;
  private static final int MAX_SHARED_QUERIES = 4096;
  private static final long QUERY_TIMEOUT_MILLIS = 3000;

  private final DnsTtlCache cache = new DnsTtlCache(MAX_CACHED_NAMES, Ticker.systemTicker());
  private final EventLoop loop;
  private final DnsNameResolver resolver;

  /**
   * Runs on the given event loop, which must be of the given transport; {@link #close} leaves the
   * loop alone.
   */
  public DnsResolver(EventLoop loop, Transport transport) {
    this(loop, transport, DnsServerAddressStreamProviders.platformDefault());
  }

  DnsResolver(EventLoop loop, Transport transport, DnsServerAddressStreamProvider servers) {
    this.loop = loop;
    resolver =
        new DnsNameResolverBuilder(loop)
            .datagramChannelType(transport.datagramChannelClass())
            // An answer that does not fit into a datagram is asked for again over TCP.
            .socketChannelType(transport.channelClass())
            .nameServerProvider(servers)
            .queryTimeoutMillis(QUERY_TIMEOUT_MILLIS)
            .resolveCache(cache)
            // Both caches would grow without bound; whole answers are cached above.
            .cnameCache(NoopDnsCnameCache.INSTANCE)
            .authoritativeDnsServerCache(NoopAuthoritativeDnsServerCache.INSTANCE)
            // A host with many waiting calls opens many connections at once: one query for all of
            // them.
            .consolidateCacheSize(MAX_SHARED_QUERIES)
            .build();
  }

  @Override
  public CompletableFuture<List<InetAddress>> resolve(String host) {
    CompletableFuture<List<InetAddress>> answer = new CompletableFuture<>();
    resolver
        .resolveAll(host)
        .addListener(
            (Future<List<InetAddress>> found) -> {
              if (found.isSuccess()) {
                answer.complete(found.getNow());
              } else {
                remember(host, found.cause());
                answer.completeExceptionally(found.cause());
              }
            });
    return answer;
  }

  /**
   * Caches NXDOMAIN, which Netty itself does not: it caches an unknown name only without an answer.
   */
  private void remember(String host, Throwable failure) {
    if (failure.getCause() instanceof DnsErrorCauseException said
        && said.getCode().equals(DnsResponseCode.NXDOMAIN)) {
      cache.cache(host, null, failure, loop);
    }
  }

  @Override
  public void close() {
    resolver.close();
  }
}
