package io.feedbridge.gateway.bench.parts;

import io.feedbridge.gateway.bench.data.Hosts;
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

/** A publisher of many feeds that says of all of them at once that they have news. */
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
    if (volley == null) {
      throw new IllegalStateException("it is not connected");
    }
    List<FullHttpRequest> all = new ArrayList<>();
    for (int feed = 0; feed < feeds; feed++) {
      all.add(request(origins.topic(feed)));
    }
    return volley.send(all);
  }

  private FullHttpRequest request(String topic) {
    byte[] form =
        ("hub.mode=publish&hub.url=" + URLEncoder.encode(topic, StandardCharsets.UTF_8))
            .getBytes(StandardCharsets.US_ASCII);
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
