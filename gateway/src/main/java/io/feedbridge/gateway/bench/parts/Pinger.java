package io.feedbridge.gateway.bench.parts;

import io.feedbridge.gateway.bench.data.Hosts;
import io.feedbridge.gateway.bench.data.Secrets;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A publisher of many feeds that says of all of them at once that they have news, and a reader that
 * subscribes to many feeds at once.
 */
final class Pinger implements Talk.Role {

  private final BareClient client = new BareClient();
  private final Clock clock;
  private @Nullable Volley volley;
  private int gateway;

  Pinger(Clock clock) {
    this.clock = clock;
  }

  @Override
  public Object asked(String... words) throws Exception {
    return switch (words[0]) {
      case "connect" -> connect(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
      case "ping" ->
          ping(
              new Hosts(Integer.parseInt(words[2]), Integer.parseInt(words[1])),
              Integer.parseInt(words[3]));
      case "subscribe" ->
          subscribe(
              words[1],
              Integer.parseInt(words[2]),
              new Hosts(Integer.parseInt(words[4]), Integer.parseInt(words[3])),
              Integer.parseInt(words[5]),
              Integer.parseInt(words[6]));
      default -> throw new IllegalArgumentException("unknown: " + words[0]);
    };
  }

  /** {@code connect PORT CONNECTIONS}. */
  private Map<String, Object> connect(int port, int count) throws InterruptedException {
    gateway = port;
    volley = new Volley(client, port, count, clock);
    return Map.of();
  }

  /** {@code ping ORIGIN-PORT HOSTS FEEDS}: says when it began, once all are acknowledged. */
  private Map<String, Object> ping(Hosts origins, int feeds) throws Exception {
    List<FullHttpRequest> all = new ArrayList<>();
    for (int feed = 0; feed < feeds; feed++) {
      all.add(request("hub.mode=publish&hub.url=" + encoded(origins.topic(feed))));
    }
    return send(all);
  }

  /**
   * {@code subscribe TOPICS FEEDS SINK-PORT HOSTS FROM COUNT}: subscriptions of these numbers,
   * spread over the feeds; says when it began, once all are accepted.
   */
  private Map<String, Object> subscribe(String topics, int feeds, Hosts sinks, int from, int count)
      throws Exception {
    List<FullHttpRequest> all = new ArrayList<>();
    for (int number = from; number < from + count; number++) {
      all.add(
          request(
              "hub.mode=subscribe&hub.topic=%s&hub.callback=%s&hub.secret=%s"
                  .formatted(
                      encoded(topics + number % feeds),
                      encoded(sinks.callback(number)),
                      Secrets.of(number))));
    }
    return send(all);
  }

  private Map<String, Object> send(List<FullHttpRequest> all) throws Exception {
    if (volley == null) {
      throw new IllegalStateException("it is not connected");
    }
    return volley.send(all);
  }

  private static String encoded(String url) {
    return URLEncoder.encode(url, StandardCharsets.UTF_8);
  }

  private FullHttpRequest request(String content) {
    byte[] form = content.getBytes(StandardCharsets.US_ASCII);
    DefaultFullHttpRequest request =
        new DefaultFullHttpRequest(
            HttpVersion.HTTP_1_1, HttpMethod.POST, "/hub", Unpooled.wrappedBuffer(form));
    request
        .headers()
        .set(HttpHeaderNames.HOST, "127.0.0.1:" + gateway)
        .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_X_WWW_FORM_URLENCODED)
        .set(HttpHeaderNames.CONTENT_LENGTH, form.length);
    return request;
  }
}
