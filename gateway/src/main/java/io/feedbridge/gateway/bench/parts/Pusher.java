package io.feedbridge.gateway.bench.parts;

import io.feedbridge.gateway.bench.data.Furnishing;
import io.feedbridge.gateway.bench.data.SampleFeed;
import io.feedbridge.gateway.bench.data.Secrets;
import io.feedbridge.websub.Signature;
import io.feedbridge.websub.SignatureMethod;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A hub that has news of many feeds at once: signs them beforehand and pushes them all. */
final class Pusher implements Talk.Role {

  private final BareClient client = new BareClient();
  private final Clock clock;
  private @Nullable Volley volley;
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
    volley = new Volley(client, port, count, clock);
    return Map.of();
  }

  /** {@code push TOPICS FEEDS VERSION BYTES}: says when it began, once all are acknowledged. */
  private Map<String, Object> push(String topics, int feeds, int version, int bytes)
      throws Exception {
    if (volley == null) {
      throw new IllegalStateException("it is not connected");
    }
    SampleFeed sample = new SampleFeed(1, bytes);
    List<FullHttpRequest> all = new ArrayList<>();
    for (int feed = 0; feed < feeds; feed++) {
      all.add(request(feed, sample.document(topics + feed, feed, version)));
    }
    return volley.send(all);
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
