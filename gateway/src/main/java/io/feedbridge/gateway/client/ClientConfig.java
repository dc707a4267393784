package io.feedbridge.gateway.client;

import io.feedbridge.gateway.client.address.Purpose;
import java.time.Duration;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The client's bounds.
 *
 * @param connectionsPerHost connections to one scheme, host and port for one {@link Purpose};
 *     connections that are being opened count
 * @param maxConnections connections in all
 * @param queuePerHost calls that wait for one of a host's connections; one more fails as SATURATED
 * @param maxCalls calls under way in all, waiting ones included; one more fails as SATURATED
 * @param idle how long an unused connection is kept
 * @param trustManager judges server certificates instead of the JDK's own; host names are verified
 *     in either case
 * @param userAgent the User-Agent of requests that name no other
 */
public record ClientConfig(
    int connectionsPerHost,
    int maxConnections,
    int queuePerHost,
    int maxCalls,
    Duration idle,
    @Nullable TrustManager trustManager,
    Header userAgent) {

  static final String USER_AGENT = "User-Agent";

  private static final int CONNECTIONS_PER_HOST = 32;
  private static final int MAX_CONNECTIONS = 4096;
  private static final int QUEUE_PER_HOST = 1024;
  private static final int MAX_CALLS = 65_536;
  private static final Duration IDLE = Duration.ofSeconds(30);

  public ClientConfig {
    if (connectionsPerHost < 1 || maxConnections < 1 || maxCalls < 1 || queuePerHost < 0) {
      throw new IllegalArgumentException("The client's bounds must be positive");
    }
    if (idle.isNegative()) {
      throw new IllegalArgumentException("idle must not be negative");
    }
  }

  /**
   * 32 connections per host, 4,096 in all, 1,024 waiting per host, 65,536 in all, 30 s idle, the
   * JDK's trust.
   */
  public static ClientConfig defaults() {
    return new ClientConfig(
        CONNECTIONS_PER_HOST,
        MAX_CONNECTIONS,
        QUEUE_PER_HOST,
        MAX_CALLS,
        IDLE,
        null,
        new Header(USER_AGENT, "Feedbridge"));
  }

  /** This configuration with another bound of connections per host. */
  public ClientConfig withConnectionsPerHost(int most) {
    return new ClientConfig(
        most, maxConnections, queuePerHost, maxCalls, idle, trustManager, userAgent);
  }

  /** This configuration with another bound of connections in all. */
  public ClientConfig withMaxConnections(int most) {
    return new ClientConfig(
        connectionsPerHost, most, queuePerHost, maxCalls, idle, trustManager, userAgent);
  }

  /** This configuration with another length of the queues per host. */
  public ClientConfig withQueuePerHost(int most) {
    return new ClientConfig(
        connectionsPerHost, maxConnections, most, maxCalls, idle, trustManager, userAgent);
  }

  /** This configuration with another bound of calls under way. */
  public ClientConfig withMaxCalls(int most) {
    return new ClientConfig(
        connectionsPerHost, maxConnections, queuePerHost, most, idle, trustManager, userAgent);
  }

  /** This configuration with another life of unused connections. */
  public ClientConfig withIdle(Duration span) {
    return new ClientConfig(
        connectionsPerHost, maxConnections, queuePerHost, maxCalls, span, trustManager, userAgent);
  }

  /** This configuration with another judge of certificates; null for the JDK's own. */
  public ClientConfig withTrustManager(@Nullable TrustManager manager) {
    return new ClientConfig(
        connectionsPerHost, maxConnections, queuePerHost, maxCalls, idle, manager, userAgent);
  }

  /** This configuration with another User-Agent. */
  public ClientConfig withUserAgent(String name) {
    return new ClientConfig(
        connectionsPerHost,
        maxConnections,
        queuePerHost,
        maxCalls,
        idle,
        trustManager,
        new Header(USER_AGENT, name));
  }
}
