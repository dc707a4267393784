package io.feedbridge.gateway.bench;

import io.feedbridge.websub.Signature;
import io.feedbridge.websub.SignatureMethod;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A hub that has news of many feeds at once: signs them beforehand and pushes them all. */
final class Pusher implements Talk.Role {

  private final BareClient client = new BareClient();
  private final Clock clock;
  private final List<ClientConnection> connections = new ArrayList<>();
  private int port;

  Pusher(Clock clock) {
    this.clock = clock;
  }

  @Override
  public Object asked(String... words) throws Exception {
    return switch (words[0]) {
      case "connect" -> connect(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
      case "push" ->
          push(
              words[1],
              Integer.parseInt(words[2]),
              Integer.parseInt(words[3]),
              Integer.parseInt(words[4]));
      default -> throw new IllegalArgumentException("unknown: " + words[0]);
    };
  }

  /** {@code connect PORT CONNECTIONS}. */
  private Map<String, Object> connect(int to, int count) throws InterruptedException {
    port = to;
    for (int i = 0; i < count; i++) {
      connections.add(
          client.open(0, new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
    }
    return Map.of();
  }

  /** {@code push TOPICS FEEDS VERSION BYTES}: says when it began, once all are acknowledged. */
  private Map<String, Object> push(String topics, int feeds, int version, int bytes)
      throws Exception {
    SampleFeed sample = new SampleFeed(1, bytes);
    Queue<FullHttpRequest> all = new ArrayDeque<>();
    for (int feed = 0; feed < feeds; feed++) {
      all.add(request(feed, sample.document(topics + feed, feed, version)));
    }
    Queue<FullHttpRequest> queue = new ConcurrentLinkedQueue<>(all);
    long began = Micros.of(clock.instant());
    CompletableFuture.allOf(
            connections.stream()
                .map(connection -> connection.run(queue::poll))
                .toArray(CompletableFuture<?>[]::new))
        .get();
    return Map.of("began", began, "acknowledged", Micros.of(clock.instant()));
  }

  private FullHttpRequest request(int feed, byte[] body) {
    DefaultFullHttpRequest request =
        new DefaultFullHttpRequest(
            HttpVersion.HTTP_1_1,
            HttpMethod.POST,
            "/callback/websub/" + Furnishing.token(feed),
            Unpooled.wrappedBuffer(body));
    request
        .headers()
        .set(HttpHeaderNames.HOST, "127.0.0.1:" + port)
        .set(HttpHeaderNames.CONTENT_TYPE, SampleFeed.CONTENT_TYPE)
        .set(HttpHeaderNames.CONTENT_LENGTH, body.length)
        .set("X-Hub-Signature", Signature.sign(SignatureMethod.SHA256, Secrets.of(feed), body));
    return request;
  }
}
