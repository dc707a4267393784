package io.feedbridge.gateway.bench.parts;

import io.feedbridge.gateway.bench.data.Hosts;
import io.feedbridge.gateway.bench.data.Micros;
import io.feedbridge.gateway.bench.data.Sample;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/**
 * The reference: a bare Netty client that only sends the gateway's requests, signed for each
 * subscription anew, over as many connections.
 */
public final class Reference implements Talk.Role {

  private final BareClient client = new BareClient();
  private final Clock clock;
  private final List<ClientConnection> connections = new ArrayList<>();
  private Hosts hosts = new Hosts(1, 0);

  Reference(Clock clock) {
    this.clock = clock;
  }

  @Override
  public Object asked(String... words) throws Exception {
    return switch (words[0]) {
      case "connect" -> connect(number(words[1]), number(words[2]), number(words[3]));
      case "run" ->
          run(Path.of(words[1]), Path.of(words[2]), number(words[3]), Long.parseLong(words[4]));
      case "pairs" -> pairs(number(words[1]), number(words[2]));
      default -> throw new IllegalArgumentException("unknown: " + words[0]);
    };
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }

  /** {@code connect PORT HOSTS CONNECTIONS-EACH}. */
  private Map<String, Object> connect(int port, int count, int each) throws Exception {
    hosts = new Hosts(count, port);
    for (int host = 0; host < count; host++) {
      for (int i = 0; i < each; i++) {
        connections.add(client.open(host, new InetSocketAddress(Hosts.inetAddress(host), port)));
      }
    }
    return Map.of();
  }

  /** {@code run HEAD BODY SUBSCRIPTIONS EVENT}: says when it began. */
  private Map<String, Object> run(Path head, Path body, int subscriptions, long event)
      throws Exception {
    Sample sample =
        Sample.of(Files.readString(head, StandardCharsets.ISO_8859_1), Files.readAllBytes(body));
    long began = Micros.of(clock.instant());
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    List<ReferenceShare> shares = new ArrayList<>();
    for (int host = 0; host < hosts.count(); host++) {
      shares.add(new ReferenceShare(sample, hosts, host, subscriptions, event));
    }
    for (ClientConnection connection : connections) {
      ends.add(connection.run(shares.get(connection.host())));
    }
    CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new)).get();
    return Map.of("began", began);
  }

  /**
   * {@code pairs FROM COUNT}: two requests to each callback of these numbers, as a registration is
   * one that comes and one that goes; says when it began.
   */
  private Map<String, Object> pairs(int from, int count) throws Exception {
    List<Queue<FullHttpRequest>> shares =
        Stream.<Queue<FullHttpRequest>>generate(ConcurrentLinkedQueue::new)
            .limit(hosts.count())
            .toList();
    for (int number = from; number < from + count; number++) {
      for (int request = 1; request <= 2; request++) {
        shares.get(hosts.hostOf(number)).add(verification(number, request));
      }
    }
    long began = Micros.of(clock.instant());
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (ClientConnection connection : connections) {
      ends.add(connection.run(shares.get(connection.host())::poll));
    }
    CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new)).get();
    return Map.of("began", began);
  }

  private FullHttpRequest verification(int number, int request) {
    DefaultFullHttpRequest verification =
        new DefaultFullHttpRequest(
            HttpVersion.HTTP_1_1,
            HttpMethod.GET,
            Hosts.path(Hosts.Sender.REFERENCE, number)
                + "?hub.mode=subscribe&hub.challenge="
                + request);
    verification
        .headers()
        .set(HttpHeaderNames.HOST, Hosts.address(hosts.hostOf(number)) + ":" + hosts.port());
    return verification;
  }

  public static byte[] decoded(String base64) {
    return Base64.getDecoder().decode(base64);
  }
}
